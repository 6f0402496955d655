/** Holds back the stream events of the Claude Agent SDK: texts in windows, everything else until it is complete. */
import type { Guard, HeldStream } from '../../types.ts';
import {
  CALLS,
  type ContextOf,
  isEmpty,
  type MessageScanner,
  OPAQUE,
  Refusal,
  TEXTS,
  type Values,
  valuesOf,
} from './scanner.ts';

/** A block of an answer that is under way. */
interface OpenBlock {
  readonly start: Values;
  readonly block: Values;
  /** Member of the deltas that holds their text; set for texts. */
  readonly member: string | undefined;
  readonly held: HeldStream | undefined;
  raw: string;
  shown: string;
  isFinished: boolean;
  /** Messages behind the text, or all messages of a block without text. */
  waiting: Values[];
  /** The last message of the text, in whose form the rest leaves. */
  last: Values;
}

/** The streams of one query. */
export class EventScanner {
  readonly #guard: Guard;
  readonly #scanner: MessageScanner;
  readonly #contextOf: ContextOf;
  /** Open blocks by the call of the subagent that writes them, and their index. */
  readonly #open = new Map<string, OpenBlock>();

  constructor(guard: Guard, scanner: MessageScanner, contextOf: ContextOf) {
    this.#guard = guard;
    this.#scanner = scanner;
    this.#contextOf = contextOf;
  }

  /** Returns the messages that may leave now. */
  async event(message: Values): Promise<readonly Values[]> {
    const event = valuesOf(message['event']);
    const key = `${scopeOf(message)} ${String(event['index'])}`;
    const open = this.#open.get(key);
    switch (event['type']) {
      case 'content_block_start':
        return this.#start(message, event, key);
      case 'content_block_delta':
        // Text without a start belongs to no answer: it never passes.
        return open === undefined ? [] : this.#delta(message, event, open);
      case 'content_block_stop':
        return open === undefined ? [] : this.#stop(message, key, open);
      case 'message_start':
        await this.#scanner.whole(message, valuesOf(event['message'])['content']);
        return [message];
      case 'message_delta':
        // The provider explains its own refusals here.
        await this.#scanner.whole(message, valuesOf(event['delta'])['stop_details']);
        return [message];
      case 'message_stop':
      case 'ping':
        return [message];
      default:
        await this.#scanner.whole(message, event);
        return [message];
    }
  }

  /** Releases the rest of the texts that a complete message repeats: it comes before the end of their stream. */
  async before(message: Values): Promise<readonly Values[]> {
    const { content } = valuesOf(message['message']);
    let rest: readonly Values[] = [];
    for (const block of Array.isArray(content) ? content.map(valuesOf) : []) {
      const open = this.#repeated(scopeOf(message), block);
      if (open !== undefined) rest = [...rest, ...(await this.#finish(open))];
    }
    return rest;
  }

  cancel(): void {
    for (const { held } of this.#open.values()) held?.cancel();
    this.#open.clear();
  }

  /** Returns the indexes of the texts of the main answer that a reader has seen the start of. */
  indexes(): readonly number[] {
    const main = `${scopeOf({})} `;
    const shown = [...this.#open].filter(([key, { held }]) => key.startsWith(main) && held !== undefined);
    return shown.map(([key]) => Number(key.slice(main.length)));
  }

  #repeated(scope: string, block: Values): OpenBlock | undefined {
    const { member } = TEXTS[String(block['type'])] ?? {};
    const own = [...this.#open].filter(([key]) => key.startsWith(`${scope} `)).map(([, open]) => open);
    if (member === undefined) return undefined;
    return own.find((open) => open.member === member && !open.isFinished && open.raw === block[member]);
  }

  async #start(message: Values, event: Values, key: string): Promise<readonly Values[]> {
    const block = valuesOf(event['content_block']);
    const { member } = TEXTS[String(block['type'])] ?? {};
    const held = member === undefined ? undefined : this.#guard.stream(this.#contextOf(message));
    const open = { start: message, block, member, held, raw: '', shown: '', isFinished: false };
    const opened: OpenBlock = { ...open, waiting: [], last: message };
    this.#open.get(key)?.held?.cancel();
    this.#open.set(key, opened);
    if (member === undefined) return [];
    await this.#scanner.whole(message, block['citations']);
    const told = { ...message, event: { ...event, content_block: { ...block, [member]: '' } } };
    const text = String(block[member] ?? '');
    return text === '' ? [told] : [told, ...(await this.#push(opened, text, message))];
  }

  async #delta(message: Values, event: Values, open: OpenBlock): Promise<readonly Values[]> {
    const delta = valuesOf(event['delta']);
    if (open.member === undefined || delta['type'] !== TEXTS[String(open.block['type'])]?.delta) {
      open.waiting.push(message);
      return [];
    }
    open.last = message;
    return this.#push(open, String(delta[open.member]), message);
  }

  async #push(open: OpenBlock, text: string, message: Values): Promise<readonly Values[]> {
    // What follows its own end was repeated by no message: it is a text of its own.
    if (open.isFinished) return [];
    open.raw += text;
    return released(open, (await open.held?.push(text)) ?? '', message);
  }

  async #stop(message: Values, key: string, open: OpenBlock): Promise<readonly Values[]> {
    const rest = open.held === undefined ? await this.#whole(open) : await this.#finish(open);
    this.#open.delete(key);
    return [...rest, message];
  }

  /** Ends a text: the rest leaves once it was scanned, then what waited behind it. */
  async #finish(open: OpenBlock): Promise<readonly Values[]> {
    const rest = open.isFinished ? [] : released(open, (await open.held?.end()) ?? '', open.last);
    if (!open.isFinished) this.#scanner.remember(open.raw, open.shown);
    open.isFinished = true;
    const { waiting } = open;
    open.waiting = [];
    await this.#scanner.whole(open.start, textsIn(waiting));
    return [...rest, ...waiting];
  }

  /** Decides about a block without text, such as a call of a tool. */
  async #whole({ start, block, waiting }: OpenBlock): Promise<readonly Values[]> {
    const type = String(block['type']);
    const text = textsIn(waiting);
    if (CALLS.includes(type)) return this.#call(start, block, waiting);
    await this.#scanner.block(start, block);
    await this.#scanner.whole(start, text);
    return [start, ...waiting];
  }

  async #call(start: Values, block: Values, waiting: readonly Values[]): Promise<readonly Values[]> {
    const text = textsIn(waiting);
    const input = text === '' ? block['input'] : parsed(text);
    const shown = await this.#scanner.input(start, block, input);
    // A call whose input is no JSON has no input for a tool, but its text is text.
    if (shown === input && typeof input === 'string') await this.#scanner.whole(start, input);
    if (shown === input) return [start, ...waiting];
    const event = valuesOf(start['event']);
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(shown) };
    return [
      { ...start, event: { ...event, content_block: { ...block, input: {} } } },
      { ...start, event: { type: 'content_block_delta', index: event['index'], delta } },
    ];
  }
}

/** Writes the deltas that may leave. @throws Refusal after a block; text cleared before it leaves first */
function released(open: OpenBlock, text: string, message: Values): readonly Values[] {
  const { held, block, member = 'text' } = open;
  open.shown += text;
  const { index } = valuesOf(message['event']);
  const delta = { type: TEXTS[String(block['type'])]?.delta, [member]: text };
  const passed = text === '' ? [] : [{ ...message, event: { type: 'content_block_delta', index, delta } }];
  if (held?.blocked === true && held.decision !== undefined) throw new Refusal(held.decision, passed);
  return passed;
}

/** Joins the texts of deltas of any form, so that text in pieces is seen as a whole. */
function textsIn(messages: readonly Values[]): string {
  const deltas = messages.map((message) => valuesOf(valuesOf(message['event'])['delta']));
  return deltas
    .filter(({ type }) => !OPAQUE.includes(String(type)))
    .flatMap(({ type: _, ...members }) => Object.values(members))
    .filter((member) => !isEmpty(member))
    .map((member) => (typeof member === 'string' ? member : JSON.stringify(member)))
    .join('');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Names whose answer a message belongs to: that of a subagent, or the main one. */
function scopeOf(message: Values): string {
  return JSON.stringify(message['parent_tool_use_id'] ?? null);
}
