/** Reads a request body piece by piece: its sender waits while a piece is being worked on. */
import type { Readable } from 'node:stream';

/** The sender left before the end of its body. */
export class SenderLeft extends Error {}

export class Chunks {
  readonly #input: Readable;
  #waiting: Uint8Array[] = [];
  #isOver = false;
  #failed = false;
  #wake: () => void = () => undefined;

  constructor(input: Readable) {
    this.#input = input;
    input.on('data', (chunk: Uint8Array) => {
      input.pause();
      this.#waiting.push(chunk);
      this.#wake();
    });
    input.on('end', () => this.#end(false));
    input.on('error', () => this.#end(true));
    input.on('close', () => this.#end(true));
    input.pause();
  }

  /**
   * Returns the next chunk; undefined at the end.
   * @param ms time to wait for it
   * @throws SenderLeft, and the reason of the signal
   */
  async next(ms: number, signal: AbortSignal, late: () => Error): Promise<Uint8Array | undefined> {
    signal.throwIfAborted();
    if (this.#waiting.length === 0 && !this.#isOver) await this.#wait(ms, signal, late);
    const chunk = this.#waiting.shift();
    if (chunk === undefined && this.#failed) throw new SenderLeft('The sender left.');
    return chunk;
  }

  /** Reads the rest, and drops it: a connection that closes with unread bytes may lose the last event. @param ms at most */
  async drop(ms: number): Promise<void> {
    this.#input.removeAllListeners('data');
    this.#waiting = [];
    this.#input.resume();
    if (this.#isOver) return;
    await this.#wait(ms, new AbortController().signal, () => new Error('late')).catch(() => undefined);
  }

  #wait(ms: number, signal: AbortSignal, late: () => Error): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        this.#wake = () => undefined;
        settle();
      };
      const stop = () => done(() => reject(signal.reason as Error));
      const timer = setTimeout(() => done(() => reject(late())), ms);
      signal.addEventListener('abort', stop);
      this.#wake = () => done(resolve);
      this.#input.resume();
    });
  }

  #end(failed: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failed = failed;
    this.#wake();
  }
}
