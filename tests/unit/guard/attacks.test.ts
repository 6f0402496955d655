/**
 * Hostile input to a guard: contents, options and scanners that no caller should pass. The guard decides, and never throws.
 */
import { createAisec } from '../../../bin/library.ts';
import { NetworkError } from '../../../lib/core/errors.ts';
import { createGuard, type Decision, type Guard, type Scanner } from '../../../lib/guard/guard.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { scripted } from './scripted.ts';

const away = () => {
  throw new NetworkError('an error that looks like that of a network');
};
const revoked = Proxy.revocable(new Error('unreadable'), {});
revoked.revoke();

const message = (content: unknown) => [{ role: 'user', content }];

const CONTENTS: readonly [string, unknown][] = [
  [
    'a getter that throws',
    [
      {
        role: 'user',
        get content() {
          return away();
        },
      },
    ],
  ],
  ['a revoked proxy', message(revoked.proxy)],
  ['a message that is null', [null]],
];
const MISUSES: readonly [string, unknown][] = [
  ['no message list', undefined],
  ['null', null],
  ['a text object', new String('BAD')],
  ['no message', []],
];

describe.each(['block', 'allow'] as const)('with onError %s', (onError) => {
  test.each([
    ...CONTENTS.map(([what, content]) => [what, content, 'unreadable'] as const),
    ...MISUSES.map(([what, content]) => [what, content, 'usage'] as const),
  ])('a content with %s is blocked, and nothing is sent', async (_, content, cause) => {
    const { guard, asked } = scripted({ onError });
    expect(await guard.input(content as string)).toMatchObject({ action: 'block', unscanned: cause });
    expect(asked).toEqual([]);
  });

  test.each([[undefined], [null], [5], [['BAD']], [{}], [new String('BAD')]])(
    'an output %p is blocked',
    async (text) => {
      const { guard } = scripted({ onError });
      expect(await guard.output(text as string)).toMatchObject({ action: 'block', unscanned: 'usage' });
    },
  );

  test.each([
    [undefined, 'usage'],
    [null, 'usage'],
    [{ server: 's', tool: 't' }, 'usage'],
    [{ server: 's', tool: 't', input: undefined, output: undefined }, 'usage'],
    [{ server: 's', tool: 't', input: { amount: 1n } }, 'unreadable'],
    [
      {
        get server() {
          return away();
        },
      },
      'unreadable',
    ],
  ])('an unreadable tool call %# is blocked', async (call, cause) => {
    const { guard, asked } = scripted({ onError });
    expect(await guard.tool(call as never)).toMatchObject({ action: 'block', unscanned: cause });
    expect(asked).toEqual([]);
  });

  test.each(['signal', 'session_id'])('a context whose %s cannot be read is blocked', async (name) => {
    const { guard, asked } = scripted({ onError });
    const context = Object.defineProperty({}, name, { enumerable: true, get: away });
    expect(await guard.input('hello', context)).toMatchObject({ action: 'block', unscanned: 'usage' });
    expect(asked).toEqual([]);
  });

  test('an error that cannot be read is blocked', async () => {
    const scanner = { call: () => Promise.reject(revoked.proxy) };
    const guard = createGuard(scanner, { profile: 'prod', onError });
    expect(await guard.input('hello')).toMatchObject({ action: 'block', unscanned: 'usage' });
  });

  test.each([
    ['that is already aborted', () => AbortSignal.abort()],
    ['that is an empty object', () => ({}) as AbortSignal],
  ])('a signal %s is blocked, and nothing is sent', async (_, signal) => {
    const { guard, asked } = scripted({ onError });
    for (const decide of [guard.input('hello', { signal: signal() }), guard.output('hello', { signal: signal() })])
      expect(await decide).toMatchObject({ action: 'block' });
    const held = guard.stream({ signal: signal() });
    expect(await held.push('word '.repeat(100))).toBe('');
    expect(held.blocked).toBe(true);
    expect(asked).toEqual([]);
  });

  test.each(['\ud800', 'a\udc00'])(
    '%j has half of a surrogate pair, which no scan would see, and is blocked',
    async (text) => {
      const aisec = createAisec({ simulate: true });
      const guard = createGuard(aisec, { profile: 'prod', onError });
      expect(await guard.input(text)).toMatchObject({ action: 'block', unscanned: 'usage' });
      expect(await guard.output(text)).toMatchObject({ action: 'block', unscanned: 'usage' });
      await aisec.close();
    },
  );
});

test.each([['B\u200bA\u200bD'], ['\u0000'], ['\ufeffhello']])(
  'the text %j reaches the service unchanged',
  async (text) => {
    const { guard, asked } = scripted();
    await guard.input(text);
    expect(asked.map((scan) => scan.text)).toEqual([text]);
    expect(await guard.input('\ufffd')).toMatchObject({ cached: false });
  },
);

test('a text of a megabyte is decided, and a bad word at its end is found', async () => {
  const { guard } = scripted();
  expect((await guard.input('word '.repeat(200_000))).action).toBe('allow');
  expect((await guard.input(`${'word '.repeat(200_000)}BAD`)).action).toBe('block');
  expect((await guard.tool({ server: 's', tool: 't', input: `${'word '.repeat(200_000)}BAD` })).action).toBe('block');
});

describe('a scanner that never answers', () => {
  const deaf: Scanner = { call: () => new Promise(() => undefined) };
  const kinds: readonly [string, (guard: Guard) => Promise<Decision>][] = [
    ['prompt', (guard) => guard.input('hello')],
    ['response', (guard) => guard.output('hello')],
    ['long response', (guard) => guard.output('word '.repeat(10_000))],
    ['tool call', (guard) => guard.tool({ server: 's', tool: 't', input: 'x' })],
  ];

  scenario.each(kinds.map(([kind, decide]) => ({ kind, decide })))(
    'guard-errors',
    'is given up after the time limit: $kind',
    async ({ decide }) => {
      const guard = (onError: 'block' | 'allow') => createGuard(deaf, { profile: 'prod', timeoutMs: 5, onError });
      expect(await decide(guard('block'))).toMatchObject({ action: 'block', unscanned: 'timeout' });
      expect(await decide(guard('allow'))).toMatchObject({ action: 'allow', unscanned: 'timeout' });
    },
  );

  scenario('guard-cancel', 'is abandoned when the caller leaves', async () => {
    const leaving = new AbortController();
    const guard = createGuard(deaf, { profile: 'prod', timeoutMs: 1_000_000, onError: 'allow' });
    const decided = guard.input('hello', { signal: leaving.signal });
    leaving.abort();
    expect(await decided).toMatchObject({ action: 'block', unscanned: 'cancelled' });
  });

  scenario('guard-cancel', 'is aborted when its time is up', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const told: Scanner = {
      call: (_, __, { signal }) => {
        signals.push(signal as AbortSignal);
        return new Promise(() => undefined);
      },
    };
    await createGuard(told, { profile: 'prod', timeoutMs: 5 }).input('hello');
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });
});

test.each([
  ['throws at once', { call: away }],
  ['returns nothing', { call: async () => undefined }],
  ['is none', {}],
])('a scanner that %s never passes a content as scanned', async (_, scanner) => {
  const decision = await createGuard(scanner as never, { profile: 'prod' }).input('hello');
  expect(decision).toMatchObject({ action: 'block' });
  expect(decision.unscanned).toBeDefined();
});

describe('a listener', () => {
  test.each([
    ['throws', away],
    ['returns a promise that is rejected', () => Promise.reject(new Error('listener'))],
    ['returns an unreadable value', () => revoked.proxy],
  ])('that %s changes nothing', async (_, onDecision) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { guard } = scripted({ onDecision });
    expect((await guard.input('hello')).action).toBe('allow');
    expect((await guard.input('BAD')).action).toBe('block');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  test('cannot change a decision, nor the remembered verdict', async () => {
    const { guard } = scripted({
      onDecision: (decision) => {
        const open = decision as unknown as { action: string; verdict: { action: string; detectors: string[] } };
        for (const change of [
          () => Object.assign(open, { action: 'allow' }),
          () => Object.assign(open.verdict, { action: 'allow' }),
          () => open.verdict.detectors.push('dlp'),
        ])
          expect(change).toThrow(TypeError);
      },
    });
    for (let times = 0; times < 2; times += 1) expect((await guard.input('BAD')).action).toBe('block');
  });
});
