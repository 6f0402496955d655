/** Output streams: results on stdout, everything else on stderr. */
import { once } from 'node:events';
import { AisecError } from '../../../core/errors.ts';
import type { Amount } from '../../../core/progress.ts';
import type { Environment, TerminalOutput } from './host.ts';
import { type Block, Progress } from './progress.ts';
import { withoutRunnerCommands } from './sanitize.ts';
import { dialectOf, type Shell } from './shell.ts';
import { type Style, styleFor } from './style.ts';
import { folded, withSpaces } from './wrap.ts';

interface Streams {
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly environment: Environment;
}

const STANDARD_WIDTH = 80;
const NARROWEST = 20;

/** The output of one program run. */
export class Screen {
  /** stdout is a terminal. */
  readonly terminal: boolean;
  readonly style: Style;
  readonly noteStyle: Style;
  /** stderr is a terminal. */
  readonly noteTerminal: boolean;
  /** stderr is a terminal that can erase lines. */
  readonly redraws: boolean;
  /** Aborted when stdout is closed, as after `| head -1`. */
  readonly closed: AbortSignal;
  /** The shell in which the user pastes commands from hints; its options are set once the command line is read. */
  shell: Shell;
  /** Text that waits for the pager, which its command opens when the work has ended. */
  deferred: { readonly text: string; readonly pager: string } | undefined;
  /** Set while a prompt may be shown: makes room for output above the prompt. */
  above: ((write: () => void) => void) | undefined;
  readonly #stdout: TerminalOutput;
  readonly #stderr: TerminalOutput;
  readonly #progress: Progress;
  readonly #statedWidth: number | undefined;
  readonly #secrets: (() => readonly string[])[] = [];
  #failure: NodeJS.ErrnoException | undefined;
  #safe = (text: string) => text;

  /** @param usesColumns `COLUMNS` is the width if stdout is not a terminal */
  constructor({ stdout, stderr, environment }: Streams, usesColumns: boolean) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    const isRedrawn = stderr.isTTY === true && environment['TERM'] !== 'dumb';
    this.#progress = new Progress(stderr, isRedrawn, (line) => void stderr.write(`${this.#safe(line)}\n`));
    this.redraws = isRedrawn;
    this.shell = { dialect: dialectOf(environment), options: [] };
    this.terminal = stdout.isTTY === true;
    this.style = styleFor(stdout, environment);
    this.noteStyle = styleFor(stderr, environment);
    this.noteTerminal = stderr.isTTY === true;
    this.#statedWidth = usesColumns && !this.terminal ? statedWidth(environment) : undefined;
    const closing = new AbortController();
    this.closed = closing.signal;
    // The listeners stay, because a reader may close stdout long after the last write.
    stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') this.#failure = error;
      closing.abort();
    });
    // A closed stderr is not an error.
    stderr.on('error', () => undefined);
  }

  /** Columns of stdout. */
  get width(): number {
    return Math.max(NARROWEST, this.#statedWidth ?? this.#stdout.columns ?? STANDARD_WIDTH);
  }

  /** Writes a line to stdout. */
  result(text: string): void {
    this.#progress.remove(false);
    if (!this.closed.aborted) this.#stdout.write(`${this.#safe(text)}\n`);
  }

  /** Writes lines for people to stderr; on a terminal, breaks long lines at spaces. */
  note(text: string): void {
    const { columns, isTTY } = this.#stderr;
    const safe = this.#safe(text);
    this.command(isTTY === true && columns !== undefined ? folded(safe, columns) : withSpaces(safe));
  }

  /** Writes a text to stderr unchanged. */
  report(text: string): void {
    this.command(this.#safe(text));
  }

  /** From now on, disarms commands of a CI runner in all output, except for `command`. */
  disarm(): void {
    this.#safe = withoutRunnerCommands;
  }

  /** Writes commands of a CI runner to stderr. */
  command(text: string): void {
    const write = () => {
      this.#progress.remove(true);
      this.#stderr.write(`${text}\n`);
    };
    if (this.above !== undefined && this.redraws) this.above(write);
    else write();
  }

  /**
   * Shows a progress line on stderr, which the next output removes; in a log, at most every 30 seconds.
   * @param since start of the work, by `performance.now()`: its age is shown next to the line, and keeps counting
   */
  progress(line: string, since?: number, amount?: Amount): void {
    this.#progress.show(line, since, amount);
  }

  /** Draws a block of lines on stderr, if it redraws. */
  live(block: Block): void {
    this.#progress.showBlock(block);
  }

  /** Shows that a command is working while it prints nothing itself. @returns a function that ends the display */
  working(what: string): () => void {
    return this.#progress.working(what);
  }

  /** Removes the progress: the work has ended. */
  settle(): void {
    this.#progress.end();
  }

  /** Resolves when stdout has drained or is closed (backpressure). */
  async ready(): Promise<void> {
    if (!this.#stdout.writableNeedDrain) return;
    await once(this.#stdout, 'drain', { signal: this.closed }).catch(() => undefined);
  }

  /** Flushes stdout. @throws AisecError if results could not be written */
  async flush(): Promise<void> {
    this.settle();
    // The callback of a failed write runs before its stream reports the failure.
    if (!this.closed.aborted) {
      await new Promise<void>((resolve) => void this.#stdout.write('', () => setImmediate(resolve)));
    }
    if (this.#failure === undefined) return;
    throw new AisecError(`The results could not be written (${this.#failure.code ?? 'unknown reason'}).`, {
      hint: 'Check the file or program that the output goes to; the commands have run.',
    });
  }

  /** Adds values to redact in bug reports. */
  redact(values: () => readonly string[]): void {
    this.#secrets.push(values);
  }

  /** All values to redact. */
  readonly secrets = (): readonly string[] => this.#secrets.flatMap((values) => values());
}

/** Returns the width of the terminal for which the output is formatted. */
function statedWidth({ COLUMNS = '' }: Environment): number | undefined {
  return /^[1-9]\d{0,3}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
}
