/** Measures how long the pieces of a stream were held back. */
export class HeldTime {
  readonly #now: () => number;
  readonly #observe: (milliseconds: number) => void;
  /** Arrivals that were not released, in order: the length of the stream up to their end, and when they came. */
  readonly #waiting: { readonly end: number; readonly at: number }[] = [];
  #first = 0;
  #length = 0;
  #released = 0;

  constructor(now: () => number, observe: (milliseconds: number) => void) {
    this.#now = now;
    this.#observe = observe;
  }

  /** A piece has come. @param length in characters */
  came(length: number): void {
    if (length === 0) return;
    this.#length += length;
    this.#waiting.push({ end: this.#length, at: this.#now() });
  }

  /** Text was released; masked text may be shorter or longer, and counts with its own length. */
  left(length: number): void {
    this.#released += length;
    this.#release(this.#released);
  }

  /** The stream ended, and nothing waits any longer. */
  end(): void {
    this.#release(Infinity);
  }

  #release(end: number): void {
    const now = this.#now();
    for (let next = this.#waiting[this.#first]; next !== undefined && next.end <= end; ) {
      this.#observe(now - next.at);
      this.#first += 1;
      next = this.#waiting[this.#first];
    }
  }
}
