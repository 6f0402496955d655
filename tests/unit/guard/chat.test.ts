/** The guarded handler of chat completions, before a model that answers as a test wants. */
import { type ChatRequestInit, guardChat } from '../../../lib/guard/adapters/http.ts';
import type { GuardOptions } from '../../../lib/guard/guard.ts';
import { scripted, verdictOf } from './scripted.ts';

const CARD = 'Card 4111 1111 1111 1111';
const MASKED = 'Card XXXX XXXX XXXX XXXX';
const MASKS = { mask: { input: true, output: true } };
const ADDRESS = 'http://127.0.0.1/v1/chat/completions';
const MESSAGE = 'This content was blocked by a security policy.';
const REPLACED = { role: 'assistant', content: MESSAGE, refusal: null };
const LONG = 'word '.repeat(300);
const HELLO = { role: 'user', content: 'hello' };
const STOP = { index: 0, delta: {}, finish_reason: 'stop' };

type Json = Readonly<Record<string, unknown>>;

interface Trial {
  readonly guard?: Partial<GuardOptions>;
  readonly body?: unknown;
  readonly head?: RequestInit;
  readonly address?: string;
  readonly model?: (init: ChatRequestInit) => Response | Promise<Response>;
  readonly answer?: Parameters<typeof scripted>[1];
}

const plain = (message: Json, more: Json = {}) =>
  Response.json({ id: 'chat-1', choices: [{ index: 0, message, finish_reason: 'stop', ...more }] });
const piece = (content: string, index = 0) => ({ index, delta: { content }, finish_reason: null });
const lineOf = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (...choices: readonly object[]) => lineOf({ id: 'chat-1', choices });
const events = (...lines: readonly string[]) =>
  new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } });

/** Asks once. */
async function ask({ guard, body = { messages: [HELLO] }, head, address = ADDRESS, model, answer }: Trial) {
  const sent: { readonly url: string; readonly init: ChatRequestInit; readonly body: Json }[] = [];
  const { guard: made, asked } = scripted(guard, answer);
  const chat = guardChat(made, {
    upstream: 'http://127.0.0.1:1/v1/',
    fetch: async (url, init) => {
      sent.push({ url, init, body: JSON.parse(init.body) as Json });
      return (model ?? (() => plain({ content: 'fine' })))(init);
    },
  });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await chat(new Request(address, { method: 'POST', body: text, ...head }));
  return { response, sent, asked };
}

async function answered(trial: Trial) {
  const { response, sent } = await ask(trial);
  const body = (await response.json()) as { readonly choices: readonly Json[]; readonly error: Json };
  return { status: response.status, headers: response.headers, sent, ...body };
}

/** Reads a stream: its choices by index, and all of its text. */
async function streamed(lines: readonly string[], guard: Partial<GuardOptions> = {}) {
  const { response } = await ask({ guard, body: { stream: true, messages: [HELLO] }, model: () => events(...lines) });
  const all = await response.text();
  const choices = all
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .flatMap((line) => (JSON.parse(line.slice(6)) as { choices?: readonly Json[] }).choices ?? []);
  const of = (index: number) => choices.filter((choice) => choice['index'] === index);
  return {
    all,
    choices,
    reasons: (index = 0) => of(index).flatMap(({ finish_reason }) => finish_reason ?? []),
    text: (index = 0, name = 'content') =>
      of(index)
        .map(({ delta }) => (delta as Json)[name] ?? '')
        .join(''),
  };
}

describe('a prompt', () => {
  const PARTS = [{ type: 'text', text: CARD }];
  test.each([
    ['text', { role: 'user', content: CARD }, { role: 'user', content: MASKED }],
    ['parts', { role: 'user', content: PARTS }, { role: 'user', content: [{ type: 'text', text: MASKED }] }],
    ['result of a tool', { role: 'tool', content: CARD }, { role: 'tool', content: MASKED }],
    ['result of a function', { role: 'function', content: CARD }, { role: 'function', content: MASKED }],
  ])('that is a %s reaches the model masked, in each turn', async (_, message, masked) => {
    const later = [{ role: 'assistant', content: 'fine' }, HELLO];
    for (const [given, sent] of [
      [[message], [masked]],
      [
        [message, ...later],
        [masked, ...later],
      ],
    ])
      expect((await ask({ guard: MASKS, body: { messages: given } })).sent[0]?.body['messages']).toEqual(sent);
  });

  test.each([
    ['has a form that no mask fits', [{ role: 'user', content: [{ type: 'unknown', card: CARD }] }]],
    ['stands beside a file', [{ role: 'user', content: [{ type: 'file', file: { filename: CARD } }] }]],
    ['is seen only together', ['Card 4111 1111', '1111 1111'].map((content) => ({ role: 'user', content }))],
    ['is bad as well', [{ role: 'user', content: `${CARD} BAD` }]],
  ])('is refused where what should be masked %s', async (_, messages) => {
    // The service sees through the line between two messages.
    const answer = (text: string, kind: 'prompt' | 'response') => verdictOf(text.replace('\n', ' '), kind);
    const { response, sent } = await ask({ guard: MASKS, body: { messages }, answer });
    expect([response.status, sent]).toEqual([400, []]);
  });

  test('is refused where an earlier text that may need a mask has no verdict', async () => {
    const messages = [{ role: 'user', content: CARD }, { role: 'assistant', content: 'fine' }, HELLO];
    const answer = (text: string, kind: 'prompt' | 'response') => (text === CARD ? {} : verdictOf(text, kind));
    const { response, sent } = await ask({ guard: MASKS, body: { messages }, answer });
    expect([response.status, sent]).toEqual([503, []]);
  });

  test.each([
    ['BAD', {}, 400],
    [CARD, {}, 400],
    ['hello', { timeoutMs: 100 }, 503],
  ])('%s with %j does not reach the model: %s', async (content, guard, status) => {
    const answer = status === 503 ? () => ({}) : undefined;
    const body = { messages: [{ role: 'user', content }] };
    const { sent, error, ...refused } = await answered({ guard, body, ...(answer === undefined ? {} : { answer }) });
    expect([sent, refused.status, error]).toEqual([
      [],
      status,
      { message: MESSAGE, type: 'guard', param: null, code: 'content_filter' },
    ]);
  });

  test.each([
    ['', 400],
    ['{', 400],
    ['[]', 400],
    ['{"messages":"hello"}', 400],
    ['{"messages":[]}', 400],
    ['{"messages":[{"content":"hello"}]}', 400],
    ['{"prompt":"hello"}', 400],
    [`{"messages":[{"role":"user","content":${'['.repeat(5000)}${']'.repeat(5000)}}]}`, 400],
    [`{"messages":"${'a'.repeat(8 * 1024 * 1024)}"}`, 413],
  ])('in the body %.50s is refused', async (body, status) => {
    const { response, sent } = await ask({ body });
    expect([response.status, sent]).toEqual([status, []]);
  });

  test.each([
    ['http://127.0.0.1/v1/models', {}],
    ['http://127.0.0.1/v1/chat/completions/chat-1', {}],
    [ADDRESS, { method: 'PUT' }],
  ])('to %s with %j is not found', async (address, head) => {
    const { response, sent } = await ask({ address, head });
    expect([response.status, sent]).toEqual([404, []]);
  });

  test('reaches the model with its key, with other members as they are, and asks for no probabilities', async () => {
    const body = { messages: [HELLO], temperature: 0.5, logprobs: true, top_logprobs: 3 };
    const { sent } = await ask({ body, head: { headers: { authorization: 'Bearer key', cookie: 'a=b' } } });
    expect(sent).toMatchObject([
      {
        url: 'http://127.0.0.1:1/v1/chat/completions',
        init: { headers: { authorization: 'Bearer key', 'content-type': 'application/json' } },
      },
    ]);
    expect(sent[0]?.body).toEqual({ messages: [HELLO], temperature: 0.5 });
    expect(sent[0]?.init.headers).not.toHaveProperty('cookie');
  });
});

test('a handler needs the address of a model', () => {
  for (const options of [undefined, {}, { upstream: '' }, { upstream: 'api.openai.com' }, { upstream: 'http://a/?b' }])
    expect(() => guardChat(scripted().guard, options as never)).toThrow('guardChat needs the address');
});

const callOf = (input: string, more: Json = {}) => ({
  id: 'call_1',
  type: 'function',
  function: { name: 'send', arguments: input },
  ...more,
});
const CALLS: readonly (readonly [string, Json, boolean])[] = [
  ['good', callOf('{}'), true],
  ['without input', callOf(''), true],
  ['bad', callOf('{"body":"BAD"}'), false],
  ['custom', { id: 'call_1', type: 'custom', custom: { name: 'run', input: 'fine' } }, true],
  ['custom and bad', { id: 'call_1', type: 'custom', custom: { name: 'run', input: 'BAD' } }, false],
  ['with a bad name', callOf('{}', { function: { name: 'BAD news', arguments: '{}' } }), false],
  ['with a bad id', callOf('{}', { id: 'BAD news' }), false],
  ['with another member', callOf('{}', { extra_content: { signature: 'fine' } }), true],
  ['with another member that is bad', callOf('{}', { extra_content: { signature: 'BAD' } }), false],
  ['with an input that is no text', callOf('{}', { function: { name: 'send', arguments: { body: 'BAD' } } }), false],
];

describe('a plain answer', () => {
  test.each([
    [{ content: 'fine' }, { content: 'fine' }],
    [{ content: CARD }, { content: MASKED }],
    [
      { content: 'fine', reasoning_content: CARD },
      { content: 'fine', reasoning_content: MASKED },
    ],
    [
      { content: null, refusal: 'no', audio: { data: 'BAD' }, annotations: ['BAD'] },
      { content: null, refusal: 'no' },
    ],
  ])('%j passes as %j', async (message, passed) => {
    const model = () => plain(message, { logprobs: { content: [{ token: 'BAD' }] }, other: 'BAD' });
    const { choices } = await answered({ guard: MASKS, model });
    expect(choices).toEqual([{ index: 0, message: { role: 'assistant', ...passed }, finish_reason: 'stop' }]);
  });

  test.each([[{ content: `${LONG}BAD` }], [{ content: CARD }], [{ content: 'fine', refusal: 'BAD' }]])(
    'is replaced if a text of it is bad',
    async (message) => {
      const { choices } = await answered({ model: () => plain(message) });
      expect(choices).toMatchObject([
        { message: { role: 'assistant', content: MESSAGE }, finish_reason: 'content_filter' },
      ]);
    },
  );

  test.each(CALLS)('with a call that is %s passes or is replaced', async (_, call, passes) => {
    const { choices } = await answered({ model: () => plain({ content: null, tool_calls: [call] }) });
    expect(choices[0]?.['finish_reason']).toBe(passes ? 'stop' : 'content_filter');
    expect(choices[0]).toEqual(
      expect.objectContaining({ message: passes ? expect.objectContaining({ tool_calls: [call] }) : REPLACED }),
    );
  });

  test.each([
    ['nothing', () => new Response(null)],
    ['no JSON', () => new Response('hello')],
    ['no choices', () => Response.json({ hello: 1 })],
    ['an error in place of choices', () => Response.json({ error: { message: 'BAD' } })],
    ['a connection that fails', () => Promise.reject(new TypeError('fetch failed'))],
    ['more than can be held', () => new Response('a'.repeat(8 * 1024 * 1024 + 1))],
  ])('is 502 where the model sends %s', async (_, model) => {
    const { status, error } = await answered({ model });
    expect(status).toBe(502);
    expect(JSON.stringify(error)).not.toContain('BAD');
  });

  test.each([
    [429, { error: { message: 'Slow down.', code: 'rate_limit' } }, { message: 'Slow down.', code: 'rate_limit' }],
    [500, { detail: 'Broken.' }, { message: 'Broken.', code: null }],
    [
      400,
      { error: { message: 'fine', failed_generation: 'BAD', code: 'a BAD text' } },
      { message: 'fine', code: null },
    ],
    [400, { error: { message: 'BAD' } }, { message: MESSAGE }],
  ])('%s passes as an error without text of the model', async (status, body, error) => {
    const model = () => Response.json(body, { status, headers: { 'retry-after': '7' } });
    const failed = await answered({ model });
    expect([failed.status, failed.headers.get('retry-after'), failed.error]).toMatchObject([status, '7', error]);
    expect(JSON.stringify(failed.error)).not.toContain('BAD');
  });
});

describe('a stream', () => {
  test('passes, with what is known beside its choices', async () => {
    const { text, reasons, all } = await streamed([
      ': comment\r\n\r\n',
      lineOf({ id: 'chat-1', other: 'BAD', choices: [{ ...piece(LONG), logprobs: 'BAD' }] }),
      chunk(STOP),
      lineOf({ choices: [], usage: { total_tokens: 3 } }),
      'data: [DONE]',
    ]);
    expect([text(), reasons()]).toEqual([LONG, ['stop']]);
    expect(all).not.toContain('BAD');
    expect(all.endsWith('data: {"usage":{"total_tokens":3},"choices":[]}\n\ndata: [DONE]\n\n')).toBe(true);
  });

  test('is cut before the bad text, and ends all choices that are open', async () => {
    const { text, reasons, all } = await streamed([
      chunk(piece('first', 0)),
      chunk(piece('second', 1), { ...piece('third', 2), finish_reason: 'stop' }),
      chunk(piece(`${LONG}BAD ${LONG}`, 1)),
      chunk(piece('never', 3), STOP),
    ]);
    expect([0, 1, 2, 3].map((index) => reasons(index))).toEqual([['content_filter'], ['content_filter'], ['stop'], []]);
    expect(`second${LONG}`.startsWith(text(1))).toBe(true);
    expect(text(1).length).toBeGreaterThan(500);
    expect([text(0), text(2)]).toEqual(['', 'third']);
    expect(all).not.toMatch(/BAD|never/);
    expect(all.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('of a chunk with several choices is cut for those before and after the bad choice', async () => {
    const { reasons, all } = await streamed([
      chunk(piece('a', 0), { ...piece('BAD', 1), finish_reason: 'stop' }, piece('c', 2)),
    ]);
    expect([0, 1, 2].flatMap((index) => reasons(index))).toEqual(Array(3).fill('content_filter'));
    expect(all).not.toContain('BAD');
  });

  test('is masked', async () => {
    const { text, reasons } = await streamed(
      [chunk(piece('Card 4111 1111 ')), chunk(piece('1111 1111')), chunk(STOP)],
      MASKS,
    );
    expect([text(), reasons()]).toEqual([MASKED, ['stop']]);
  });

  test.each(CALLS)('with a call that is %s passes it whole or not at all', async (_, call, passes) => {
    const pieces = callInPieces(call);
    const { choices, reasons } = await streamed([
      ...pieces.map((part) => chunk({ index: 0, delta: { tool_calls: [part] }, finish_reason: null })),
      chunk({ ...STOP, finish_reason: 'tool_calls' }),
    ]);
    expect(reasons()).toEqual([passes ? 'tool_calls' : 'content_filter']);
    const calls = choices.flatMap(({ delta }) => (delta as Json)['tool_calls'] ?? []);
    expect(calls).toEqual(passes ? [{ index: 0, ...call }] : []);
  });

  test('says nothing more of a choice that has ended', async () => {
    const calls = { index: 0, delta: { tool_calls: [callOf('{}')], content: 'more' }, finish_reason: 'stop' };
    const { all, reasons } = await streamed([chunk(piece('fine')), chunk(STOP), chunk(calls)]);
    expect(reasons()).toEqual(['stop']);
    expect(all).not.toMatch(/more|call_1/);
  });

  test.each([
    ['without a choice', []],
    ['without a choice that ends', [chunk(piece('half'))]],
    ['where one of two ends', [chunk(piece('half', 0), piece('half', 1)), chunk(STOP), 'data: [DONE]\n\n']],
    ['with a chunk that is no JSON', [chunk(STOP), 'data: {"choices"\n\n']],
  ])('%s breaks off', async (_, lines) => {
    await expect(streamed(lines)).rejects.toThrow();
  });

  test('with an error passes the error, and has no end', async () => {
    const { all } = await streamed([chunk(piece('half')), lineOf({ error: { message: 'Broken.', other: 'BAD' } })]);
    expect(all).toContain('"error":{"message":"Broken."');
    expect(all).not.toMatch(/BAD|DONE|half/);
  });

  test('is known by its type, whatever the request says', async () => {
    const { response } = await ask({ model: () => events(chunk(piece('BAD')), chunk(STOP)) });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).not.toContain('BAD');
  });

  /** A model that never ends. */
  function endless(state: { taken: number; isLeft: boolean }, text: string) {
    const encoder = new TextEncoder();
    const body = new ReadableStream(
      {
        pull: (controller) => {
          state.taken += 1;
          controller.enqueue(encoder.encode(chunk(piece(text))));
        },
        cancel: () => {
          state.isLeft = true;
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  test('is read as fast as its reader takes it, and ends at the model when the reader leaves', async () => {
    const state = { taken: 0, isLeft: false };
    const { response, sent } = await ask({ model: () => endless(state, LONG) });
    expect(state.taken).toBe(0);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.read();
    await new Promise((done) => setImmediate(done));
    expect(state.taken).toBe(2);
    await reader?.cancel();
    await new Promise((done) => setImmediate(done));
    expect([state.isLeft, sent[0]?.init.signal.aborted]).toEqual([true, true]);
  });

  test('ends at the model with a cut', async () => {
    const state = { taken: 0, isLeft: false };
    const { response, sent } = await ask({ model: () => endless(state, `${LONG}BAD`) });
    await response.text();
    expect([state.isLeft, sent[0]?.init.signal.aborted]).toEqual([true, true]);
  });

  test('ends at the model when the request is aborted, also before it is asked', async () => {
    const state = { taken: 0, isLeft: false };
    const leaving = new AbortController();
    const head = { signal: leaving.signal };
    const { sent } = await ask({ head, model: () => endless(state, LONG) });
    leaving.abort();
    expect(sent[0]?.init.signal.aborted).toBe(true);
    const late = await ask({ head });
    expect([late.response.status, late.sent]).toEqual([503, []]);
  });
});

/** Splits the texts of a call, as models send it. */
function callInPieces(call: Json): readonly Json[] {
  const name = call['type'] === 'custom' ? 'custom' : 'function';
  const made = call[name] as Json;
  const [input, text] = Object.entries(made).find(([each]) => each !== 'name') ?? ['', ''];
  if (typeof text !== 'string') return [{ index: 0, ...call }];
  const half = Math.ceil(text.length / 2);
  return [
    { index: 0, ...call, [name]: { ...made, [input]: text.slice(0, half) } },
    { index: 0, id: null, [name]: { name: null, [input]: text.slice(half) } },
  ];
}
