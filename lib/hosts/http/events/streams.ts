/** Counts the open event streams of each token. */
export class Streams {
  readonly #limit: number;
  readonly #open = new Map<string, number>();

  /** @param limit maximum number of open streams per token */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Registers a token's stream. @returns a function to call at its end; undefined if the token has too many */
  enter(caller: string): (() => void) | undefined {
    const count = this.#open.get(caller) ?? 0;
    if (count >= this.#limit) return undefined;
    this.#open.set(caller, count + 1);
    return () => {
      const left = (this.#open.get(caller) ?? 1) - 1;
      if (left === 0) this.#open.delete(caller);
      else this.#open.set(caller, left);
    };
  }

  count(): number {
    return [...this.#open.values()].reduce((sum, count) => sum + count, 0);
  }
}
