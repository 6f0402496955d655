/** Drives LangChain: a chat model with `guardModel`, and agents of `createAgent` with the middleware. */
import { BaseChatModel, type BaseChatModelParams } from '@langchain/core/language_models/chat_models';
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { createAgent, tool } from 'langchain';
import { guardMiddleware, guardModel } from '../../../../lib/guard/adapters/langchain.ts';
import type { Driver, Scene } from './behaviours.ts';

type Content = AIMessageChunk['content'];
const REFUSED = 'content_filter';

interface Call {
  readonly signal?: AbortSignal;
}

/** A provider's model that answers each request with the next chunks, and repeats the last. */
export class ScriptedModel extends BaseChatModel {
  readonly prompts: BaseMessage[][] = [];
  readonly bound: unknown[] = [];
  /** Requests that ended before their answer. */
  cancelled = 0;
  readonly #answers: readonly (readonly AIMessageChunk[])[];
  readonly #leaving: AbortController | undefined;

  constructor(
    answers: readonly (readonly AIMessageChunk[])[],
    leaving?: AbortController,
    fields: BaseChatModelParams = {},
  ) {
    super(fields);
    this.#answers = answers;
    this.#leaving = leaving;
  }

  _llmType(): string {
    return 'scripted';
  }

  override bindTools(tools: readonly unknown[]) {
    this.bound.push(...tools);
    return this.withConfig({});
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = this.#next(messages).reduce((all, chunk) => all.concat(chunk));
    return { generations: [{ text: message.text, message }], llmOutput: { tokenUsage: { totalTokens: 2 } } };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    { signal }: Call,
  ): AsyncGenerator<ChatGenerationChunk> {
    let isWhole = false;
    try {
      for (const message of this.#next(messages)) {
        signal?.throwIfAborted();
        yield new ChatGenerationChunk({ text: message.text, message });
      }
      // An endless answer, which the application does not wait for.
      this.#leaving?.abort();
      signal?.throwIfAborted();
      isWhole = true;
    } finally {
      if (!isWhole) this.cancelled += 1;
    }
  }

  #next(messages: BaseMessage[]): readonly AIMessageChunk[] {
    this.prompts.push(messages);
    return this.#answers[Math.min(this.prompts.length, this.#answers.length) - 1] ?? [];
  }
}

/** Returns a chunk, or a complete answer. */
export function said(content: Content, fields: Readonly<Record<string, unknown>> = {}): AIMessageChunk {
  return new AIMessageChunk({ content, ...fields });
}

/** Cuts a text into chunks of seven characters. */
export function chunksOf(text: string, make: (piece: string) => AIMessageChunk = said): AIMessageChunk[] {
  return (text.match(/.{1,7}/gsu) ?? []).map(make);
}

/** Returns a tool call in chunks, as its arguments are written. */
export function callOf(name: string, input: string): AIMessageChunk[] {
  const pieces = input.match(/.{1,7}/gsu) ?? [''];
  return pieces.map((args, at) =>
    said('', { tool_call_chunks: [{ ...(at === 0 ? { name, id: '1' } : {}), args, index: 0 }] }),
  );
}

/** Reads a stream to its end, even after the application has left. */
async function streamed(model: BaseChatModel, { prompt, leaving }: Scene) {
  let all = new AIMessageChunk('');
  try {
    const options = leaving === undefined ? {} : { signal: leaving.signal };
    for await (const chunk of await model.stream(prompt, options)) all = all.concat(chunk);
  } catch (error) {
    if (leaving === undefined) throw error;
  }
  return all;
}

export const langchain: Driver = {
  adapter: 'langchain',
  answer: async (guard, scene) => {
    const blocks = scene.texts.map((text, index) => ({ type: 'text', text, index }));
    const chunks = scene.texts.length === 1 ? chunksOf(scene.texts[0] ?? '') : blocks.map((block) => said([block]));
    const scripted = new ScriptedModel([chunks], scene.leaving);
    const model = guardModel(guard, scripted);
    const message = scene.streamed ? await streamed(model, scene) : await model.invoke(scene.prompt);
    return {
      shown: message.text,
      refused: message.response_metadata['finish_reason'] === REFUSED,
      asked: scripted.prompts.length > 0,
      cancelled: scripted.cancelled > 0,
    };
  },
  call: async (guard, { input, run, streamed: isStreamed }) => {
    let ran = false;
    const execute = async () => {
      ran = true;
      return run();
    };
    const send = tool(execute, { name: 'send', description: 'Sends.', schema: { type: 'object', properties: {} } });
    const scripted = new ScriptedModel([callOf('send', input), chunksOf('Sent.')]);
    const agent = createAgent({
      model: guardModel(guard, scripted),
      tools: [send],
      middleware: [guardMiddleware(guard)],
    });
    const state = { messages: [{ role: 'user', content: 'Send it.' }] };
    const told: unknown[] = [];
    if (isStreamed)
      for await (const each of await agent.stream(state, { streamMode: ['messages', 'values'] })) told.push(each);
    else told.push(await agent.invoke(state));
    return { ran, read: JSON.stringify([scripted.prompts.slice(1), told]) };
  },
};
