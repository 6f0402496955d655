/** Passes a text through the guard: reads it as it arrives, and writes it as it is cleared. */

import type { Readable } from 'node:stream';
import { UsageError } from '../../../../core/errors.ts';
import { isJson } from '../../../../core/json.ts';
import { grouped } from '../../../../core/text/numbers.ts';
import { utf8Length } from '../../../../core/text/utf8.ts';
import type { Decision, Guard, GuardContext, HeldStream } from '../../../../guard/guard.ts';
import { TextDecoding } from '../../../../node/files/decode-text.ts';
import { codeText } from '../../../../node/system/system-error.ts';
import type { Sizes, Subject } from './request.ts';

/** Text is passed to the guard in pieces of this length, so that cleared text is written before the rest is scanned. */
const PIECE = 200;

/** The path of a text: the guard, its windows, and the output. */
interface Way {
  readonly guard: Guard;
  readonly context: GuardContext;
  /** If undefined, everything is held until the end. */
  readonly windows: Sizes | undefined;
  /** Writes cleared text. */
  readonly write: (text: string) => Promise<void>;
}

/** Passes a text on as it is cleared. Ends where the text is cut off. */
export async function passStream(arriving: AsyncIterable<Arrival>, way: Way): Promise<void> {
  const passage = new Passage(way);
  try {
    for await (const arrival of arriving) {
      if (arrival === 'pause') await passage.pause();
      else await passage.push(arrival.text);
      if (passage.isOver) return;
    }
    await passage.end();
  } finally {
    passage.cancel();
  }
}

class Passage {
  readonly #way: Way;
  #held: HeldStream;
  /** Text that the guard's stream has not released yet. Its first `#shown` code units were already written. */
  #waiting = '';
  #shown = 0;
  #isCut = false;

  constructor(way: Way) {
    this.#way = way;
    this.#held = way.guard.stream(way.context);
  }

  get isOver(): boolean {
    return this.#isCut || this.#held.blocked || this.#way.context.signal?.aborted === true;
  }

  async push(text: string): Promise<void> {
    for (let at = 0; at < text.length && !this.isOver; at += PIECE) {
      const piece = text.slice(at, at + PIECE);
      this.#waiting += piece;
      await this.#release(await this.#held.push(piece));
    }
  }

  async end(): Promise<void> {
    await this.#release(await this.#held.end());
  }

  cancel(): void {
    this.#held.cancel();
  }

  /**
   * Passes complete lines on, although the window is not full. The unfinished line is scanned with them but held back.
   * The end of the released text is scanned again with the text that follows, like the overlap of windows.
   */
  async pause(): Promise<void> {
    const end = this.#waiting.lastIndexOf('\n') + 1;
    const { guard, context, windows } = this.#way;
    if (windows === undefined || end <= this.#shown) return;
    const { action } = await guard.output(this.#waiting, context);
    if (action !== 'allow' || this.isOver) {
      this.#isCut = true;
      return;
    }
    await this.#way.write(this.#waiting.slice(this.#shown, end));
    this.#held.cancel();
    this.#held = guard.stream(context);
    const from = startOfCharacter(this.#waiting, Math.max(0, end - windows.overlap));
    const again = this.#waiting.slice(from);
    this.#shown = end - from;
    this.#waiting = '';
    await this.push(again);
  }

  async #release(text: string): Promise<void> {
    if (text === '') return;
    this.#waiting = this.#waiting.slice(text.length);
    const fresh = text.slice(this.#shown);
    this.#shown = Math.max(0, this.#shown - text.length);
    if (fresh !== '') await this.#way.write(fresh);
  }
}

/** Moves a position out of the middle of a surrogate pair. */
function startOfCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}

/** A piece of text, or a pause of its writer. */
type Arrival = { readonly text: string } | 'pause';

const HINT = 'The guard takes UTF-8, or UTF-16 with a byte-order mark. Nothing after this place has passed.';

/**
 * Reads a stream of UTF-8, in which a byte-order mark is text, or of UTF-16 with a mark. A character that is split at
 * the end of a chunk waits for its other bytes. @param pauseMs time without text after which one pause is yielded; 0
 * for never
 * @throws UsageError for bytes that are not text
 */
export async function* arrivals(stream: Readable, signal: AbortSignal, pauseMs: number): AsyncGenerator<Arrival> {
  const decode = decoding();
  const chunks: AsyncIterator<Uint8Array | string, undefined> = stream[Symbol.asyncIterator]();
  const stop = () => void stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    while (!signal.aborted) {
      const next = chunks.next();
      if (pauseMs > 0 && !(await isSettled(next, pauseMs))) yield 'pause';
      const { value, done } = await next;
      const text = decode(value);
      if (text !== '') yield { text };
      if (done === true) return;
    }
  } catch (thrown) {
    if (signal.aborted) return;
    if (thrown instanceof UsageError) throw thrown;
    throw new UsageError(`Standard input cannot be read${codeText(thrown)}.`);
  } finally {
    signal.removeEventListener('abort', stop);
    // Stop reading; the writer then ends by itself, as before `head`.
    stream.destroy();
  }
}

/** Waits for work, at most for the given time. @returns whether the work ended */
async function isSettled(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const ended = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a function that decodes chunk after chunk, and undefined as the end. */
function decoding(): (chunk: Uint8Array | string | undefined) => string {
  const decoder = new TextDecoding('Standard input', { keepsMark: true });
  let units = 0;
  return (chunk) => {
    const text = decoded(decoder, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    const zero = text.indexOf('\0');
    if (zero >= 0)
      throw new UsageError(`Standard input is not text: its character ${grouped(units + zero + 1)} is a zero.`, {
        hint: HINT,
      });
    units += text.length;
    return text;
  };
}

function decoded(decoder: TextDecoding, chunk: Uint8Array | undefined): string {
  try {
    return chunk === undefined ? decoder.end() : decoder.push(chunk);
  } catch (thrown) {
    throw thrown instanceof UsageError ? new UsageError(thrown.message, { hint: HINT }) : thrown;
  }
}

/** Maximum size of one scan, in bytes; source: `docs/wire.md`. */
const MAX_BYTES = 2_097_152;

/** Reads a text to its end. @throws UsageError if it is too long for one scan */
export async function readToEnd(arriving: AsyncIterable<Arrival>): Promise<string> {
  const pieces: string[] = [];
  let bytes = 0;
  for await (const arrival of arriving) {
    if (arrival === 'pause') continue;
    pieces.push(arrival.text);
    bytes += utf8Length(arrival.text);
    if (bytes > MAX_BYTES)
      throw new UsageError(`Standard input is longer than one scan takes: ${grouped(MAX_BYTES)} bytes.`);
  }
  return pieces.join('');
}

/** Decides on a whole text. @throws UsageError for the input of a tool that is not JSON */
export function decideWhole(
  text: string,
  guard: Guard,
  subject: Exclude<Subject, { kind: 'output' }>,
  context: GuardContext,
): Promise<Decision> {
  if (subject.kind === 'input') return guard.input(text, context);
  const { server, tool, isResult } = subject;
  if (!isResult) checkJson(text);
  // The guard decodes it, and refuses JSON that parsers read differently, such as two members with the same name.
  return guard.tool({ server, tool, ...(isResult ? { output: text } : { input: text }) }, context);
}

function checkJson(text: string): void {
  if (isJson(text)) return;
  throw new UsageError('Standard input must be JSON: the input of a tool.', {
    hint: 'For the result of a call, which may be any text, add --result.',
  });
}
