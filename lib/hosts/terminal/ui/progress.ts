/** Shows the progress of long work on stderr: a line with a bar on a terminal, a line every 30 seconds elsewhere. */

import { stripVTControlCharacters } from 'node:util';
import { type Amount, duration } from '../../../core/progress.ts';
import type { TerminalOutput } from './host.ts';
import { columns } from './measure.ts';
import { sanitize } from './sanitize.ts';
import { cut } from './wrap.ts';

/** Time between two updates; silence after which a log gets a line; age at which a terminal shows a command. */
const [TICK_MS, SILENCE_MS, NOTICED_MS] = [1000, 30_000, 1000];
/** Columns of a bar; a narrower bar would show nothing. */
const [SHORTEST_BAR, LONGEST_BAR] = [5, 24];

/** The text on the screen now. */
interface Shown {
  readonly line: string;
  readonly amount: Amount | undefined;
  readonly since: number | undefined;
}

/** Returns the lines of a block for a width and a height. */
export type Block = (width: number, height: number) => readonly string[];

/** Progress of the work in one program run. */
export class Progress {
  readonly #live: LiveLines | undefined;
  readonly #write: (line: string) => void;
  readonly #working: { readonly what: string; readonly since: number }[] = [];
  #shown: Shown | undefined;
  #block: Block | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #saidAt = performance.now();

  /**
   * @param isRedrawn whether the stream is a terminal that can erase lines
   * @param write writes a line that stays
   */
  constructor(stream: TerminalOutput, isRedrawn: boolean, write: (line: string) => void) {
    this.#live = isRedrawn ? new LiveLines(stream) : undefined;
    this.#write = write;
  }

  /**
   * Shows a line.
   * @param since start of the work, by `performance.now()`: its age is shown next to the line, and keeps counting
   */
  show(line: string, since?: number, amount?: Amount): void {
    this.#shown = { line: sanitize(line).replace(/\n/g, ' '), amount, since };
    this.#start();
    this.#draw();
  }

  /** Draws a block of lines, which is not for logs. */
  showBlock(block: Block): void {
    this.#block = block;
    this.#start();
    this.#draw();
  }

  /**
   * Starts a command, which is named while nothing else is shown. @returns a function that ends the command and removes
   * its display
   */
  working(what: string): () => void {
    const work = { what, since: performance.now() };
    const before = this.#shown;
    this.#working.push(work);
    this.#start();
    return () => {
      this.#working.splice(this.#working.indexOf(work), 1);
      this.#shown = before;
      if (before === undefined && this.#working.length === 0) this.end();
    };
  }

  /**
   * Clears the screen lines for other output. @param isSaid whether the output itself shows in a log that the work goes
   * on
   */
  remove(isSaid: boolean): void {
    if (isSaid) this.#saidAt = performance.now();
    this.#live?.remove();
  }

  /** Removes the progress: the work has ended. */
  end(): void {
    this.#live?.remove();
    this.#shown = undefined;
    this.#block = undefined;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }

  #start(): void {
    this.#ticking ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  #tick(): void {
    this.#draw();
    if (this.#live !== undefined || performance.now() - this.#saidAt < SILENCE_MS) return;
    const { line, since } = this.#current() ?? {};
    if (line === undefined) return;
    this.#saidAt = performance.now();
    this.#write(`${line}${since === undefined ? '' : ` (${ageOf(since)})`}`);
  }

  /** Returns the last line, or the name of the oldest command. */
  #current(): Shown | undefined {
    const [work] = this.#working;
    return this.#shown ?? (work && { line: work.what, amount: undefined, since: work.since });
  }

  /**
   * Returns the lines for a terminal. A command that has just begun is not shown, because most commands end at once.
   */
  #lines({ width, height }: LiveLines): readonly string[] | undefined {
    if (this.#block !== undefined) return this.#block(width, height);
    const current = this.#current();
    const isNew = this.#shown === undefined && performance.now() - (current?.since ?? 0) < NOTICED_MS;
    return current === undefined || isNew ? undefined : [progressLine(current, width)];
  }

  readonly #draw = (): void => {
    const live = this.#live;
    const lines = live === undefined ? undefined : this.#lines(live);
    if (lines !== undefined) live?.draw(lines, this.#draw);
  };
}

/** Renders a bar, the line and its age. The bar gets the columns between the line and the age. */
export function progressLine({ line, amount, since }: Shown, width: number): string {
  const room = width - columns(line);
  const known = since === undefined ? '' : `  ${ageOf(since)}`;
  const age = amount?.total !== undefined && room - known.length < LONGEST_BAR ? '' : known;
  const bar = amount === undefined ? '' : barOf(amount, room - age.length);
  return `${bar}${cut(line, { width: width - bar.length - age.length, measure: columns })}${age}`;
}

/** Returns the bar and the percentage, or as much of them as fits. */
function barOf({ done, total = 0 }: Amount, columnsLeft: number): string {
  if (total <= 0) return '';
  const share = Math.min(1, Math.max(0, done / total));
  const percent = `${Math.floor(share * 100)} %`.padStart(6);
  const length = Math.min(LONGEST_BAR, columnsLeft - percent.length - 2);
  if (length < SHORTEST_BAR) return columnsLeft >= percent.length + 2 ? `${percent}  ` : '';
  const full = Math.floor(share * length);
  return `${'█'.repeat(full)}${'░'.repeat(length - full)}${percent}  `;
}

function ageOf(since: number): string {
  return duration(Math.max(0, performance.now() - since));
}

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

  /** Maximum columns of a line: the last column stays free, because some terminals break a full line. */
  get width(): number {
    return Math.max(NARROWEST, this.#stream.columns ?? STANDARD_WIDTH) - 1;
  }

  /** Number of lines that fit on the screen. */
  get height(): number {
    return Math.max(1, (this.#stream.rows ?? 24) - 1);
  }

  /** Whether lines are on the screen now. */
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

  /** Returns the control sequence that erases the lines. A terminal that became narrower has wrapped them. */
  #erased(): string {
    const columns = Math.max(1, this.#stream.columns ?? STANDARD_WIDTH);
    const rows = this.#drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return rows <= 1 ? '\r\u001b[2K' : `\r\u001b[${rows - 1}A\u001b[J`;
  }
}
