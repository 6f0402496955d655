/**
 * The guard around a model of the Vercel AI SDK, by the parts that its interface has. `npm run test:guard-frameworks` tries the
 * real framework.
 */
import { type AiSdkOptions, guardMiddleware as guardMiddlewareOf } from '../../../lib/guard/adapters/ai-sdk.ts';
import type { Guard } from '../../../lib/guard/guard.ts';
import { scripted, verdictOf } from './scripted.ts';

type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** The middleware, which takes the parts of a call that it reads. */
interface Middleware {
  transformParams(call: never): Promise<never>;
  wrapGenerate(call: never): Promise<never>;
  wrapStream(call: never): Promise<never>;
}

const guardMiddleware = (guard: Guard, options?: AiSdkOptions) =>
  guardMiddlewareOf(guard, options) as unknown as Middleware;

interface Answer {
  readonly content: readonly Part[];
  readonly finishReason: unknown;
}

/** A model that answers with parts, and notes what happened to it. */
class Model {
  calls = 0;
  cancelled = false;
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  readonly generate = async (): Promise<Answer> => {
    this.calls += 1;
    return { content: this.#parts, finishReason: 'stop' };
  };

  readonly stream = async () => {
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

const user = (content: string) => [{ role: 'user', content: [{ type: 'text', text: content }] }];

function call(
  model: Model,
  prompt: string,
  { specificationVersion = 'v3', abortSignal = undefined as AbortSignal | undefined } = {},
) {
  const params = { prompt: user(prompt), abortSignal };
  return { doGenerate: model.generate, doStream: model.stream, params, model: { specificationVersion } } as never;
}

async function generated(guard: Guard, model: Model, prompt = 'hello', options: AiSdkOptions = {}): Promise<Answer> {
  return guardMiddleware(guard, options).wrapGenerate(call(model, prompt));
}

async function streamed(guard: Guard, model: Model, prompt = 'hello', options: AiSdkOptions = {}): Promise<Part[]> {
  const { stream }: { stream: ReadableStream<Part> } = await guardMiddleware(guard, options).wrapStream(
    call(model, prompt),
  );
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

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
const LONG = 'word '.repeat(200);
const MESSAGE = 'This content was blocked by a security policy.';

describe('a complete answer', () => {
  test('passes as it is', async () => {
    const content = [
      { type: 'text', text: 'fine' },
      { type: 'source', url: 'https://example.com' },
    ];
    expect(await generated(scripted().guard, new Model(content))).toEqual({ content, finishReason: 'stop' });
  });

  test('is never asked for after a bad prompt', async () => {
    const model = new Model([{ type: 'text', text: 'fine' }]);
    const answer = await generated(scripted().guard, model, 'BAD');
    expect(model.calls).toBe(0);
    expect(answer.content).toEqual([{ type: 'text', text: MESSAGE }]);
  });

  test.each([
    ['text', { type: 'text', text: 'BAD' }],
    ['reasoning', { type: 'reasoning', text: 'BAD' }],
    ['input of a tool', { type: 'tool-call', toolName: 'send', input: '{"body":"BAD"}' }],
    ['result of a tool of the provider', { type: 'tool-result', toolName: 'search', result: { text: 'BAD' } }],
  ])('is replaced when its %s is bad', async (_, part) => {
    const answer = await generated(scripted().guard, new Model([{ type: 'text', text: 'fine' }, part]));
    expect(answer.content).toEqual([{ type: 'text', text: MESSAGE }]);
    expect(JSON.stringify(answer)).not.toContain('BAD');
  });

  test('is masked', async () => {
    const { guard } = scripted({ mask: { output: true } });
    const answer = await generated(guard, new Model([{ type: 'text', text: 'Card 4111 1111 1111 1111' }]));
    expect(answer.content).toEqual([{ type: 'text', text: 'Card XXXX XXXX XXXX XXXX' }]);
  });

  test.each([
    ['v2', 'content-filter'],
    ['v3', { unified: 'content-filter', raw: 'aisec' }],
    ['v4', { unified: 'content-filter', raw: 'aisec' }],
  ])('ends in the form of a model of %s', async (specificationVersion, finishReason) => {
    const middleware = guardMiddleware(scripted().guard);
    const model = new Model([{ type: 'text', text: 'never' }]);
    const answer: Answer = await middleware.wrapGenerate(call(model, 'BAD', { specificationVersion }));
    expect(answer).toMatchObject({ finishReason });
    const { stream }: { stream: ReadableStream<Part> } = await middleware.wrapStream(
      call(model, 'BAD', { specificationVersion }),
    );
    const parts: Part[] = [];
    for await (const part of stream) parts.push(part);
    expect(parts.at(-1)).toMatchObject({ finishReason });
  });

  test.each(['v1', 'v5', ''])('is refused for a model of the unknown version %j', async (specificationVersion) => {
    const model = new Model([{ type: 'text', text: 'never' }]);
    const middleware = guardMiddleware(scripted().guard);
    for (const wrap of ['wrapGenerate', 'wrapStream'] as const)
      await expect(middleware[wrap](call(model, 'hello', { specificationVersion }))).rejects.toThrow('v2, v3, v4');
    expect(model.calls).toBe(0);
  });

  test('keeps its price and loses the body of the response where it is blocked or masked', async () => {
    const usage = { inputTokens: 3 };
    const response = { id: 'r', modelId: 'm', body: 'BAD 4111 1111 1111 1111', headers: { x: 'BAD' } };
    for (const text of ['BAD', '4111 1111 1111 1111']) {
      const { guard } = scripted({ mask: { output: true } });
      const generate = async () => ({ content: [{ type: 'text', text }], finishReason: 'stop', usage, response });
      const asked = { ...(call(new Model([]), 'hello') as object), doGenerate: generate };
      const answer: unknown = await guardMiddleware(guard).wrapGenerate(asked as never);
      expect(answer).toMatchObject({ usage, response: { id: 'r', modelId: 'm' } });
      expect(JSON.stringify(answer)).not.toMatch(/BAD|4111/u);
    }
  });
});

describe('a prompt', () => {
  const CARD = 'Card 4111 1111 1111 1111';
  const MASKED = 'Card XXXX XXXX XXXX XXXX';
  const text = (value: string) => [{ type: 'text', text: value }];
  const result = (output: unknown) => [{ type: 'tool-result', toolCallId: '1', toolName: 'find', output }];

  /** Sends a prompt the way the SDK does. @returns what the model read, undefined if it was not asked */
  async function read(guard: Guard, prompt: readonly unknown[]): Promise<unknown> {
    const middleware = guardMiddleware(guard);
    const params: { prompt: unknown } = await middleware.transformParams({ params: { prompt } } as never);
    const model = new Model(text('fine'));
    await middleware.wrapGenerate({
      doGenerate: model.generate,
      params,
      model: { specificationVersion: 'v3' },
    } as never);
    return model.calls === 0 ? undefined : params.prompt;
  }

  test.each([
    ['of a user', { role: 'user', content: text(CARD) }, { role: 'user', content: text(MASKED) }],
    [
      'of a tool',
      { role: 'tool', content: result({ type: 'text', value: CARD }) },
      { role: 'tool', content: result({ type: 'text', value: MASKED }) },
    ],
    [
      'of parts of a tool',
      { role: 'tool', content: result({ type: 'content', value: text(CARD) }) },
      { role: 'tool', content: result({ type: 'content', value: text(MASKED) }) },
    ],
  ])('%s reaches the model masked, in each turn', async (_, message, masked) => {
    const { guard } = scripted({ mask: { input: true } });
    const answer = { role: 'assistant', content: text('fine') };
    const later = { role: 'user', content: text('thanks') };
    expect(await read(guard, [message])).toEqual([masked]);
    expect(await read(guard, [message, answer, later])).toEqual([masked, answer, later]);
  });

  test.each([
    ['has a form that no mask fits', { role: 'tool', content: result({ type: 'json', value: { card: CARD } }) }],
    ['stands beside a file', { role: 'user', content: [{ type: 'file', data: 'AAAA', filename: CARD }] }],
    ['is bad as well', { role: 'user', content: text(`${CARD} BAD`) }],
  ])('is refused where what should be masked %s', async (_, message) => {
    expect(await read(scripted({ mask: { input: true } }).guard, [message])).toBeUndefined();
  });

  test('is refused where an earlier text that may need a mask has no verdict', async () => {
    const answer = (given: string, kind: 'prompt' | 'response') => (given === CARD ? {} : verdictOf(given, kind));
    const { guard } = scripted({ mask: { input: true } }, answer);
    const turns = [
      { role: 'user', content: text(CARD) },
      { role: 'assistant', content: text('fine') },
      { role: 'user', content: text('thanks') },
    ];
    expect(await read(guard, turns)).toBeUndefined();
  });

  test('is scanned once where nothing is masked', async () => {
    const { guard, asked } = scripted();
    await read(guard, [{ role: 'user', content: text('hello') }]);
    expect(asked.map((each) => each.text)).toEqual(['hello', 'fine']);
  });
});

test('a part of an unknown type that could only be masked is refused', async () => {
  const { guard } = scripted({ mask: { output: true } });
  const part = { type: 'note', body: 'Card 4111 1111 1111 1111' };
  expect((await generated(guard, new Model([part]))).content).toEqual([{ type: 'text', text: MESSAGE }]);
  const parts = await streamed(guard, new Model([part, FINISH]));
  expect(JSON.stringify(parts)).not.toContain('4111');
});

describe('a streamed answer', () => {
  test('passes byte for byte, with parts of other kinds in their order', async () => {
    const metadata = { type: 'response-metadata', id: 'r' };
    const parts = await streamed(scripted().guard, new Model([metadata, ...textParts(LONG), FINISH]));
    expect(textOf(parts)).toBe(LONG);
    expect(parts.map(({ type }) => type).filter((type) => type !== 'text-delta')).toEqual([
      ...['response-metadata', 'text-start', 'text-end', 'finish'],
    ]);
  });

  test('keeps two texts apart', async () => {
    const [one, other] = [textParts('aaaa '.repeat(99), '1'), textParts('bbbb '.repeat(99), '2', 'reasoning')];
    const mixed = one.flatMap((part, at) => [part, ...other.slice(at, at + 1)]);
    const parts = await streamed(scripted().guard, new Model([...mixed, FINISH]));
    expect([textOf(parts), textOf(parts, '2')]).toEqual(['aaaa '.repeat(99), 'bbbb '.repeat(99)]);
  });

  test('is cut before what is bad, ends as filtered, and ends the request of the model', async () => {
    const model = new Model([...textParts(`${LONG}BAD ${LONG}`), FINISH]);
    const parts = await streamed(scripted().guard, model);
    expect(LONG.startsWith(textOf(parts))).toBe(true);
    expect(textOf(parts, 'aisec-refusal')).toBe(MESSAGE);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'content-filter' } });
    expect(parts.filter(({ type }) => type === 'text-end').map(({ id }) => id)).toEqual(['1', 'aisec-refusal']);
    expect(model.cancelled).toBe(true);
    expect(JSON.stringify(parts)).not.toContain('BAD');
  });

  test.each([
    [['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call'], 'fine'],
    [['text-start', 'text-delta', 'text-end'], 'BAD'],
  ])('has the parts %j for a call of a tool with the input %s', async (expected, body) => {
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

  test('waits for the verdict on the prompt where both run at once', async () => {
    const { guard } = scripted({ parallelInput: true });
    const model = new Model([...textParts(LONG), FINISH]);
    const parts = await streamed(guard, model, 'BAD');
    expect(model.calls).toBe(1);
    expect(textOf(parts)).toBe('');
    expect(textOf(parts, 'aisec-refusal')).toBe(MESSAGE);
  });

  test.each([
    ['drops the raw chunks of the provider', { type: 'raw', rawValue: 'BAD' }, ['text-start', 'text-end']],
    ['blocks a bad part of an unknown type', { type: 'later', words: 'BAD' }, ['text-start', 'text-end', 'finish']],
    ['passes a good part of an unknown type', { type: 'later', words: 'fine' }, ['later', 'text-start', 'text-end']],
  ])('%s', async (_, part, expected) => {
    const parts = await streamed(scripted().guard, new Model([part, ...textParts('fine')]));
    expect(parts.map(({ type }) => type).filter((type) => type !== 'text-delta')).toEqual(expected);
    expect(JSON.stringify(parts)).not.toContain('BAD');
  });

  test('drops text that no part has begun', async () => {
    const parts = await streamed(scripted().guard, new Model([{ type: 'text-delta', id: '9', delta: 'BAD' }, FINISH]));
    expect(parts).toEqual([FINISH]);
  });

  test.each([
    { type: 'source', url: 'https://example.com' },
    { type: 'file', data: 'AAAA' },
    { type: 'tool-result', toolName: 'search', toolCallId: 't', result: 'fine' },
    FINISH,
  ])('passes no part $type before the verdict on the prompt', async (part) => {
    const { guard } = scripted({ parallelInput: true });
    const parts = await streamed(guard, new Model([part]), 'BAD');
    expect(parts.map(({ type }) => type)).toEqual(['text-start', 'text-delta', 'text-end', 'finish']);
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'content-filter' } });
  });

  test('is refused at once where the prompt is blocked and the model has not begun', async () => {
    let isCancelled = false;
    const silent = new ReadableStream<Part>({
      cancel: () => {
        isCancelled = true;
      },
    });
    const { guard } = scripted({ parallelInput: true });
    const asked = { ...(call(new Model([]), 'BAD') as object), doStream: async () => ({ stream: silent }) };
    const { stream }: { stream: ReadableStream<Part> } = await guardMiddleware(guard).wrapStream(asked as never);
    const parts: Part[] = [];
    for await (const each of stream) parts.push(each);
    expect(textOf(parts, 'aisec-refusal')).toBe(MESSAGE);
    expect(isCancelled).toBe(true);
  });

  test('keeps the parts of two calls of tools apart', async () => {
    const input = (id: string, text: string) => [
      { type: 'tool-input-start', id, toolName: 'send' },
      { type: 'tool-input-delta', id, delta: text },
    ];
    const [good, bad] = ['{"a":1}', '{"b":"BAD"}'];
    const parts = await streamed(
      scripted().guard,
      new Model([
        ...input('1', good),
        ...input('2', bad),
        { type: 'tool-input-end', id: '1' },
        { type: 'tool-call', toolCallId: '1', toolName: 'send', input: good },
        { type: 'tool-input-end', id: '2' },
        { type: 'tool-call', toolCallId: '2', toolName: 'send', input: bad },
      ]),
    );
    expect(JSON.stringify(parts)).not.toContain('BAD');
    expect(
      parts.flatMap(({ type, id, toolCallId }) => (type.startsWith('tool') ? [`${type} ${id ?? toolCallId}`] : [])),
    ).toEqual([...['tool-input-start 1', 'tool-input-delta 1', 'tool-input-end 1', 'tool-call 1']]);
  });

  test('shows the input of a tool that was scanned, where the pieces say something else', async () => {
    const parts = await streamed(
      scripted().guard,
      new Model([
        { type: 'tool-input-start', id: 't', toolName: 'send' },
        { type: 'tool-input-delta', id: 't', delta: 'B' },
        { type: 'tool-input-delta', id: 't', delta: 'AD' },
        { type: 'tool-call', toolCallId: 't', toolName: 'send', input: '{}' },
      ]),
    );
    expect(textOf(parts, 't')).toBe('{}');
  });

  test.each([
    [
      'while the model writes',
      () =>
        new ReadableStream<Part>({
          pull: async (to) => {
            await new Promise((resolve) => setImmediate(resolve));
            to.enqueue({ type: 'ping' });
          },
        }),
    ],
    ['while the model is silent', () => new ReadableStream<Part>({})],
  ])('ends the model and the scan when the caller aborts %s', async (_, open) => {
    const leaving = new AbortController();
    let isCancelled = false;
    const source = open();
    const cancel = source.getReader.bind(source);
    source.getReader = ((...given: []) => {
      const reader = cancel(...given);
      const end = reader.cancel.bind(reader);
      reader.cancel = (reason) => {
        isCancelled = true;
        return end(reason);
      };
      return reader;
    }) as typeof source.getReader;
    const asked = {
      ...(call(new Model([]), 'hello', { abortSignal: leaving.signal }) as object),
      doStream: async () => ({ stream: source }),
    };
    const { stream }: { stream: ReadableStream<Part> } = await guardMiddleware(scripted().guard).wrapStream(
      asked as never,
    );
    const reader = stream.getReader();
    const read = (async () => {
      while (!(await reader.read()).done);
    })();
    setTimeout(() => leaving.abort(new Error('left')), 0);
    await expect(read).rejects.toThrow('left');
    expect(isCancelled).toBe(true);
  });

  test('answers a caller who aborted with the reason, and asks no model', async () => {
    const model = new Model(textParts('fine'));
    const asked = () => call(model, 'hello', { abortSignal: AbortSignal.abort(new Error('left')) });
    const middleware = guardMiddleware(scripted().guard);
    await expect(middleware.wrapGenerate(asked())).rejects.toThrow('left');
    await expect(middleware.wrapStream(asked())).rejects.toThrow('left');
    expect(model.calls).toBe(0);
  });

  test('ends the request of the model when its reader leaves', async () => {
    const model = new Model([...textParts(LONG), FINISH]);
    const middleware = guardMiddleware(scripted().guard);
    const { stream }: { stream: ReadableStream<Part> } = await middleware.wrapStream(call(model, 'hello'));
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    expect(model.cancelled).toBe(true);
  });
});
