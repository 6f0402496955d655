/** Drives the Vercel AI SDK: its own `generateText` and `streamText`, with a scripted model. */
import { generateText, jsonSchema, type LanguageModel, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { guardTools } from '../../../../lib/guard/adapters/ai-sdk/tools.ts';
import { guardMiddleware } from '../../../../lib/guard/adapters/ai-sdk.ts';
import type { Driver, Scene } from './behaviours.ts';

type Model = Extract<LanguageModel, { specificationVersion: 'v3' }>;
type Part = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Each> ? Each : never;
type Content = Awaited<ReturnType<Model['doGenerate']>>['content'];

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const STOP = { unified: 'stop', raw: 'stop' } as const;

/** A model that answers each request with the next content, and repeats the last. */
class Scripted {
  readonly specificationVersion = 'v3';
  readonly provider = 'scripted';
  readonly modelId = 'scripted';
  readonly supportedUrls = {};
  readonly prompts: unknown[] = [];
  cancelled = false;
  readonly #answers: readonly Content[];
  readonly #leaving: AbortController | undefined;

  constructor(answers: readonly Content[], leaving?: AbortController) {
    this.#answers = answers;
    this.#leaving = leaving;
  }

  readonly doGenerate: Model['doGenerate'] = async ({ prompt }) => {
    this.prompts.push(prompt);
    const content = this.#answers[Math.min(this.prompts.length, this.#answers.length) - 1] ?? [];
    const isCall = content.some(({ type }) => type === 'tool-call');
    const finishReason = isCall ? ({ unified: 'tool-calls', raw: 'tool-calls' } as const) : STOP;
    return { content, finishReason, usage: USAGE, warnings: [] };
  };

  readonly doStream: Model['doStream'] = async (options) => {
    const { content, finishReason } = await this.doGenerate(options);
    const parts: Part[] = [
      { type: 'stream-start', warnings: [] },
      ...content.flatMap(partsOf),
      { type: 'finish', finishReason, usage: USAGE },
    ];
    const stream = new ReadableStream<Part>({
      pull: async (to) => {
        const part = parts.shift();
        // An endless answer, which the application does not wait for.
        if (part?.type === 'text-end' && this.#leaving !== undefined) this.#leaving.abort();
        else if (part === undefined) to.close();
        else to.enqueue(part);
      },
      cancel: () => {
        this.cancelled = true;
      },
    });
    return { stream };
  };
}

/** Returns a part of an answer in pieces. */
function partsOf(part: Content[number], at: number): Part[] {
  const pieces = (text: string) => text.match(/.{1,7}/gsu) ?? [];
  if (part.type === 'text') {
    const id = String(at);
    const deltas = pieces(part.text).map((delta) => ({ type: 'text-delta' as const, id, delta }));
    return [{ type: 'text-start', id }, ...deltas, { type: 'text-end', id }];
  }
  if (part.type !== 'tool-call') return [];
  const { toolCallId: id, toolName } = part;
  const deltas = pieces(part.input).map((delta) => ({ type: 'tool-input-delta' as const, id, delta }));
  return [{ type: 'tool-input-start', id, toolName }, ...deltas, { type: 'tool-input-end', id }, part];
}

/** Reads a stream to its end, even after the application has left. */
async function streamed(model: Model, { prompt, leaving }: Scene) {
  const abortSignal = leaving?.signal;
  const { textStream, finishReason } = streamText({
    ...{ model, prompt, onError: () => undefined },
    ...(abortSignal === undefined ? {} : { abortSignal }),
  });
  let text = '';
  try {
    for await (const delta of textStream) text += delta;
    return { text, finishReason: await finishReason };
  } catch (error) {
    if (leaving === undefined) throw error;
    return { text, finishReason: 'other' };
  }
}

export const aiSdk: Driver = {
  adapter: 'ai-sdk',
  answer: async (guard, scene) => {
    const scripted = new Scripted([scene.texts.map((text) => ({ type: 'text', text }))], scene.leaving);
    const model = wrapLanguageModel({ model: scripted, middleware: guardMiddleware(guard) });
    const { text, finishReason } = scene.streamed
      ? await streamed(model, scene)
      : await generateText({ model, prompt: scene.prompt });
    return {
      shown: text,
      refused: finishReason === 'content-filter',
      asked: scripted.prompts.length > 0,
      cancelled: scripted.cancelled,
    };
  },
  call: async (guard, { input, run, streamed }) => {
    let ran = false;
    const execute = async () => {
      ran = true;
      return run();
    };
    const send = tool({ description: 'Sends.', inputSchema: jsonSchema({ type: 'object' }), execute });
    const asks = { type: 'tool-call', toolCallId: '1', toolName: 'send', input } as const;
    const scripted = new Scripted([[asks], [{ type: 'text', text: 'Sent.' }]]);
    const model = wrapLanguageModel({ model: scripted, middleware: guardMiddleware(guard) });
    const tools = guardTools(guard, { send });
    const asked = { model, tools, prompt: 'Send it.', stopWhen: stepCountIs(2) };
    const steps = await (streamed ? streamText(asked).steps : (await generateText(asked)).steps);
    const answers = steps.map(({ content, response }) => [content, response.messages]);
    return { ran, read: JSON.stringify([scripted.prompts.slice(1), answers]) };
  },
};
