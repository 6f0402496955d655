/** The two output streams: results on one, everything else on the other. */
import { AisecError } from '../../errors.ts';
import { clean } from './clean.ts';
import type { Environment, TerminalOutput } from './host.ts';
import { type Style, styleFor } from './style.ts';

export interface Screen {
  /** Does a person look at the results? */
  readonly terminal: boolean;
  /** Columns for results. */
  readonly width: number;
  readonly style: Style;
  readonly noteStyle: Style;
  /** Writes a result; a line end is added. */
  result(text: string): void;
  /** Writes something that is no result. */
  note(text: string): void;
  /** Shows work in progress to a person who waits; the next line takes its place. */
  progress(line: string): void;
  /** Resolves when the reader of the results has caught up, or when nobody waits for that any more. */
  ready(): Promise<void>;
  /** Resolves when everything is handed over. @throws AisecError when results could not be written */
  flush(): Promise<void>;
  /** Names values that must not be shown where a fault of the program is reported. */
  conceal(values: () => readonly string[]): void;
  /** All of these values. */
  readonly secrets: () => readonly string[];
  /** Aborted when nobody reads the results any more, as after `| head -1`. */
  readonly closed: AbortSignal;
}

interface Streams {
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly environment: Environment;
}

const STANDARD_WIDTH = 80;
const NARROWEST = 20;
const CLEAR_LINE = '\r\u001b[2K';

/** Takes hold of the streams. The listeners stay: a reader may leave long after the last write. */
export function openScreen({ stdout, stderr, environment }: Streams): Screen {
  const closed = new AbortController();
  let failure: NodeJS.ErrnoException | undefined;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') failure = error;
    closed.abort();
  });
  // Who does not listen to notes does not want them.
  stderr.on('error', () => undefined);
  const gone = () => closed.signal.aborted;
  const showsProgress = stderr.isTTY === true && environment['TERM'] !== 'dumb';
  let progressing = false;
  const concealed: (() => readonly string[])[] = [];
  const settle = () => {
    if (progressing) stderr.write(CLEAR_LINE);
    progressing = false;
  };
  return {
    terminal: stdout.isTTY === true,
    get width() {
      return Math.max(NARROWEST, stdout.columns ?? STANDARD_WIDTH);
    },
    style: styleFor(stdout, environment),
    noteStyle: styleFor(stderr, environment),
    result: (text) => {
      settle();
      if (!gone()) stdout.write(`${text}\n`);
    },
    note: (text) => {
      settle();
      stderr.write(`${text}\n`);
    },
    progress: (line) => {
      if (!showsProgress) return;
      const width = Math.max(NARROWEST, stderr.columns ?? STANDARD_WIDTH) - 1;
      stderr.write(CLEAR_LINE + clean(line).replace(/\n/g, ' ').slice(0, width));
      progressing = true;
    },
    ready: () => (gone() || !stdout.writableNeedDrain ? Promise.resolve() : drained(stdout, closed.signal)),
    flush: async () => {
      settle();
      if (!gone()) await new Promise<void>((resolve) => void stdout.write('', () => resolve()));
      if (failure === undefined) return;
      throw new AisecError(`The results could not be written (${failure.code ?? 'unknown reason'}).`, {
        hint: 'Look after the file or the program that the output goes to; what was run is done.',
      });
    },
    conceal: (values) => concealed.push(values),
    secrets: () => concealed.flatMap((values) => values()),
    closed: closed.signal,
  };
}

function drained(stream: TerminalOutput, given: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      given.removeEventListener('abort', done);
      resolve();
    };
    if (given.aborted) return resolve();
    stream.once('drain', done);
    given.addEventListener('abort', done);
  });
}
