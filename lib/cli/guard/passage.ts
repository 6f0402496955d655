/** The way of a text through the guard, from standard input to standard output. */
import type { Guard, GuardContext, HeldStream } from '../../guard/guard.ts';
import type { Arrival } from './arrivals.ts';
import type { Sizes } from './request.ts';

/** Text is handed to the guard in pieces of this length, so that what is cleared leaves before the rest is scanned. */
const PIECE = 200;

/** The path of a text: the guard, its windows, and the output. */
export interface Way {
  readonly guard: Guard;
  readonly context: GuardContext;
  /** Undefined: everything is held until the end. */
  readonly windows: Sizes | undefined;
  /** Writes cleared text. */
  readonly write: (text: string) => Promise<void>;
}

/** Lets a text pass as it is cleared. Ends where it is cut. */
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
  /** Text that the held stream has not released. Its first `#shown` code units were already written. */
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
   * Lets complete lines pass, although the window is not full. The unfinished line is scanned with them and stays. The end of
   * what leaves is scanned again before the text that follows, as the overlap of windows is.
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

/** Moves a place out of a surrogate pair. */
function startOfCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}
