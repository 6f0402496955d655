/**
 * The service's guards: the time limit of each scan, the overrides that a caller may set, and how a streamed body is read.
 */
import { PassThrough, Readable } from 'node:stream';
import { EventReader, type ReadEvent } from '../../../../lib/hosts/http/events/event-reader.ts';
import { type GuardPolicy, Guards, policyFor, STRICT, type Wish } from '../../../../lib/hosts/http/guarding/guards.ts';
import { HeldTime } from '../../../../lib/hosts/http/guarding/stream.ts';
import { Chunks, type Given, textsIn } from '../../../../lib/hosts/http/guarding/texts.ts';
import { ALLOWED } from '../../../support/answers.ts';

const DEFAULT_MS = 2000;
const OPEN: GuardPolicy = { onError: 'allow', mask: ['output'] };

test.each([500, DEFAULT_MS, 30_000])('a scan may take %d ms if its caller asks for that', async (timeoutMs) => {
  const guards = new Guards({ policy: STRICT, onDecision: () => undefined });
  let answer = (): void => undefined;
  const limits: unknown[] = [];
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const client = {
    call: async (_name: string, _args?: object, options?: { timeoutMs?: number | undefined } | null) => {
      limits.push(options?.timeoutMs);
      await new Promise<void>((resolve) => {
        answer = resolve;
        begin();
      });
      return { raw: ALLOWED } as never;
    },
  };
  jest.useFakeTimers();
  try {
    const asking = { tenant: '', profile: 'prod', client, request: 'r', timeoutMs };
    const decided = guards.for(asking, STRICT, (guard) => guard.input('hello'));
    await begun;
    await jest.advanceTimersByTimeAsync(timeoutMs - 1);
    answer();
    expect(await decided).toMatchObject({ action: 'allow' });
    expect(limits).toEqual([timeoutMs]);
  } finally {
    jest.useRealTimers();
  }
});

test.each<[string, GuardPolicy, Wish, GuardPolicy]>([
  ['no override keeps the policy', OPEN, {}, OPEN],
  ['a block is stricter', OPEN, { on_error: 'block' }, { ...OPEN, onError: 'block' }],
  ['an allow is the same', OPEN, { on_error: 'allow' }, OPEN],
  ['no mask is stricter', OPEN, { mask: false }, { ...OPEN, mask: [] }],
  ['a mask is the same', OPEN, { mask: true }, OPEN],
  // With 100 ms every text would pass.
  ['its own time limit blocks', OPEN, { timeout_ms: 100, on_error: 'allow' }, { ...OPEN, onError: 'block' }],
])("of a caller's overrides, %s", (_, policy, wish, expected) => {
  expect(policyFor(policy, wish)).toEqual(expected);
});

test.each<[Wish]>([[{ on_error: 'allow' }], [{ mask: true }], [{ on_error: 'allow', timeout_ms: 5000 }]])(
  'the override %j is weaker than a strict policy, and refused',
  (wish) => {
    expect(() => policyFor(STRICT, wish)).toThrow('is weaker than the policy');
  },
);

/** Reads a body as a guarded stream does. */
async function given(...pieces: readonly (string | Buffer)[]): Promise<Given[]> {
  const limits = { bytes: 3_000_000, idleMs: 60_000, take: () => undefined, now: () => 0 };
  const all: Given[] = [];
  for await (const each of textsIn(
    new Chunks(Readable.from(pieces.map((piece) => Buffer.from(piece)))),
    limits,
    new AbortController().signal,
  ))
    all.push(each);
  return all;
}

const text = (said: string): Given => ({ kind: 'text', text: said });

test('a body has its context first, then its texts until its end', async () => {
  const context = 'event: context\ndata: {"app_user":"ann"}\n\n';
  expect(await given(context, 'data: {"text":"a"}\n\ndata: {"te', 'xt":"b"}\n\nevent: end\n\ndata: more')).toEqual([
    { kind: 'context', context: { app_user: 'ann' } },
    text('a'),
    text('b'),
  ]);
  expect(await given('data: {"text":"not ended"}')).toEqual([text('not ended')]);
});

test.each<[string, string | Buffer, string]>([
  ['no JSON', 'data: hello\n\n', 'arguments'],
  ['data that is a string', 'data: "hello"\n\n', 'arguments'],
  ['a text that is a number', 'data: {"text":1}\n\n', 'arguments'],
  ['no text', 'data: {}\n\n', 'arguments'],
  ['a member twice', 'data: {"text":"BAD","text":"x"}\n\n', 'arguments'],
  ['one more member', 'data: {"text":"x","more":1}\n\n', 'arguments'],
  ['a prototype', 'data: {"__proto__":{"text":"x"}}\n\n', 'arguments'],
  ['deep data', `data: ${'['.repeat(100_000)}\n\n`, 'arguments'],
  ['an unknown event', 'event: done\ndata: {}\n\n', 'arguments'],
  ['a late context', 'data: {"text":"x"}\n\nevent: context\ndata: {}\n\n', 'arguments'],
  ['an unknown member of the context', 'event: context\ndata: {"user":"x"}\n\n', 'arguments'],
  ['a signal in the context', 'event: context\ndata: {"signal":"x"}\n\n', 'arguments'],
  ['a number in the context', 'event: context\ndata: {"app_user":1}\n\n', 'arguments'],
  ['half of a character at the end', Buffer.from('data: {"text":"é').subarray(0, -1), 'arguments'],
  ['a line that never ends', 'x'.repeat(1_000_001), 'size'],
  ['an event of many lines', 'data: x\n'.repeat(200_000), 'size'],
  ['too many bytes', 'data: {"text":"x"}\n\n'.repeat(200_000), 'size'],
])('a body with %s is refused', async (_, body, code) => {
  await expect(given(body)).rejects.toMatchObject({ code });
});

test('an interrupted body does not count as ended', async () => {
  const input = new PassThrough();
  input.destroy(new Error('reset'));
  await expect(new Chunks(input).next(60_000, new AbortController().signal, () => new Error('late'))).rejects.toThrow(
    'The sender left.',
  );
});

test('a body is read piece by piece, so that the sender waits, and only until the signal aborts', async () => {
  const input = new PassThrough({ highWaterMark: 1 });
  const chunks = new Chunks(input);
  const ending = new AbortController();
  for (const piece of ['a', 'b', 'c']) expect(input.write(piece)).toBe(false);
  const next = () => chunks.next(60_000, ending.signal, () => new Error('late'));
  expect(String(await next())).toBe('a');
  await new Promise((resolve) => setImmediate(resolve));
  expect(input.readableLength + input.writableLength).toBeGreaterThan(0);
  expect([String(await next()), String(await next())]).toEqual(['b', 'c']);
  const waiting = next();
  ending.abort(new Error('over'));
  await expect(waiting).rejects.toThrow('over');
});

test('the hold time of each piece is measured until its text is released', () => {
  let now = 0;
  const seen: number[] = [];
  const held = new HeldTime(
    () => now,
    (milliseconds) => seen.push(milliseconds),
  );
  for (const [at, length] of [
    [0, 10],
    [100, 10],
    [200, 0],
    [300, 10],
  ] as const) {
    now = at;
    held.came(length);
  }
  now = 400;
  held.left(9);
  expect(seen).toEqual([]);
  held.left(11);
  expect(seen).toEqual([400, 300]);
  now = 500;
  held.end();
  expect(seen).toEqual([400, 300, 200]);
});

/** Server-sent events are the same wherever their bytes are split. */
describe('events', () => {
  const read = (...chunks: readonly Uint8Array[]): ReadEvent[] => {
    const reader = new EventReader(1000);
    return [...chunks.flatMap((chunk) => reader.read(chunk)), ...reader.end()];
  };
  const message = (data: string): ReadEvent => ({ event: 'message', data });

  test.each<[string, string, readonly ReadEvent[]]>([
    ['lines that end with LF', 'data: a\n\ndata: b\n\n', [message('a'), message('b')]],
    ['lines that end with CR LF', 'data: a\r\n\r\ndata: b\r\n\r\n', [message('a'), message('b')]],
    ['lines that end with CR', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
    ['lines of every kind', 'event: x\r\ndata: a\rdata: b\n\r\n', [{ event: 'x', data: 'a\nb' }]],
    ['a mark at the start', '\ufeffdata: a\n\n', [message('a')]],
    ['characters of four bytes', 'data: 🙂é\n\n', [message('🙂é')]],
    ['data without a space', 'data:a\n\ndata:  b\n\n', [message('a'), message(' b')]],
    ['data without a value', 'data\n\n', [message('')]],
    ['comments', ': one\n\n:\ndata: a\n: two\n\n', [message('a')]],
    ['an event without data', 'event: end\n\n', [{ event: 'end', data: '' }]],
    ['unknown event fields', 'id: 1\nretry: 5\nother: x\ndata: a\n\n', [message('a')]],
    ['an event without its end', 'data: a\n\ndata: b', [message('a'), message('b')]],
    ['nothing', '\n\n\n', []],
  ])('%s, cut at every byte', (_title, text, expected) => {
    const bytes = Buffer.from(text);
    expect(read(bytes)).toEqual(expected);
    expect(read(...Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(expected);
    for (let at = 1; at < bytes.length; at += 1) {
      expect(read(bytes.subarray(0, at), bytes.subarray(at))).toEqual(expected);
    }
  });

  test.each([
    ['a line', 'x'.repeat(1001)],
    ['many lines', 'data: x\n'.repeat(200)],
    ['a comment', `:${'x'.repeat(1000)}`],
  ])('refuses an event with too many characters in %s', (_title, text) => {
    expect(() => read(Buffer.from(text))).toThrow('An event has more than 1000 characters.');
  });

  test('counts the size of each event separately, and ignores comments', () => {
    const text = `: ${'x'.repeat(900)}\n`.repeat(5) + `data: ${'x'.repeat(900)}\n\n`.repeat(5);
    expect(read(Buffer.from(text))).toHaveLength(5);
  });

  test.each([
    ['in the middle', Buffer.from([0x64, 0xff, 0x64])],
    ['at the end', Buffer.from([0xe2, 0x82])],
  ])('refuses bytes that are not UTF-8 %s', (_title, bytes) => {
    expect(() => read(bytes)).toThrow('The events are not UTF-8.');
  });
});
