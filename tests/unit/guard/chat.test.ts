/** The guarded chat completions handler, in front of a model that answers as a test wants. */

import { NetworkError } from '../../../lib/core/errors.ts';
import { type ChatRequestInit, guardChat } from '../../../lib/guard/adapters/http.ts';
import type { GuardOptions } from '../../../lib/guard/guard.ts';
import { CARD, MASKED, MESSAGE, scripted, verdictOf } from './scripted.ts';

const MASKS = { mask: { input: true, output: true } };
const ADDRESS = 'http://127.0.0.1/v1/chat/completions';
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

/** Returns the choices of a stream. */
function choicesIn(all: string): readonly Json[] {
  return all
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .flatMap((line) => (JSON.parse(line.slice(6)) as { choices?: readonly Json[] }).choices ?? []);
}

/** Returns the text of choices; for parts, their texts. */
function textIn(choices: readonly Json[], name = 'content'): string {
  const texts = choices.map(({ delta }) => ((delta ?? {}) as Json)[name] ?? '');
  const ofParts = (each: unknown) =>
    Array.isArray(each) ? each.map((part: Json) => part['text'] ?? '').join('') : each;
  return texts.map(ofParts).join('');
}

/** Reads a stream: its choices by index, and its whole text. */
async function streamed(lines: readonly string[], guard: Partial<GuardOptions> = {}) {
  const { response } = await ask({ guard, body: { stream: true, messages: [HELLO] }, model: () => events(...lines) });
  const all = await response.text();
  const choices = choicesIn(all);
  const of = (index: number) => choices.filter((choice) => (choice['index'] ?? 0) === index);
  return {
    all,
    choices,
    reasons: (index = 0) => of(index).flatMap(({ finish_reason }) => finish_reason ?? []),
    text: (index = 0, name = 'content') => textIn(of(index), name),
    calls: () => choices.flatMap(({ delta }) => (((delta ?? {}) as Json)['tool_calls'] ?? []) as readonly Json[]),
  };
}

describe('a prompt', () => {
  const later = [{ role: 'assistant', content: 'fine' }, HELLO];
  test.each([
    ['text', [{ role: 'user', content: CARD }], [{ role: 'user', content: MASKED }]],
    [
      'text of an earlier turn',
      [{ role: 'user', content: CARD }, ...later],
      [{ role: 'user', content: MASKED }, ...later],
    ],
    ['tool result', [{ role: 'tool', content: CARD }], [{ role: 'tool', content: MASKED }]],
  ])('in a %s reaches the model masked', async (_, messages, masked) => {
    expect((await ask({ guard: MASKS, body: { messages } })).sent[0]?.body['messages']).toEqual(masked);
  });

  const together = (text: string, kind: 'prompt' | 'response') => verdictOf(text.replace('\n', ' '), kind);
  const unread = (text: string, kind: 'prompt' | 'response') => (text === CARD ? {} : verdictOf(text, kind));
  test.each<[string, readonly object[], number, typeof unread]>([
    [
      'should be masked next to a file',
      [{ role: 'user', content: [{ type: 'file', file: { filename: CARD } }] }],
      400,
      together,
    ],
    [
      'should be masked only together',
      ['Card 4111 1111', '1111 1111'].map((content) => ({ role: 'user', content })),
      400,
      together,
    ],
    ['has no verdict and may need a mask', [{ role: 'user', content: CARD }, ...later], 503, unread],
  ])('is refused if text in it %s', async (_, messages, status, answer) => {
    const { response, sent } = await ask({ guard: MASKS, body: { messages }, answer });
    expect([response.status, sent]).toEqual([status, []]);
  });

  test.each([
    ['BAD', {}, 400],
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
    ['allow', 200, 1],
    ['block', 503, 0],
  ] as const)('follows onError %s while the service is unreachable', async (onError, status, asked) => {
    const answer = () => {
      throw new NetworkError('away');
    };
    for (const stream of [false, true]) {
      const { response, sent } = await ask({ guard: { onError }, body: { stream, messages: [HELLO] }, answer });
      expect([response.status, sent.length]).toEqual([status, asked]);
      expect((await response.text()).includes('fine')).toBe(onError === 'allow');
    }
  });

  test.each([
    ['', 400],
    ['{"messages":[{"content":"hello"}]}', 400],
    [`{"messages":[{"role":"user","content":${'['.repeat(5000)}${']'.repeat(5000)}}]}`, 400],
    [`{"messages":"${'a'.repeat(8 * 1024 * 1024)}"}`, 413],
    ['{"messages":[{"role":"user","content":"BAD","content":"fine"}]}', 400],
    ['{"messages":[{"role":"user","content":"fine"}],"tools":[{"function":{"name":"a","description":"BAD"}}]}', 400],
    ['{"messages":[{"role":"user","content":"fine"}],"functions":[{"name":"BAD"}]}', 400],
  ])('in the body %.50s is refused', async (body, status) => {
    const { response, sent } = await ask({ body });
    expect([response.status, sent]).toEqual([status, []]);
  });

  test.each([
    ['another charset', { headers: { 'content-type': 'application/json; charset=utf-16le' } }],
    ['bytes that are no UTF-8', { body: Buffer.from('{"messages":[{"role":"user","content":"\xff"}]}', 'latin1') }],
  ])('with %s is refused', async (_, head) => {
    const { response, sent } = await ask({ head });
    expect([response.status, sent]).toEqual([400, []]);
  });

  test('reaches the model unchanged, and keeps all digits of its integers if a verdict changes it', async () => {
    const [before, after] = [
      '{ "seed": 12345678901234567890, "messages": [{"role":"user","content":"',
      '"}], "top_p": 1.0, "user": "98765432109876543210" }',
    ];
    for (const [content, passed] of [
      ['\\u0066ine', undefined],
      [
        CARD,
        '{"seed":12345678901234567890,"messages":[{"role":"user","content":"Card XXXX XXXX XXXX XXXX"}],"top_p":1,"user":"98765432109876543210"}',
      ],
    ] as const) {
      const { sent } = await ask({ guard: MASKS, body: before + content + after });
      expect(sent[0]?.init.body).toBe(passed ?? before + content + after);
    }
  });

  test.each([
    ['http://127.0.0.1/v1/models', {}],
    [ADDRESS, { method: 'PUT' }],
  ])('to %s with %j is not found', async (address, head) => {
    const { response, sent } = await ask({ address, head });
    expect([response.status, sent]).toEqual([404, []]);
  });

  test('reaches the model with its key and with other members unchanged, but without a request for probabilities', async () => {
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
    expect(() => guardChat(scripted().guard, options as never)).toThrow('guardChat needs the model address');
});

const callOf = (input: string, more: Json = {}) => ({
  id: 'call_1',
  type: 'function',
  function: { name: 'send', arguments: input },
  ...more,
});
/** Masking these would show them twice: joined, and read separately. */
const IN_WORD = [`${CARD} a`, 'b'].map((text) => ({ type: 'text', text }));
const JSON_HEAD = { 'content-type': 'application/json' };
const CALLS: readonly (readonly [string, Json, boolean])[] = [
  ['good', callOf('{}'), true],
  ['without input', callOf(''), true],
  ['bad', callOf('{"body":"BAD"}'), false],
  ['bad behind an escape', callOf(String.raw`{"body":"B\u0041D"}`), false],
  ['with a member twice', callOf('{"body":"BAD","body":"fine"}'), false],
  ['with an input that is not JSON', callOf('{"body":"fine"'), false],
  [
    'with an input that is not a string',
    callOf('{}', { function: { name: 'send', arguments: { body: 'BAD' } } }),
    false,
  ],
];

describe('a plain answer', () => {
  const PARTS = [
    { type: 'text', text: 'Card 4111 1111 ' },
    { type: 'text', text: '1111 1111' },
  ];
  test.each([
    [{ content: 'fine' }, { content: 'fine' }],
    [{ content: CARD }, { content: MASKED }],
    [
      { content: PARTS, reasoning: 'fine' },
      { content: [{ type: 'text', text: MASKED }], reasoning: 'fine' },
    ],
    [
      { content: null, refusal: 'no', audio: { data: 'BAD' }, annotations: ['BAD'] },
      { content: null, refusal: 'no' },
    ],
    [{ content: CARD, annotations: [{ title: 'fine' }] }, { content: MASKED }],
    [{ content: 'fine', audio: { id: 'a', data: '/+MYxAAA', transcript: 'BAD' } }, { content: 'fine' }],
  ])('%j passes as %j', async (message, passed) => {
    const model = () =>
      plain({ role: 'assistant', ...message }, { logprobs: { content: [{ token: 'BAD' }] }, other: 'BAD' });
    const { choices } = await answered({ guard: MASKS, model });
    expect(choices).toEqual([{ index: 0, message: { role: 'assistant', ...passed }, finish_reason: 'stop' }]);
  });

  test('passes byte for byte where no verdict changes it', async () => {
    const text = `{ "id": "chat-1", "seed": 12345678901234567890,
      "choices": [ {"index":0, "finish_reason": "stop", "message": {"role":"assistant", "content":"\\u0066ine", "n": 1.0}} ],
      "usage": {"cost": 9007199254740993, "details": {"cached": null}}, "citations": ["http:\\/\\/a.example"] }`;
    const { response } = await ask({ model: () => new Response(text, { headers: JSON_HEAD }) });
    expect(await response.text()).toBe(text);
  });

  test.each([
    ['a doubled member', '{"choices":[{"index":0,"message":{"content":"BAD","content":"fine"}}]}', {}],
    ['another charset', '{"choices":[{"index":0,"message":{"content":"fine"}}]}', { charset: 'utf-16' }],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), {}],
  ])('with %s is 502', async (_, body, { charset }: { readonly charset?: string }) => {
    const type = `application/json${charset === undefined ? '' : `; charset=${charset}`}`;
    const model = () => new Response(body, { headers: { 'content-type': type } });
    expect((await answered({ model })).status).toBe(502);
  });

  test.each<readonly [Json]>([
    [{ content: CARD }],
    [{ content: 'fine', refusal: 'BAD' }],
    [{ content: null, function_call: { name: 'send', arguments: '{"body":"BAD"}' } }],
  ])('is replaced if one of its texts is bad', async (message) => {
    const { choices } = await answered({ model: () => plain(message) });
    expect(choices).toMatchObject([{ message: REPLACED, finish_reason: 'content_filter' }]);
  });

  test('is replaced if separately read parts would have to be masked', async () => {
    const { choices } = await answered({ guard: MASKS, model: () => plain({ content: IN_WORD }) });
    expect(choices).toMatchObject([{ message: REPLACED, finish_reason: 'content_filter' }]);
  });

  test('loses a call that is not an object', async () => {
    const { choices } = await answered({ model: () => plain({ content: 'fine', tool_calls: ['BAD', ['BAD']] }) });
    expect(choices).toMatchObject([{ message: { content: 'fine' } }]);
    expect(JSON.stringify(choices)).not.toContain('BAD');
  });

  test.each(CALLS)('with a call that is %s passes or is replaced', async (_, call, passes) => {
    const { choices } = await answered({ model: () => plain({ content: null, tool_calls: [call] }) });
    expect(choices[0]?.['finish_reason']).toBe(passes ? 'stop' : 'content_filter');
    expect(choices[0]).toEqual(
      expect.objectContaining({ message: passes ? { content: null, tool_calls: [call] } : REPLACED }),
    );
  });

  test.each([
    ['nothing', () => new Response(null)],
    ['no choices', () => Response.json({ hello: 1 })],
    ['a connection that fails', () => Promise.reject(new TypeError('fetch failed'))],
  ])('is 502 if the model sends %s', async (_, model) => {
    const { status, error } = await answered({ model });
    expect(status).toBe(502);
    expect(JSON.stringify(error)).not.toContain('BAD');
  });

  test.each([
    [429, { error: { message: 'Slow down.', code: 'rate_limit' } }, { message: 'Slow down.', code: 'rate_limit' }],
    [
      400,
      { error: { message: 'fine', failed_generation: 'BAD', code: 'a BAD text' } },
      { message: 'fine', code: null },
    ],
  ])('%s passes as an error without text from the model', async (status, body, error) => {
    const model = () => Response.json(body, { status, headers: { 'retry-after': '7' } });
    const failed = await answered({ model });
    expect([failed.status, failed.headers.get('retry-after'), failed.error]).toMatchObject([status, '7', error]);
    expect(JSON.stringify(failed.error)).not.toContain('BAD');
  });
});

describe('a stream', () => {
  test('passes, with the known members next to its choices', async () => {
    const { text, reasons, all } = await streamed([
      ': comment\r\n\r\n',
      lineOf({ id: 'chat-1', other: 'BAD', choices: [{ ...piece(LONG), logprobs: 'BAD' }] }),
      chunk(STOP),
      lineOf({ choices: [], usage: { total_tokens: 3 } }),
      'data: [DONE]',
    ]);
    expect([text(), reasons()]).toEqual([LONG, ['stop']]);
    expect(all).not.toContain('BAD');
    expect(all.endsWith('data: {"choices":[],"usage":{"total_tokens":3}}\n\ndata: [DONE]\n\n')).toBe(true);
  });

  test('is cut before the bad text, and ends all open choices', async () => {
    const { text, reasons, all } = await streamed([
      chunk(piece('first', 0)),
      chunk(piece('second', 1), { ...piece('third', 2), finish_reason: 'stop' }),
      chunk(piece(`${LONG}BAD ${LONG}`, 1)),
      chunk(piece('never', 3), STOP),
    ]);
    expect([0, 1, 2, 3].map((index) => reasons(index))).toEqual([...Array(3).fill(['content_filter']), []]);
    expect(`second${LONG}`.startsWith(text(1))).toBe(true);
    expect(text(1).length).toBeGreaterThan(500);
    expect([text(0), text(2)]).toEqual(['', '']);
    expect(all).not.toMatch(/BAD|never/);
    expect(all.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test.each(CALLS)('with a call that is %s passes all of the call or none', async (_, call, passes) => {
    const pieces = callInPieces(call);
    const { choices, reasons } = await streamed([
      ...pieces.map((part) => chunk({ index: 0, delta: { tool_calls: [part] }, finish_reason: null })),
      chunk({ ...STOP, finish_reason: 'tool_calls' }),
    ]);
    expect(reasons()).toEqual([passes ? 'tool_calls' : 'content_filter']);
    const calls = choices.flatMap(({ delta }) => (delta as Json)['tool_calls'] ?? []);
    expect(calls).toEqual(passes ? [{ index: 0, ...call }] : []);
  });

  test.each<[string, readonly string[], string | undefined]>([
    ['an empty finish reason in each chunk', ['', '', 'stop'], 'stop'],
    ['the finish reason of the end in each chunk', ['stop', 'stop', 'stop'], 'stop'],
    ['no finish reason at all', ['', '', ''], undefined],
  ])('with %s is complete only with its last event', async (_, given, reason) => {
    const pieces = ['Card 4111 ', '1111 1111 ', '1111'].map((content, at) =>
      chunk({ ...piece(content), finish_reason: given[at] ?? null }),
    );
    const { text, reasons } = await streamed([...pieces, 'data: [DONE]\n\n'], MASKS);
    expect([text(), reasons()]).toEqual([MASKED, reason === undefined ? [] : [reason]]);
  });

  test('passes chunks after the finish reason', async () => {
    const { text, calls, reasons } = await streamed([
      chunk({ ...piece('first '), finish_reason: 'stop' }),
      chunk({ index: 0, delta: { content: 'second', tool_calls: [callOf('{}')] }, finish_reason: 'tool_calls' }),
    ]);
    expect([text(), calls(), reasons()]).toEqual(['first second', [{ index: 0, ...callOf('{}') }], ['tool_calls']]);
  });

  const made = (name: string, id?: string, index?: number, input = '{"a":1}') => ({
    ...(index === undefined ? {} : { index }),
    ...(id === undefined ? {} : { id }),
    function: { name, arguments: input },
  });
  test.each<[string, readonly (readonly Json[])[], readonly string[]]>([
    ['neither index nor id', [[made('a')], [made('a')]], ['a {"a":1}', 'a {"a":1}']],
    ['one id for two indexes', [[made('a', '1', 0)], [made('b', '1', 1)]], ['a {"a":1}', 'b {"a":1}']],
    [
      'index 0 in pieces',
      [[made('a', '1', 0, '{"a"')], [made('', '', 0, ':1}')], [made('b', '2', 0)]],
      ['a {"a":1}', 'b {"a":1}'],
    ],
    ['id and name in each piece', [[made('a', '1', 0, '{"a"')], [made('a', '1', 0, ':1}')]], ['a {"a":1}']],
    [
      'pieces that alternate',
      [
        [made('a', '1', 0, '{'), made('b', '2', 1, '{')],
        [made('', '', 1, '}'), made('', '', 0, '}')],
      ],
      ['a {}', 'b {}'],
    ],
  ])('with parallel calls that have %s keeps them separate', async (_, pieces, expected) => {
    const lines = pieces.map((tool_calls) => chunk({ index: 0, delta: { tool_calls }, finish_reason: null }));
    const { calls, reasons } = await streamed([...lines, chunk({ ...STOP, finish_reason: 'tool_calls' })]);
    const told = calls().map(({ function: called, index }) => [index, Object.values(called as Json).join(' ')]);
    expect([told, reasons()]).toEqual([[...expected.entries()].map((each) => [...each]), ['tool_calls']]);
  });

  const delta = (value: unknown, more: Json = {}) => chunk({ index: 0, delta: value, ...more });
  test('with parts of another form, or data over two lines, loses nothing', async () => {
    const part = { type: 'thinking', thinking: 'fine' };
    const lines = [
      delta({ content: [part] }),
      'data: {"choices":[{"index":0,\ndata: "delta":{"content":"fine"}}]}\n\n',
    ];
    const { all, text, reasons } = await streamed([...lines, chunk(STOP), 'data: [DONE]\n\n', 'data: [DONE]\n\n']);
    expect([text(), all.includes(JSON.stringify(part)), reasons()]).toEqual(['fine', true, ['stop']]);
  });

  test.each<[string, readonly string[]]>([
    ['parts', [delta({ content: [{ type: 'text', text: 'B' }] }), delta({ content: [{ type: 'text', text: 'AD' }] })]],
    [
      'a text and parts of another form',
      [delta({ content: 'B' }), delta({ content: [{ type: 'text', text: 'AD' }, { type: 'later' }] })],
    ],
    [
      'a call in the earlier format',
      [delta({ function_call: { name: 'a', arguments: '{"a":"B' } }), delta({ function_call: { arguments: 'AD"}' } })],
    ],
    ['a text behind an escape', ['data: {"choices":[{"index":0,"delta":{"content":"\\u0042AD"}}]}\n\n']],
  ])('with bad content in %s is refused', async (_, lines) => {
    const { all, reasons } = await streamed([...lines, chunk(STOP)]);
    expect(reasons()).toEqual(['content_filter']);
    expect(all).not.toMatch(/BAD|AD"/);
  });

  test.each<[string, readonly string[]]>([
    ['annotations', [delta({ annotations: [{ title: 'B' }] }), delta({ annotations: [{ title: 'BAD' }] })]],
    ...['text', 'summary'].map((name): [string, string[]] => [
      `reasoning in pieces of ${name}`,
      ['B', 'AD'].map((said) => delta({ reasoning_details: [{ type: `reasoning.${name}`, [name]: said, index: 0 }] })),
    ]),
    ['a member of the choice', [chunk({ index: 0, delta: {}, later: 'BAD' })]],
    ['an identifier with words', [lineOf({ id: 'so BAD', choices: [] })]],
  ])('loses bad content in %s', async (_, lines) => {
    const { all, text } = await streamed([delta({ content: 'fine' }), ...lines, chunk(STOP)]);
    expect(text()).toBe('fine');
    expect(all).not.toMatch(/BAD|"AD"/);
  });

  test('passes members next to a text once all of it is cleared, and drops them next to a mask', async () => {
    const lines = [delta({ content: CARD, annotations: [{ title: 'fine' }] }), chunk(STOP)];
    const { all, text } = await streamed(lines, MASKS);
    expect([text(), all.includes('annotations')]).toEqual([MASKED, false]);
  });

  test('keeps the digits of its numbers, and usage after the end', async () => {
    const usage = '{"choices":[],"usage":{"cost":0.5}}';
    const { all } = await streamed(
      [
        '{"id":"chat-1","created":12345678901234567890,"choices":[{"index":0,"delta":{"content":"fine"}}]}',
        '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
        usage,
      ].map((data) => `data: ${data}\n\n`),
    );
    expect(all).toContain('12345678901234567890');
    expect(all.endsWith(`"finish_reason":"stop"}]}\n\ndata: ${usage}\n\ndata: [DONE]\n\n`)).toBe(true);
  });

  test.each([
    [
      'with a member twice',
      ['data: {"choices":[{"index":0,"delta":{"content":"BAD","content":"fine"}}]}\n\n', chunk(STOP)],
    ],
    ['without a choice that ends', [chunk(piece('half'))]],
    [
      'in which only one of two choices ends',
      [chunk(piece('half', 0), piece('half', 1)), chunk(STOP), 'data: [DONE]\n\n'],
    ],
  ])('%s breaks off', async (_, lines) => {
    await expect(streamed(lines)).rejects.toThrow();
  });

  test('with an error passes the error, and has no end', async () => {
    const { all } = await streamed([chunk(piece('half')), lineOf({ error: { message: 'Broken.', other: 'BAD' } })]);
    expect(all).toContain('"error":{"message":"Broken."');
    expect(all).not.toMatch(/BAD|DONE|half/);
  });

  test('is recognized by its type, whatever the request says', async () => {
    const { response } = await ask({ model: () => events(chunk(piece('BAD')), chunk(STOP)) });
    expect(await response.text()).not.toContain('BAD');
  });

  /** A model that never stops. */
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

  test('is read at the speed of its reader, and is ended at the model when the reader leaves', async () => {
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

  test('is ended at the model when the request is aborted, even before the model receives it', async () => {
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

/** Splits the texts of a call as models send them. */
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
