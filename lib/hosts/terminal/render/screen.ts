/** Output streams: results on stdout, everything else on stderr. */
import { AisecError } from '../../../engine/errors.ts';
import type { Environment, TerminalOutput } from '../host.ts';
import { withoutRunnerCommands } from '../modes/runner-commands.ts';
import { sanitize } from './sanitize.ts';
import { type Style, styleFor } from './style.ts';
import { folded } from './wrap.ts';

export interface Screen {
  /** stdout is a terminal. */
  readonly terminal: boolean;
  /** Columns of stdout. */
  readonly width: number;
  readonly style: Style;
  readonly noteStyle: Style;
  /** Writes a line to stdout. */
  result(text: string): void;
  /** Keeps a text for the pager, which is opened when the command has ended. */
  defer(deferred: Deferred): void;
  /** Returns the text that was kept for the pager. */
  deferred(): Deferred | undefined;
  /** Writes lines for people to stderr; on a terminal, long ones are broken at spaces. */
  note(text: string): void;
  /** Writes a text to stderr as it is. */
  report(text: string): void;
  /** From now on, disarms commands of a CI runner in all output, except for `command`. */
  disarm(): void;
  /** Writes commands of a CI runner to stderr. */
  command(text: string): void;
  /**
   * Shows a progress line on stderr; the next line replaces it.
   * @param since start of the work, by `performance.now()`: its age stands beside the line, and counts on
   */
  progress(line: string, since?: number): void;
  /** Removes the progress line. */
  settle(): void;
  /** Resolves when stdout has drained or is closed (backpressure). */
  ready(): Promise<void>;
  /** Flushes stdout. @throws AisecError if results could not be written */
  flush(): Promise<void>;
  /** Adds values to redact in bug reports. */
  redact(values: () => readonly string[]): void;
  /** All values to redact. */
  readonly secrets: () => readonly string[];
  /** Aborted when stdout is closed, as after `| head -1`. */
  readonly closed: AbortSignal;
}

export interface Deferred {
  readonly text: string;
  /** Command of the pager. */
  readonly pager: string;
}

interface Streams {
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly environment: Environment;
}

const STANDARD_WIDTH = 80;
const NARROWEST = 20;
const TICK_MS = 1000;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * Opens the streams. The listeners stay, because a reader may close stdout long after the last write.
 * @param usesColumns `COLUMNS` is the width where stdout is no terminal
 */
export function openScreen({ stdout, stderr, environment }: Streams, usesColumns = false): Screen {
  const closed = new AbortController();
  let failure: NodeJS.ErrnoException | undefined;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') failure = error;
    closed.abort();
  });
  // A closed stderr is not an error.
  stderr.on('error', () => undefined);
  const isClosed = () => closed.signal.aborted;
  let safe = (text: string) => text;
  const showsProgress = stderr.isTTY === true && environment['TERM'] !== 'dumb';
  const terminal = stdout.isTTY === true;
  const stated = usesColumns && !terminal ? statedWidth(environment) : undefined;
  let waiting: Deferred | undefined;
  let progressing = false;
  let ticking: NodeJS.Timeout | undefined;
  const redacted: (() => readonly string[])[] = [];
  const settle = () => {
    if (progressing) stderr.write(CLEAR_LINE);
    progressing = false;
    clearInterval(ticking);
  };
  const draw = (line: string, since: number | undefined) => {
    const age = since === undefined ? '' : `  ${ageOf(performance.now() - since)}`;
    const width = Math.max(NARROWEST, stderr.columns ?? STANDARD_WIDTH) - 1 - age.length;
    stderr.write(CLEAR_LINE + sanitize(line).replace(/\n/g, ' ').slice(0, width) + age);
  };
  return {
    terminal,
    get width() {
      return Math.max(NARROWEST, stated ?? stdout.columns ?? STANDARD_WIDTH);
    },
    style: styleFor(stdout, environment),
    noteStyle: styleFor(stderr, environment),
    result: (text) => {
      settle();
      if (!isClosed()) stdout.write(`${safe(text)}\n`);
    },
    defer: (deferred) => {
      waiting = deferred;
    },
    deferred: () => waiting,
    note: (text) => {
      settle();
      const { columns } = stderr;
      stderr.write(`${stderr.isTTY === true && columns !== undefined ? folded(safe(text), columns) : safe(text)}\n`);
    },
    report: (text) => {
      settle();
      stderr.write(`${safe(text)}\n`);
    },
    disarm: () => {
      safe = withoutRunnerCommands;
    },
    command: (text) => {
      settle();
      stderr.write(`${text}\n`);
    },
    progress: (line, since) => {
      if (!showsProgress) return;
      clearInterval(ticking);
      draw(line, since);
      progressing = true;
      if (since !== undefined) ticking = setInterval(() => draw(line, since), TICK_MS).unref();
    },
    settle,
    ready: () => (isClosed() || !stdout.writableNeedDrain ? Promise.resolve() : drained(stdout, closed.signal)),
    flush: async () => {
      settle();
      // A failed write calls back before its stream reports the failure.
      if (!isClosed()) await new Promise<void>((resolve) => void stdout.write('', () => setImmediate(resolve)));
      if (failure === undefined) return;
      throw new AisecError(`The results could not be written (${failure.code ?? 'unknown reason'}).`, {
        hint: 'Check the file or program that the output goes to; the commands have run.',
      });
    },
    redact: (values) => redacted.push(values),
    secrets: () => redacted.flatMap((values) => values()),
    closed: closed.signal,
  };
}

/** Elapsed time in whole seconds, such as `1 min 5 s`. */
function ageOf(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Reads the width of a terminal that the output is for. */
function statedWidth({ COLUMNS = '' }: Environment): number | undefined {
  return /^[1-9]\d{0,3}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
}

function drained(stream: TerminalOutput, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    if (signal.aborted) return resolve();
    stream.once('drain', done);
    signal.addEventListener('abort', done);
  });
}
