/** Lines on a terminal that are drawn again in place, and leave no trace. */
import { stripVTControlCharacters } from 'node:util';
import type { TerminalOutput } from '../host.ts';

const STANDARD_WIDTH = 80;
const NARROWEST = 20;

/** Draws lines on one stream, which is a terminal. */
export class LiveLines {
  readonly #stream: TerminalOutput;
  #drawn: readonly number[] = [];
  #again: (() => void) | undefined;

  constructor(stream: TerminalOutput) {
    this.#stream = stream;
  }

  /** Columns that a line may have: the last one stays free, because some terminals break a full line. */
  get width(): number {
    return Math.max(NARROWEST, this.#stream.columns ?? STANDARD_WIDTH) - 1;
  }

  /** Lines that fit below each other. */
  get height(): number {
    return Math.max(1, (this.#stream.rows ?? 24) - 1);
  }

  /** Lines are drawn now. */
  get isThere(): boolean {
    return this.#drawn.length > 0;
  }

  /** Replaces the lines. @param again draws them for another width, after a resize */
  draw(lines: readonly string[], again: () => void): void {
    this.#stream.write(this.#erased() + lines.join('\n'));
    this.#drawn = lines.map((line) => stripVTControlCharacters(line).length);
    if (this.#again !== undefined) this.#stream.off('resize', this.#again);
    this.#again = again;
    this.#stream.on('resize', again);
  }

  /** Removes the lines. */
  remove(): void {
    if (this.#again !== undefined) this.#stream.off('resize', this.#again);
    this.#again = undefined;
    if (!this.isThere) return;
    this.#stream.write(this.#erased());
    this.#drawn = [];
  }

  /** Returns what erases the lines. A terminal that became narrower has broken them. */
  #erased(): string {
    const columns = Math.max(1, this.#stream.columns ?? STANDARD_WIDTH);
    const rows = this.#drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return rows <= 1 ? '\r\u001b[2K' : `\r\u001b[${rows - 1}A\u001b[J`;
  }
}
