/** Holds the chunks of a streamed answer of a LangChain model back until they were scanned. */
import type { Decision, Guard, GuardContext, HeldStream } from '../../types.ts';
import { copyOf, type Generation, type LangMessage, made, refusalFields } from './messages.ts';
import { decisionAboutRest, generationOf, hasDroppedMembers, keptMembers, textMember } from './output.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A text of the answer: its stream, and the chunk and block that its released text takes the form of. */
interface HeldText {
  readonly held: HeldStream;
  like: Generation;
  readonly block?: Fields | undefined;
}

/** Scanned text, and text that waits. */
export class HeldChunks {
  readonly #guard: Guard;
  readonly #context: GuardContext;
  /** Texts by choice, index and type of their blocks. */
  readonly #texts = new Map<string, HeldText>();
  /** Chunks without their texts, by choice: calls of tools and metadata wait for the end. */
  readonly #rest = new Map<number, Generation[]>();
  #blocked: Decision | undefined;

  constructor(guard: Guard, context: GuardContext) {
    this.#guard = guard;
    this.#context = context;
  }

  /** The decision that ended the answer. */
  get blocked(): Decision | undefined {
    return this.#blocked;
  }

  /** Adds a chunk. @returns what may be shown now */
  async push(chunk: Generation): Promise<readonly Generation[]> {
    const { content } = chunk.message;
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
    const released: (readonly Generation[])[] = [];
    const others: unknown[] = [];
    for (const block of blocks) {
      const text = this.#textOf(chunk, block);
      if (text === undefined) others.push(block);
      else if (this.#blocked === undefined) released.push(await this.#pushText(text));
      if (Array.isArray(content) && text?.rest !== undefined) others.push(text.rest);
    }
    const choice = choiceOf(chunk);
    const rest = restOf(chunk, Array.isArray(content) ? others : '');
    this.#rest.set(choice, [...(this.#rest.get(choice) ?? []), rest]);
    return released.flat();
  }

  /** Ends the answer. @returns all that waited and may be shown */
  async end(): Promise<readonly Generation[]> {
    const released: (readonly Generation[])[] = [];
    for (const text of this.#texts.values()) {
      if (this.#blocked === undefined) released.push(this.#released(text, await text.held.end()));
    }
    for (const chunks of this.#rest.values()) {
      this.#blocked ??= await decisionAboutRest(this.#guard, concatenated(chunks), this.#context, chunks);
    }
    if (this.#blocked !== undefined) return released.flat();
    return [...released, ...this.#rest.values()].flat();
  }

  /** Stops the scans: the reader has left. */
  cancel(): void {
    for (const { held } of this.#texts.values()) held.cancel();
  }

  /** Returns the chunk that ends a blocked answer, with what the model has reported as used. */
  refusal(decision: Decision, hasShown: boolean): Generation | undefined {
    const like = [...this.#rest.values()].flat()[0];
    if (like === undefined) return undefined;
    const used = [...this.#rest.values()].flat().find(({ message }) => message.usage_metadata !== undefined);
    const text = `${hasShown ? '\n\n' : ''}${this.#guard.message(decision)}`;
    const usage = used === undefined ? {} : { usage_metadata: used.message.usage_metadata };
    const message = made(like.message, { ...refusalFields(text), id: like.message.id, ...usage });
    return generationOf(like, { message, text, generationInfo: {} });
  }

  /** Finds the text of a block; undefined where it has none in a known form. */
  #textOf(chunk: Generation, block: unknown) {
    const choice = choiceOf(chunk);
    if (typeof block === 'string') return { key: `${choice} text`, text: block, chunk };
    const member = textMember(block);
    if (member === undefined) return undefined;
    const { [member]: text, ...others } = block as Fields;
    const key = `${choice} ${String(others['type'])} ${String(others['index'])}`;
    const { type, index, ...more } = others;
    // What a block has besides its text, such as annotations, waits with an empty text.
    const rest = Object.keys(more).length === 0 ? undefined : { ...others, [member]: '' };
    return { key, text: String(text), chunk, block: { type, ...(index === undefined ? {} : { index }) }, rest };
  }

  async #pushText({ key, text, chunk, block }: { key: string; text: string; chunk: Generation; block?: Fields }) {
    const known = this.#texts.get(key);
    const held = known ?? { held: this.#guard.stream(this.#context), like: chunk, block };
    held.like = chunk;
    this.#texts.set(key, held);
    return text === '' ? [] : this.#released(held, await held.held.push(text));
  }

  #released({ held, like, block }: HeldText, text: string): Generation[] {
    if (held.blocked) this.#blocked ??= held.decision;
    if (text === '') return [];
    const member = textMember({ ...block, text, reasoning: text, thinking: text });
    const content = block === undefined || member === undefined ? text : [{ ...block, [member]: text }];
    const message = made(like.message, { ...roleIn(like.message), content, id: like.message.id });
    const { prompt, completion } = like.generationInfo ?? {};
    const info = completion === undefined ? {} : { prompt, completion };
    const isText = member === undefined || member === 'text';
    return [generationOf(like, { message, text: isText ? text : '', generationInfo: info })];
  }
}

function roleIn({ role }: LangMessage) {
  return role === undefined ? {} : { role };
}

/** Returns the number of the choice that a chunk belongs to: a model may write several answers at once. */
function choiceOf({ generationInfo }: Generation): number {
  const { completion } = generationInfo ?? {};
  return typeof completion === 'number' ? completion : 0;
}

/** Returns a chunk without its texts. */
function restOf(chunk: Generation, content: unknown): Generation {
  const { message, generationInfo } = chunk;
  const hasDropped = [generationInfo, message.response_metadata, message.additional_kwargs].some(hasDroppedMembers);
  const isEmpty = JSON.stringify(message.content) === JSON.stringify(content) && chunk.text === '';
  if (isEmpty && !hasDropped) return chunk;
  return generationOf(chunk, { message: copyOf(message, { content, ...keptMembers(message) }), text: '' });
}

function concatenated(chunks: readonly Generation[]): Generation {
  return chunks.reduce((all, chunk) => all.concat?.(chunk) ?? chunk);
}
