/** Holds back the chunks of a streamed LangChain answer until they are scanned. */

import type { AIMessageChunk } from '@langchain/core/messages';
import { present } from '../../../core/json.ts';
import type { Decision, Guard, GuardContext, HeldStream } from '../../types.ts';
import type { Values } from '../values.ts';
import {
  blocksOf,
  blockText,
  copyOf,
  decisionAboutOthers,
  maskedAnswer,
  reasoningIn,
  signsIn,
  wholeAnswer,
} from './answer.ts';

/**
 * One answer. Its text is one stream, even across several blocks. Reasoning waits for the text after it; tool calls,
 * other blocks and metadata wait for the end.
 */
export class HeldAnswer {
  readonly #guard: Guard;
  readonly #context: GuardContext;
  readonly #text: HeldStream;
  /** The block that held the latest text, without the text; undefined for plain text. */
  #block: Values | undefined;
  /** Chunks without their text. */
  #waiting: AIMessageChunk[] = [];
  /** Members of blocks besides their text, such as annotations. */
  readonly #besides: Values[] = [];
  #thought = '';
  #blocked: Decision | undefined;

  constructor(guard: Guard, context: GuardContext) {
    this.#guard = guard;
    this.#context = context;
    this.#text = guard.stream(context);
  }

  /** The decision that ended the answer. */
  get blocked(): Decision | undefined {
    return this.#blocked;
  }

  /** The members that are kept of a refused answer. */
  get reported(): Values {
    if (this.#waiting.length === 0) return {};
    const { id, usage_metadata } = concatenated(this.#waiting);
    return signsIn({ id, usage_metadata });
  }

  /** Adds a chunk. @returns the chunks that may be shown now */
  async push(chunk: AIMessageChunk): Promise<readonly AIMessageChunk[]> {
    const shown: (readonly AIMessageChunk[])[] = [];
    const others: unknown[] = [];
    for (const block of blocksOf(chunk.content)) {
      const text = blockText(block);
      if (text === undefined) others.push(block);
      else if (this.#blocked === undefined) shown.push(await this.#pushText(block, text, chunk));
    }
    this.#waiting.push(copyOf(chunk, { content: Array.isArray(chunk.content) ? others : '' }));
    return shown.flat();
  }

  /** Ends the answer. @returns the held chunks that may be shown */
  async end(): Promise<readonly AIMessageChunk[]> {
    const rest = concatenated(this.#waiting);
    const shown = this.#released(await this.#text.end(), rest);
    if (this.#blocked !== undefined) return shown;
    const blocks = [...blocksOf(rest.content).filter((block) => block !== ''), ...this.#besides];
    return [...shown, ...(await this.#checked(copyOf(rest, { content: blocks.length === 0 ? '' : blocks })))];
  }

  /** Stops the scans: the reader has left. */
  cancel(): void {
    this.#text.cancel();
  }

  async #pushText(block: unknown, text: string, chunk: AIMessageChunk): Promise<readonly AIMessageChunk[]> {
    if (typeof block === 'string') this.#block = undefined;
    else {
      const { type, index, text: _, ...more } = block as Values;
      this.#block = { type, ...(index === undefined ? {} : { index }) };
      if (Object.keys(more).length > 0) this.#besides.push({ ...(block as Values), text: '' });
    }
    if (text === '') return [];
    const thought = await this.#endThought();
    return this.#blocked === undefined ? [...thought, ...this.#released(await this.#text.push(text), chunk)] : [];
  }

  /** Shows reasoning before the text that follows it, so that a reader gets both in order. */
  async #endThought(): Promise<readonly AIMessageChunk[]> {
    const blocks = this.#waiting.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    const isThought = blocks.length > 0 && blocks.every((block) => reasoningIn(block) !== undefined);
    if (!isThought || this.#waiting.some((chunk) => (chunk.tool_call_chunks ?? []).length > 0)) return [];
    const thought = concatenated(this.#waiting);
    this.#waiting = [];
    const shown = await this.#checked(thought);
    this.#thought += blocks.map(reasoningIn).join('');
    return shown;
  }

  async #checked(chunk: AIMessageChunk): Promise<readonly AIMessageChunk[]> {
    const decision = await decisionAboutOthers(this.#guard, chunk, this.#context, this.#thought);
    if (decision?.action === 'block') this.#blocked = decision;
    if (this.#blocked !== undefined) return [];
    const isMasked = this.#text.masked || decision?.action === 'mask';
    return [isMasked ? maskedAnswer(chunk, '') : wholeAnswer(chunk)];
  }

  #released(text: string, like: AIMessageChunk): AIMessageChunk[] {
    if (this.#text.blocked) this.#blocked ??= this.#text.decision;
    if (text === '') return [];
    const content = this.#block === undefined ? text : [{ ...this.#block, text }];
    // How the framework reads blocks depends on the provider.
    const { model_provider, output_version } = like.response_metadata;
    const { id, ...known } = signsIn({ id: like.id, model_provider, output_version });
    const response_metadata = present(known);
    const none = { name: undefined, usage_metadata: undefined, additional_kwargs: {} };
    return [copyOf(like, { content, id, response_metadata, ...none, tool_calls: [], tool_call_chunks: [] })];
  }
}

function concatenated(chunks: readonly AIMessageChunk[]): AIMessageChunk {
  return chunks.reduce((all, chunk) => all.concat(chunk));
}
