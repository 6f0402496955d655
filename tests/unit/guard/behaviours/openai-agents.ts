/** Drives the OpenAI Agents SDK adapter as the SDK's runner does: a model, and function tools with guardrails. */
import { guardModel, toolGuardrails } from '../../../../lib/guard/adapters/openai-agents.ts';
import type { Driver } from './behaviours.ts';

export type Item = Readonly<Record<string, unknown>>;

export interface Request {
  readonly input: string | readonly Item[];
  readonly prompt?: { readonly variables: Item };
  readonly tracing?: boolean | 'enabled_without_data';
  readonly signal?: AbortSignal;
}

export const USAGE = { requests: 1, inputTokens: 3, outputTokens: 4, totalTokens: 7 };

export const textPart = (text: string, rest: Item = {}) => ({ type: 'output_text', text, ...rest });
export const says = (text: string, rest: Item = {}): Item => ({
  ...{ type: 'message', role: 'assistant', status: 'completed', content: [textPart(text)] },
  ...rest,
});

/** A model that answers with items, streamed in pieces of seven characters, and records its calls. */
export class Model {
  readonly requests: Request[] = [];
  isCancelled = false;
  readonly #output: readonly Item[];
  readonly #events: readonly Item[] | undefined;
  readonly #leaving: AbortController | undefined;

  constructor(output: readonly Item[], events?: readonly Item[], leaving?: AbortController) {
    this.#output = output;
    this.#events = events;
    this.#leaving = leaving;
  }

  async getResponse(request: Request) {
    this.requests.push(request);
    const ids = { responseId: 'resp_1', requestId: 'req_1' };
    return { usage: USAGE, output: this.#output, ...ids, providerData: { raw: 'BAD' } };
  }

  async *getStreamedResponse(request: Request): AsyncGenerator<Item> {
    this.requests.push(request);
    this.isCancelled = true;
    for (const event of this.#events ?? eventsOf(this.#output)) {
      if (event['type'] === 'response_done') this.#leaving?.abort();
      request.signal?.throwIfAborted();
      yield event;
    }
    this.isCancelled = false;
  }
}

/** The events of an answer, with everything a provider adds to them. */
export function eventsOf(output: readonly Item[]): Item[] {
  const deltas = output.flatMap(({ id, content }) =>
    partsOf(content).flatMap(({ text }) => deltasOf(String(text ?? ''), id ?? 'msg_1')),
  );
  return [{ type: 'response_started', providerData: { first: 'BAD' } }, ...deltas, done(output)];
}

export function deltasOf(text: string, itemId: unknown): Item[] {
  const pieces = text.match(/.{1,7}/gsu) ?? [];
  return pieces.map((delta) => ({ type: 'output_text_delta', delta, itemId, providerData: { raw: delta } }));
}

export const done = (output: readonly Item[]): Item => ({
  ...{ type: 'response_done', providerData: { raw: 'BAD' } },
  response: { id: 'resp_1', requestId: 'req_1', usage: USAGE, output, providerData: { raw: 'BAD' } },
});

export const partsOf = (content: unknown) => (Array.isArray(content) ? (content as readonly Item[]) : []);

/** Calls a guarded model as the runner does. @returns the received text, and the output */
async function asked(model: Pick<Model, 'getResponse' | 'getStreamedResponse'>, request: Request, isStreamed: boolean) {
  if (!isStreamed) {
    const { output } = await model.getResponse(request);
    return { shown: output.flatMap(({ content }) => partsOf(content).map(({ text }) => text ?? '')).join(''), output };
  }
  let shown = '';
  let output: readonly Item[] = [];
  for await (const event of model.getStreamedResponse(request)) {
    if (event['type'] === 'output_text_delta') shown += String(event['delta']);
    if (event['type'] === 'response_done') output = (event['response'] as { output: readonly Item[] }).output;
  }
  return { shown, output };
}

const isRefused = (output: readonly Item[]) =>
  output.some(({ content }) => partsOf(content)[0]?.['type'] === 'refusal');

export const openAiAgents: Driver = {
  adapter: 'openai-agents',
  answer: async (guard, { prompt, texts, streamed, leaving }) => {
    const model = new Model([says('', { content: texts.map((text) => textPart(text)) })], undefined, leaving);
    const request = { input: prompt, ...(leaving === undefined ? {} : { signal: leaving.signal }) };
    const left = { shown: '', output: [] };
    const told = await asked(guardModel(guard, model), request, streamed).catch((error: unknown) => {
      if (leaving === undefined) throw error;
      return left;
    });
    return {
      ...{ shown: told.shown, refused: isRefused(told.output) },
      ...{ asked: model.requests.length > 0, cancelled: model.isCancelled },
    };
  },
  call: async (guard, { input, run, streamed }) => {
    const toolCall = { type: 'function_call', callId: 'call_1', name: 'send', status: 'completed', arguments: input };
    const first = await asked(guardModel(guard, new Model([toolCall])), { input: 'Send it.' }, streamed);
    if (isRefused(first.output)) return { ran: false, read: JSON.stringify(first) };
    const { inputGuardrails, outputGuardrails } = toolGuardrails(guard);
    const before = await inputGuardrails[0]?.run({ toolCall });
    if (before?.behavior.type !== 'allow') return { ran: false, read: JSON.stringify(before) };
    let output: unknown;
    try {
      output = run();
    } catch (error) {
      output = `An error occurred: ${String(error)}`;
    }
    const after = await outputGuardrails[0]?.run({ toolCall, output });
    const result = after?.behavior.type === 'rejectContent' ? after.behavior.message : output;
    const model = new Model([says('Sent.')]);
    const item = { type: 'function_call_result', callId: 'call_1', name: 'send', status: 'completed', output: result };
    const last = await asked(guardModel(guard, model), { input: [toolCall, item] }, streamed);
    return { ran: true, read: JSON.stringify([first, model.requests, last]) };
  },
};
