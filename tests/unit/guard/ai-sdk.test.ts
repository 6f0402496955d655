/**
 * The guard around a model of the Vercel AI SDK, by the parts that its interface has. `npm run test:guard-frameworks` tries the
 * real framework.
 */
import { type AiSdkOptions, guardMiddleware, type Specification } from '../../../lib/guard/adapters/ai-sdk.ts';
import type { Guard } from '../../../lib/guard/guard.ts';
import { scripted } from './scripted.ts';

type Part = Readonly<Record<string, unknown>> & { readonly type: string };

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

function call(model: Model, prompt: string) {
  return { doGenerate: model.generate, doStream: model.stream, params: { prompt: user(prompt) } } as never;
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

  test.each<[Specification, unknown]>([
    ['v2', 'content-filter'],
    ['v3', { unified: 'content-filter', raw: 'aisec' }],
    ['v4', { unified: 'content-filter', raw: 'aisec' }],
  ])('ends in the form of %s', async (specification, finishReason) => {
    const options = { specification };
    expect(guardMiddleware(scripted().guard, options).specificationVersion).toBe(specification);
    expect(await generated(scripted().guard, new Model([]), 'BAD', options)).toMatchObject({ finishReason });
  });
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
