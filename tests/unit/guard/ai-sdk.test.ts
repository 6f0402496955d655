/**
 * The guard around a model and tools of the Vercel AI SDK, through the interface members that it uses. `npm run
 * test:guard-frameworks` tests the real framework.
 */

import { guardTools, toolApproval } from '../../../lib/guard/adapters/ai-sdk/tools.ts';
import { type AiSdkOptions, guardMiddleware as guardMiddlewareOf } from '../../../lib/guard/adapters/ai-sdk.ts';
import type { Guard } from '../../../lib/guard/guard.ts';
import { CARD, LONG, MASKED, MESSAGE, scripted, verdictOf } from './scripted.ts';

type Part = Readonly<Record<string, unknown>> & { readonly type: string };

interface Answer {
  readonly content: readonly Part[];
  readonly finishReason: unknown;
}

/** The middleware, with the members of a call that it reads. */
interface Middleware {
  transformParams(call: never): Promise<{ readonly prompt: unknown }>;
  wrapGenerate(call: never): Promise<Answer>;
  wrapStream(call: never): Promise<{ readonly stream: ReadableStream<Part> }>;
}

const guardMiddleware = (guard: Guard, options?: AiSdkOptions) =>
  guardMiddlewareOf(guard, options) as unknown as Middleware;

/** A model that answers with parts, and records its calls. */
class Model {
  calls = 0;
  cancelled = false;
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  readonly doGenerate = async (): Promise<Answer> => {
    this.calls += 1;
    return { content: this.#parts, finishReason: 'stop' };
  };

  readonly doStream = async () => {
    this.calls += 1;
    const parts = [...this.#parts];
    return {
      stream: new ReadableStream<Part>({
        pull: (controller) => {
          const part = parts.shift();
          if (part === undefined) controller.close();
          else controller.enqueue(part);
        },
        cancel: () => {
          this.cancelled = true;
        },
      }),
    };
  };
}

const V3 = { specificationVersion: 'v3' };

/** A model call, or functions instead of the call. */
function call({ doGenerate, doStream }: Partial<Model>, prompt = 'hello', abortSignal?: AbortSignal, model = V3) {
  const params = { prompt: [{ role: 'user', content: [{ type: 'text', text: prompt }] }], abortSignal };
  return { doGenerate, doStream, params, model } as never;
}

const generated = (guard: Guard, model: Partial<Model>, prompt?: string) =>
  guardMiddleware(guard).wrapGenerate(call(model, prompt));

async function partsOf(answered: ReturnType<Middleware['wrapStream']>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of (await answered).stream) parts.push(part);
  return parts;
}

const streamed = (guard: Guard, model: Partial<Model>, prompt?: string) =>
  partsOf(guardMiddleware(guard).wrapStream(call(model, prompt)));
const streamOf = (stream: ReadableStream<Part>) => ({ doStream: async () => ({ stream }) });

/** The parts of one text in pieces of seven characters. */
function textParts(text: string, id = '1', kind = 'text'): Part[] {
  const pieces = text.match(/.{1,7}/gsu) ?? [];
  return [
    { type: `${kind}-start`, id },
    ...pieces.map((delta) => ({ type: `${kind}-delta`, id, delta })),
    { type: `${kind}-end`, id },
  ];
}

const textOf = (parts: readonly Part[], id = '1') =>
  parts.flatMap((part) => (part.type.endsWith('-delta') && part['id'] === id ? [part['delta']] : [])).join('');
const FINISH = { type: 'finish', finishReason: 'stop', usage: {} };

describe('a complete answer', () => {
  test.each([
    ['v2', 'content-filter'],
    ['v3', { unified: 'content-filter', raw: 'aisec' }],
    ['v4', { unified: 'content-filter', raw: 'aisec' }],
  ])('ends in the format of a %s model', async (specificationVersion, finishReason) => {
    const middleware = guardMiddleware(scripted().guard);
    const asked = () => call(new Model([]), 'BAD', undefined, { specificationVersion });
    expect(await middleware.wrapGenerate(asked())).toMatchObject({ finishReason });
    expect((await partsOf(middleware.wrapStream(asked()))).at(-1)).toMatchObject({ finishReason });
  });

  test.each(['v1', 'v5', ''])('is refused for a model of the unknown version %j', async (specificationVersion) => {
    const model = new Model([]);
    const middleware = guardMiddleware(scripted().guard);
    for (const wrap of ['wrapGenerate', 'wrapStream'] as const)
      await expect(middleware[wrap](call(model, 'hello', undefined, { specificationVersion }))).rejects.toThrow(
        'v2, v3, v4',
      );
    expect(model.calls).toBe(0);
  });

  test('keeps its usage and loses the response body if it is blocked or masked', async () => {
    const usage = { inputTokens: 3 };
    const response = { id: 'r', modelId: 'm', body: 'BAD 4111 1111 1111 1111', headers: { x: 'BAD' } };
    for (const text of ['BAD', '4111 1111 1111 1111']) {
      const { guard } = scripted({ mask: { output: true } });
      const doGenerate = async () => ({ content: [{ type: 'text', text }], finishReason: 'stop', usage, response });
      const answer = await generated(guard, { doGenerate });
      expect(answer).toMatchObject({ usage, response: { id: 'r', modelId: 'm' } });
      expect(JSON.stringify(answer)).not.toMatch(/BAD|4111/u);
    }
  });
});

describe('a prompt', () => {
  const text = (value: string) => [{ type: 'text', text: value }];
  const result = (output: unknown) => [{ type: 'tool-result', toolCallId: '1', toolName: 'find', output }];

  const later = [
    { role: 'assistant', content: text('fine') },
    { role: 'user', content: text('thanks') },
  ];
  const unread = (given: string, kind: 'prompt' | 'response') => (given === CARD ? {} : verdictOf(given, kind));

  test.each<[string, readonly object[], readonly object[] | undefined, typeof unread?]>([
    ['is masked', [{ role: 'user', content: text(CARD) }], [{ role: 'user', content: text(MASKED) }]],
    [
      'is masked in each turn',
      [{ role: 'user', content: text(CARD) }, ...later],
      [{ role: 'user', content: text(MASKED) }, ...later],
    ],
    [
      'is refused if no mask fits',
      [{ role: 'tool', content: result({ type: 'json', value: { card: CARD } }) }],
      undefined,
    ],
    [
      'is refused if an earlier turn has no verdict',
      [{ role: 'user', content: text(CARD) }, ...later],
      undefined,
      unread,
    ],
  ])('%s before the model reads it', async (...[, prompt, expected, answer]) => {
    const middleware = guardMiddleware(scripted({ mask: { input: true } }, answer).guard);
    const params = await middleware.transformParams({ params: { prompt } } as never);
    const model = new Model(text('fine'));
    await middleware.wrapGenerate({ doGenerate: model.doGenerate, params, model: V3 } as never);
    expect(model.calls === 0 ? undefined : params.prompt).toEqual(expected);
  });
});

/** A part of a plain answer, in the form of a stream. */
function streamedForm(part: Part, at: number): Part[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part];
  const { text, type, ...rest } = part;
  const [start, ...others] = textParts(String(text), String(at), type);
  return [
    { ...start, type: `${type}-start` },
    ...others.slice(0, -1),
    { ...rest, type: `${type}-end`, id: String(at) },
  ];
}

const said = (text: string, rest: object = {}): Part => ({ type: 'text', text, ...rest });
const file = (mediaType: string, data: unknown, rest: object = {}): Part => ({
  type: 'file',
  mediaType,
  data,
  ...rest,
});
const metadata = (values: object) => ({ providerMetadata: { provider: values } });

/** Answers in both forms. @returns the text that passed as JSON, and whether the guard refused */
async function both(content: readonly Part[], options: Parameters<typeof scripted>[0] = {}, others: object = {}) {
  const { guard, asked } = scripted(options);
  const doGenerate = async () => ({ content, finishReason: 'stop', usage: { inputTokens: 3 }, ...others });
  const answer = await generated(guard, { doGenerate });
  const parts = await streamed(guard, new Model([...content.flatMap(streamedForm), { ...FINISH, ...others }]));
  const passed = [JSON.stringify(answer), JSON.stringify(parts)];
  return { passed, asked, refused: passed.map((each) => each.includes(MESSAGE)), answer, parts };
}

describe('an answer, plain and streamed', () => {
  test.each<[string, Part[], object?]>([
    ['a tool name', [{ type: 'tool-call', toolName: 'BAD', input: '{}' }]],
    ['the result of a provider tool', [{ type: 'tool-result', toolName: 'find', result: { text: 'BAD' } }]],
    [
      'the title of a source',
      [{ type: 'source', sourceType: 'url', id: '1', url: 'https://example.com', title: 'BAD' }],
    ],
    ['a CSV file', [file('text/csv', new TextEncoder().encode('a,BAD'))]],
    ['the name of a file', [file('image/png', 'iVBORw0KGgo=', { filename: 'BAD' })]],
    ['an error', [{ type: 'error', error: new Error('BAD') }]],
    [
      'the response in an error',
      [{ type: 'error', error: Object.assign(new Error('failed'), { responseBody: 'BAD' }) }],
    ],
    ['the cause of an error', [{ type: 'error', error: new Error('failed', { cause: new Error('BAD') }) }]],
    ['a part of an unknown type', [{ type: 'later', words: 'BAD' }]],
    ['an id that is a sentence', [{ type: 'later', itemId: 'now-please-do-BAD' }]],
    ['unreadable content', [{ type: 'later', words: new Map([['a', 'fine']]) }]],
    ['metadata of a text', [said('fine', metadata({ note: 'BAD' }))]],
    ['a name in metadata', [said('fine', metadata({ 'BAD words': 1 }))]],
    ['metadata of the answer', [said('fine')], metadata({ note: 'BAD' })],
    ['the reason of its end', [said('fine')], { finishReason: { unified: 'stop', raw: 'it was BAD' } }],
  ])('is refused for %s', async (...[, content, others]) => {
    const { passed, refused } = await both(content, {}, others);
    expect(refused).toEqual([true, true]);
    expect(passed.join('')).not.toMatch(/BAD[^ ]| 1111 1111/u);
  });

  test.each<[string, Part[], object?]>([
    ['file bytes', [file('image/png', new Uint8Array([137, 80, 78, 71, 0, 1]))]],
    ['words of the protocol', [{ type: 'tool-approval-request', approvalId: 'a-1', toolCallId: 'call_1' }]],
    [
      'content signed by a provider',
      [{ type: 'custom', kind: 'x.y', ...metadata({ signature: 'QUJD+/==', itemId: 'rs_1' }) }],
    ],
    [
      'usage and ids of the answer',
      [],
      metadata({ responseId: 'resp_1', usage: { service_tier: 'default', tokens: 3 } }),
    ],
  ])('passes %s unscanned', async (...[, content, others]) => {
    const { asked, answer, parts } = await both(content, {}, others);
    expect(asked.map(({ text }) => text)).toEqual(['hello']);
    expect(answer).toEqual({ content, finishReason: 'stop', usage: { inputTokens: 3 }, ...others });
    expect(parts).toEqual([...content, { ...FINISH, ...others }]);
  });

  test('is scanned with a number as long as a card number', async () => {
    const { asked } = await both([said('fine', metadata({ card: 4111111111111111 }))]);
    expect(asked.map(({ text }) => text)).toContain('providerMetadata: provider: card: 4111111111111111');
  });

  test('is masked as one text, and loses members that repeat it', async () => {
    const card = 'Card 4111 1111 1111 1111. ';
    const repeats = { structuredOutputText: card, ...metadata({ note: card }) };
    const { passed, refused, answer } = await both(
      [said(card, metadata({ note: card })), said('Fine. '), said(card)],
      { mask: { output: true } },
      repeats,
    );
    expect(refused).toEqual([false, false]);
    expect(answer).toMatchObject({
      content: [said('Card XXXX XXXX XXXX XXXX. Fine. Card XXXX XXXX XXXX XXXX. ')],
    });
    expect(passed.join('')).not.toContain('4111');
  });

  test('is masked if the sensitive text lies across two texts', async () => {
    const { passed, answer, parts } = await both([said('4111 1111'), said(' 1111 1111')], { mask: { output: true } });
    expect(answer).toMatchObject({ content: [said('XXXX XXXX XXXX XXXX')] });
    expect(textOf(parts, '0') + textOf(parts, '1')).toBe('XXXX XXXX XXXX XXXX');
    expect(passed.join('')).not.toContain('1111');
  });

  test('loses reasoning that would have to be masked', async () => {
    const reasoning = { type: 'reasoning', text: '4111 1111 1111 1111', ...metadata({ note: '4111' }) };
    const { passed, refused, answer } = await both([reasoning, said('fine')], { mask: { output: true } });
    expect(refused).toEqual([false, false]);
    expect(answer).toMatchObject({ content: [said('fine')] });
    expect(passed.join('')).not.toMatch(/1111|XXXX/u);
  });

  test('is refused for sensitive reasoning across two parts', async () => {
    const { passed, refused } = await both([
      { type: 'reasoning', text: 'Card 4111 1111' },
      said('fine'),
      { type: 'reasoning', text: ' 1111 1111' },
    ]);
    expect(refused).toEqual([true, true]);
    expect(passed.join('')).not.toContain(' 1111 1111');
  });

  test('is scanned joined and separately if a seam is inside a word', async () => {
    const answer = (given: string) => verdictOf(/\bBAD\b/u.test(given) ? 'BAD' : 'fine', 'response');
    for (const content of [
      ['a', 'BAD'],
      ['BAD', 'a'],
      ['B', 'AD'],
    ]) {
      const { guard } = scripted({}, answer);
      const parts = content.map((text) => said(text));
      expect(JSON.stringify(await generated(guard, new Model(parts)))).toContain(MESSAGE);
      expect(JSON.stringify(await streamed(guard, new Model(parts.flatMap(streamedForm))))).toContain(MESSAGE);
    }
  });

  test('has no log probabilities', async () => {
    const values = { logprobs: [{ token: 'fi' }], responseId: 'r' };
    const { passed } = await both([said('fine', metadata(values))], {}, metadata(values));
    expect(passed.join('')).not.toContain('token');
    expect(passed.join('').match(/responseId/gu)).toHaveLength(4);
  });
});

describe('an error of a model', () => {
  const failing = (error: Error) => {
    const fail = () => Promise.reject(error);
    return { doGenerate: fail, doStream: fail };
  };

  test('is thrown unchanged', async () => {
    const error = Object.assign(new Error('overloaded'), { statusCode: 529, requestBodyValues: { prompt: 'BAD' } });
    const { guard } = scripted();
    await expect(generated(guard, failing(error))).rejects.toBe(error);
    await expect(streamed(guard, failing(error))).rejects.toBe(error);
  });

  test('is replaced by the message if its text is bad', async () => {
    const { guard } = scripted();
    const model = failing(new Error('I cannot say BAD'));
    expect((await generated(guard, model)).content).toEqual([said(MESSAGE)]);
    expect(textOf(await streamed(guard, model), 'aisec-refusal')).toBe(MESSAGE);
  });

  test.each([
    ['is thrown to the reader of a stream', 'overloaded', false],
    ['does not reach the reader of a stream if its text is bad', 'BAD', true],
  ])('%s', async (_, words, isRefused) => {
    const source = new ReadableStream<Part>({ start: (to) => to.error(new Error(words)) });
    const read = streamed(scripted().guard, streamOf(source)).then((parts) => textOf(parts, 'aisec-refusal'));
    await (isRefused ? expect(read).resolves.toBe(MESSAGE) : expect(read).rejects.toThrow(words));
  });
});

describe('a streamed answer', () => {
  test('shows texts that a model writes in parallel one after the other, as they were scanned', async () => {
    const [one, other] = [textParts('4111 xx 1111 '), textParts('1111 yy 1111', '2')];
    const mixed = one.flatMap((part, at) => [part, ...other.slice(at, at + 1)]);
    const parts = await streamed(scripted().guard, new Model([...mixed, FINISH]));
    expect(parts.map(({ type, id }) => `${type} ${id}`).join(', ')).toBe(
      'text-start 1, text-delta 1, text-end 1, text-start 2, text-delta 2, text-end 2, finish undefined',
    );
  });

  test('shows a whole text that the model does not end', async () => {
    const parts = await streamed(scripted().guard, new Model([...textParts(LONG).slice(0, -1), FINISH]));
    expect([textOf(parts), parts.at(-2)]).toEqual([LONG, { type: 'text-end', id: '1' }]);
  });

  test('keeps the signature of reasoning, and drops the raw chunks of the provider', async () => {
    const signed = { type: 'reasoning-delta', id: '1', delta: '', ...metadata({ signature: 'QUJD' }) };
    const [start, delta, end] = textParts('think', '1', 'reasoning') as [Part, Part, Part];
    const raw = { type: 'raw', rawValue: 'BAD' };
    const parts = await streamed(scripted().guard, new Model([raw, start, delta, signed, end]));
    expect(parts).toEqual([start, delta, signed, end]);
  });

  test('shows reasoning after the end of the text before it', async () => {
    const written: Part[] = [
      ...textParts(LONG),
      ...textParts('think', '2', 'reasoning'),
      ...textParts(LONG, '3'),
      FINISH,
    ];
    const parts = await streamed(scripted().guard, new Model(written));
    const order = parts.map(({ type, id }) => `${type} ${id}`);
    expect(order.filter((each, at) => each !== order[at - 1])).toEqual([
      ...new Set(written.map(({ type, id }) => `${type} ${id}`)),
    ]);
    expect([textOf(parts), textOf(parts, '3')]).toEqual([LONG, LONG]);
  });

  test.each([
    [['tool-call'], 'fine'],
    [['text-start', 'text-delta', 'text-end'], 'BAD'],
  ])('has the parts %j for a tool call with the input %s', async (expected, body) => {
    const parts = await streamed(
      scripted().guard,
      new Model([
        { type: 'tool-input-start', id: 't', toolName: 'send' },
        { type: 'tool-input-delta', id: 't', delta: body },
        { type: 'tool-input-end', id: 't' },
        { type: 'tool-call', toolCallId: 't', toolName: 'send', input: JSON.stringify({ body }) },
        FINISH,
      ]),
    );
    expect(parts.map(({ type }) => type)).toEqual([...expected, 'finish']);
    expect(JSON.stringify(parts)).not.toContain('BAD');
  });

  test('waits for the verdict on the prompt if both run in parallel', async () => {
    const { guard } = scripted({ parallelInput: true });
    const model = new Model([...textParts(LONG), FINISH]);
    const parts = await streamed(guard, model, 'BAD');
    expect(model.calls).toBe(1);
    expect(textOf(parts)).toBe('');
    expect(textOf(parts, 'aisec-refusal')).toBe(MESSAGE);
    const whole = new Model([said('fine')]);
    expect((await generated(guard, whole, 'BAD')).content).toEqual([said(MESSAGE)]);
    expect(whole.calls).toBe(1);
  });

  test('drops text that no part has begun', async () => {
    const parts = await streamed(scripted().guard, new Model([{ type: 'text-delta', id: '9', delta: 'BAD' }, FINISH]));
    expect(parts).toEqual([FINISH]);
  });

  test.each([{ type: 'source', url: 'https://example.com' }, FINISH])(
    'passes no part $type before the verdict on the prompt',
    async (part) => {
      const { guard } = scripted({ parallelInput: true });
      const parts = await streamed(guard, new Model([part]), 'BAD');
      expect(parts.map(({ type }) => type)).toEqual(['text-start', 'text-delta', 'text-end', 'finish']);
      expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'content-filter' } });
    },
  );

  test('is refused at once if the prompt is blocked and the model has not started', async () => {
    const cancel = jest.fn();
    const model = streamOf(new ReadableStream<Part>({ cancel }));
    const parts = await streamed(scripted({ parallelInput: true }).guard, model, 'BAD');
    expect(textOf(parts, 'aisec-refusal')).toBe(MESSAGE);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  const PING = async (to: ReadableStreamDefaultController<Part>) => {
    await new Promise((resolve) => setImmediate(resolve));
    to.enqueue({ type: 'ping' });
  };
  test.each([
    ['writes', { pull: PING }],
    ['is silent', {}],
  ])('ends the model and the scan when the caller aborts while the model %s', async (_, source) => {
    const leaving = new AbortController();
    const cancel = jest.fn();
    const model = streamOf(new ReadableStream<Part>({ ...source, cancel }));
    const opened = await guardMiddleware(scripted().guard).wrapStream(call(model, 'hello', leaving.signal));
    setTimeout(() => leaving.abort(new Error('left')), 0);
    await expect(partsOf(Promise.resolve(opened))).rejects.toThrow('left');
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  test('answers an aborted call with the reason, and sends the model no request', async () => {
    const model = new Model(textParts('fine'));
    const asked = () => call(model, 'hello', AbortSignal.abort(new Error('left')));
    const middleware = guardMiddleware(scripted().guard);
    await expect(middleware.wrapGenerate(asked())).rejects.toThrow('left');
    await expect(middleware.wrapStream(asked())).rejects.toThrow('left');
    expect(model.calls).toBe(0);
  });
});

describe('a guarded tool', () => {
  test('runs with its input and returns its result, and keeps its other members', async () => {
    const { guard, asked } = scripted();
    const send = { description: 'Sends.', execute: async (input: { to: string }, _: unknown) => ({ sent: input.to }) };
    const tools = guardTools(guard, { send });
    expect(await tools.send.execute({ to: 'a' }, {})).toEqual({ sent: 'a' });
    expect(tools.send.description).toBe('Sends.');
    expect(asked.map(({ args }) => args)).toMatchObject([
      { tool_event: { metadata: { server_name: 'ai-sdk', tool_invoked: 'send' }, input: '{"to":"a"}' } },
      { tool_event: { output: '{"sent":"a"}' } },
      { prompt: 'sent: a' },
    ]);
  });

  test.each<[string, () => unknown]>([
    ['later result', async () => ({ page: ['BAD'] })],
    [
      'last result of several',
      async function* several() {
        yield 'fine';
        yield 'BAD';
      },
    ],
  ])('answers with an error instead of a bad %s', async (_, execute) => {
    const { search } = guardTools(scripted({ onError: 'allow' }).guard, { search: { execute } });
    await expect(search.execute()).rejects.toThrow(MESSAGE);
  });

  test('answers with an error instead of a result that could only be masked', async () => {
    const { guard } = scripted({ mask: { input: true, output: true } });
    const { search } = guardTools(guard, { search: { execute: async () => '4111 1111 1111 1111' } });
    await expect(search.execute()).rejects.toThrow(MESSAGE);
  });

  test('passes its own error if its text is good', async () => {
    const failing = { execute: () => Promise.reject(new Error('no such file')) };
    await expect(guardTools(scripted().guard, { failing }).failing.execute()).rejects.toThrow('no such file');
  });

  test('passes only the last of several results', async () => {
    async function* execute() {
      yield 'BAD so far';
      yield 'fine';
    }
    const { search } = guardTools(scripted().guard, { search: { execute } });
    const result: unknown = search.execute();
    expect(await result).toBe('fine');
  });

  test('that does not run here is unchanged', () => {
    const tools = { remote: { description: 'Runs elsewhere.' } };
    expect(guardTools(scripted().guard, tools).remote).toBe(tools.remote);
  });

  test('ends with the abort reason of its caller', async () => {
    const execute = jest.fn();
    const { send } = guardTools(scripted().guard, { send: { execute } });
    const abortSignal = AbortSignal.abort(new Error('left'));
    await expect(send.execute({ body: 'x' }, { abortSignal })).rejects.toThrow('left');
    expect(execute).not.toHaveBeenCalled();
  });
});

describe('an approval', () => {
  const callOf = (input: unknown, tools: unknown = {}) => ({
    toolCall: { toolName: 'send', toolCallId: '1', input },
    tools,
    messages: [],
  });

  test('denies a bad call with the message', async () => {
    expect(await toolApproval(scripted().guard)(callOf({ body: 'BAD' }))).toEqual({ type: 'denied', reason: MESSAGE });
  });

  test.each([
    ['nothing more', {}, undefined],
    ['a person if the tool does', { send: { needsApproval: true } }, 'user-approval'],
    ['a person if the tool says so', { send: { needsApproval: async () => true } }, 'user-approval'],
    ['no one if the tool says so', { send: { needsApproval: () => false } }, undefined],
  ])('of a good call asks %s', async (_, tools, expected) => {
    expect(await toolApproval(scripted().guard)(callOf({ body: 'x' }, tools))).toBe(expected);
  });
});
