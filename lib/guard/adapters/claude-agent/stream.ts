/** Holds back the stream events of the Claude Agent SDK: texts in windows, everything else until it is complete. */
import type { HeldStream } from '../../types.ts';
import { type Values, valuesOf } from '../texts.ts';
import { Waiting } from '../waiting.ts';
import { argumentsOf } from '../whole.ts';
import { isCall, isText, type MessageScanner, Refusal } from './scanner.ts';

/** Texts of one type that follow each other: a reader joins them, so that they are scanned as one. */
interface Texts {
  readonly type: 'text' | 'thinking';
  readonly held: HeldStream;
  readonly waiting: Waiting<Values>;
  /** The latest of them: what was scanned and shown of it. */
  raw: string;
  shown: string;
}

/** A block that is under way. */
interface Open {
  readonly start: Values;
  readonly block: Values;
  readonly index: unknown;
  /** Deltas of a block without text. */
  readonly deltas: Values[];
}

/** What one agent of a query says. Its messages leave in their order. */
export class AgentStream {
  readonly #scanner: MessageScanner;
  readonly #hold: (message: Values) => HeldStream;
  #texts: Texts | undefined;
  #open: Open | undefined;

  constructor(scanner: MessageScanner, hold: (message: Values) => HeldStream) {
    this.#scanner = scanner;
    this.#hold = hold;
  }

  /** Yields the messages that may leave after an event. */
  async *event(message: Values): AsyncGenerator<Values> {
    const { event: given, ...outer } = message;
    const event = valuesOf(given);
    const open = this.#open?.index === event['index'] ? this.#open : undefined;
    await this.#scanner.shell(message, outer);
    switch (event['type']) {
      case 'content_block_start':
        yield* this.#start(message, event);
        break;
      case 'content_block_delta':
        // Text without a start belongs to no answer: it never passes.
        if (open !== undefined) yield* this.#delta(open, message, valuesOf(event['delta']));
        break;
      case 'content_block_stop':
        this.#open = undefined;
        if (open !== undefined && !isText(open.block['type'])) yield* this.#whole(open);
        if (open !== undefined) yield* this.inTurn(message);
        break;
      default:
        if (String(event['type']).startsWith('message_')) yield* this.flush();
        await this.#scanner.shell(message, event);
        yield* this.inTurn(message);
    }
  }

  /** Lets a message pass behind the text before it. A complete message repeats that text. */
  async *inTurn(message: Values): AsyncGenerator<Values> {
    const { waiting } = this.#texts ?? {};
    if (waiting?.isEmpty === false) waiting.other(message);
    else yield await this.#passed(message);
  }

  /** Ends the text under way: something else follows. */
  async *flush(): AsyncGenerator<Values> {
    const texts = this.#texts;
    if (texts !== undefined) yield* this.#released(texts, await texts.held.end(), true);
    this.#texts = undefined;
  }

  cancel(): void {
    this.#texts?.held.cancel();
  }

  async #passed(message: Values): Promise<Values> {
    const { raw, shown } = this.#texts ?? { raw: '', shown: '' };
    if (raw !== '') this.#scanner.remember(raw, shown);
    const isStart = valuesOf(message['event'])['type'] === 'content_block_start';
    if (isStart && this.#texts !== undefined) Object.assign(this.#texts, { raw: '', shown: '' });
    return message['type'] === 'assistant' ? this.#scanner.assistant(message) : message;
  }

  async *#start(message: Values, event: Values): AsyncGenerator<Values> {
    const block = valuesOf(event['content_block']);
    const { type } = block;
    if (this.#texts?.type !== type) yield* this.flush();
    this.#open = { start: message, block, index: event['index'], deltas: [] };
    if (!isText(type)) return;
    const { [type]: first, ...rest } = block;
    await this.#scanner.shell(message, rest);
    this.#texts ??= { type, held: this.#hold(message), waiting: new Waiting(), raw: '', shown: '' };
    yield* this.inTurn({ ...message, event: { ...event, content_block: { ...block, [type]: '' } } });
    if (typeof first === 'string' && first !== '') yield* this.#pushed(this.#texts, message, first);
  }

  async *#delta(open: Open, message: Values, delta: Values): AsyncGenerator<Values> {
    const texts = this.#texts;
    if (texts === undefined || !isText(open.block['type'])) {
      open.deltas.push(message);
      return;
    }
    const { type, [texts.type]: piece, ...rest } = delta;
    const isPiece = type === `${texts.type}_delta`;
    await this.#scanner.shell(message, isPiece ? rest : delta);
    if (isPiece) yield* this.#pushed(texts, message, String(piece));
    else yield* this.inTurn(message);
  }

  async *#pushed(texts: Texts, message: Values, piece: string): AsyncGenerator<Values> {
    texts.waiting.text(message, piece);
    yield* this.#released(texts, await texts.held.push(piece), false);
  }

  /** Yields released text, and what waited behind it. @throws Refusal after a block */
  async *#released(texts: Texts, released: string, isEnd: boolean): AsyncGenerator<Values> {
    const { held, type, waiting } = texts;
    for (const { item: message, text, said } of waiting.leaving(released, isEnd)) {
      if (text === undefined) yield await this.#passed(message);
      else {
        const { index } = valuesOf(message['event']);
        const event = { type: 'content_block_delta', index, delta: { type: `${type}_delta`, [type]: text } };
        if (text !== '') yield { ...message, event };
        texts.raw += said;
        texts.shown += text;
        if (held.blocked) break;
      }
    }
    if (held.blocked && held.decision !== undefined) throw new Refusal(held.decision);
  }

  /** Decides about a block without text, such as a tool call. */
  async *#whole({ start, block, index, deltas }: Open): AsyncGenerator<Values> {
    const all = deltas.map((message) => valuesOf(valuesOf(message['event'])['delta']));
    const json = all.map((delta) => String(delta['partial_json'] ?? '')).join('');
    const others = all.map(({ partial_json: _, ...delta }) => delta);
    const isInput = isCall(block) && json !== '';
    // Text in pieces is seen as a whole.
    await this.#scanner.shell(start, [others, isInput ? '' : json]);
    const event = valuesOf(start['event']);
    const shown = await this.#scanner.block(start, isInput ? { ...block, input: argumentsOf(json) } : block);
    if (!isInput) yield* [{ ...start, event: { ...event, content_block: shown } }, ...deltas];
    else {
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(shown['input']) };
      yield { ...start, event: { ...event, content_block: { ...shown, input: {} } } };
      yield { ...start, event: { type: 'content_block_delta', index, delta } };
    }
  }
}
