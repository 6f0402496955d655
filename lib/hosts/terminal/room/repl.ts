/** Reads the lines of a war room, joins lines that belong together, and runs them one at a time. */

import { setMaxListeners } from 'node:events';
import { clearScreenDown, cursorTo, type Interface, moveCursor } from 'node:readline';
import { parseLine } from '../../../client/argv.ts';
import { historySearch, type Key, type Search } from './line-editor.ts';

interface ReplOptions {
  readonly lines: Interface;
  readonly prompt: string;
  /** Reports whether a line is a command, which may continue on the next line. */
  readonly isCommand: (line: string) => boolean;
  /** The terminal on which the prompt is shown. */
  readonly output: NodeJS.WritableStream;
  /** Source of key presses. */
  readonly input: NodeJS.ReadableStream & { setRawMode?(isRaw: boolean): unknown };
  /** The history of `lines`, newest first. */
  readonly history: () => string[];
  /** Aborted when the output is closed. */
  readonly closed: AbortSignal;
  /** Runs one complete line. It must not throw. */
  readonly answer: (line: string, signal: AbortSignal, leave: () => void) => Promise<void>;
}

const MORE = '... (Ctrl-C drops the line) ';

/** Reads and runs lines. Ctrl-C stops the running command, or clears the line. */
export class Repl {
  private readonly options: ReplOptions;
  private readonly lines: Interface;
  private readonly collected: Collector;
  private readonly search: Search;
  private readonly queue: LineQueue;
  private open = true;
  /** The terminal is gone. */
  isLost = false;
  /** Whether the prompt is shown. */
  private asks = false;
  /** Whether another program uses the terminal. */
  private isLent = false;
  /** Input lines of the entry that is being typed. */
  private count = 0;

  constructor(options: ReplOptions) {
    const { lines, isCommand, history, closed, answer } = options;
    this.options = options;
    this.lines = lines;
    this.collected = collector(isCommand);
    this.search = historySearch(lines, history, this.setPrompt);
    this.queue = createLineQueue(closed, (line, signal) => answer(line, signal, this.leave), this.invite);
  }

  /** Resolves when the input has ended. */
  async run(): Promise<void> {
    const { lines, interrupt } = this;
    const { input, closed } = this.options;
    const press = (_text: string | undefined, key: Key) => this.search.key(key);
    const ended = new Promise<void>((resolve) => {
      lines.once('close', () => {
        this.open = false;
        // After Ctrl-D, start a new line for the shell's prompt.
        if (this.asks) this.options.output.write('\n');
        resolve();
      });
    });
    input.on('keypress', press);
    lines.on('error', () => {
      this.isLost = true;
    });
    lines.on('SIGINT', interrupt);
    process.on('SIGINT', interrupt);
    closed.addEventListener('abort', () => lines.close(), { once: true });
    lines.on('line', (text) => this.enter(text));
    this.invite();
    await ended;
    await this.queue.settled();
    process.off('SIGINT', interrupt);
    input.off('keypress', press);
  }

  private enter(text: string): void {
    if (this.search.submit(text)) return;
    this.asks = false;
    this.count += 1;
    const line = this.collected.push(text);
    if (line !== undefined) {
      joinHistory(this.options.history(), line, this.count);
      this.count = 0;
    }
    if (line === undefined || line.trim() === '') this.invite();
    else this.queue.push(line);
  }

  private readonly setPrompt = () => this.lines.setPrompt(this.collected.pending ? MORE : this.options.prompt);

  private readonly invite = () => {
    if (!this.open || this.queue.busy) return;
    this.setPrompt();
    this.asks = true;
    this.lines.prompt();
  };

  /** Writes lines above the prompt, then shows the prompt again with the typed text. */
  readonly writeAbove = (write: () => void): void => {
    const { lines } = this;
    const { output } = this.options;
    if (!this.open || !this.asks) {
      write();
      return;
    }
    const { rows } = lines.getCursorPos();
    moveCursor(output, 0, -rows);
    cursorTo(output, 0);
    clearScreenDown(output);
    write();
    // The editor moves up by the rows of a long line before it redraws the line.
    output.write('\n'.repeat(rows));
    lines.prompt(true);
  };

  /** Further lines wait. */
  get hasMore(): boolean {
    return this.queue.hasMore;
  }

  /** Gives keys and Ctrl-C to another program, such as a pager, until it ends. */
  async lend(work: () => Promise<void>): Promise<void> {
    const { lines } = this;
    const { input } = this.options;
    this.isLent = true;
    lines.pause();
    input.setRawMode?.(false);
    try {
      await work();
    } finally {
      this.isLent = false;
      if (this.open) {
        input.setRawMode?.(true);
        lines.resume();
      }
    }
  }

  private readonly leave = () => {
    this.queue.stop();
    this.lines.close();
  };

  private readonly interrupt = () => {
    if (this.isLent) return;
    const outcome = this.queue.stop();
    if (outcome === 'idle') {
      this.collected.clear();
      this.count = 0;
      clearLine(this.lines);
      this.invite();
    } else if (outcome === 'stuck') {
      // Without this listener the signal ends the process.
      process.off('SIGINT', this.interrupt);
      this.lines.close();
      process.kill(process.pid, 'SIGINT');
    }
  };
}

/** Combines the input lines of one entry into one history entry. */
function joinHistory(history: string[], line: string, count: number): void {
  if (count < 2) return;
  const parts = line.split('\n');
  while (history[0] !== undefined && parts.at(-1) === history[0]) {
    history.shift();
    parts.pop();
  }
  history.unshift(line);
}

function clearLine(lines: Interface): void {
  lines.write(null, { ctrl: true, name: 'e' });
  lines.write(null, { ctrl: true, name: 'u' });
}

const QUOTES = ['"', "'", '`'];

export type Collector = ReturnType<typeof collector>;

/**
 * Joins continuation lines: a line that ends inside a quote continues, because pasted prompts and JSON contain line
 * breaks.
 * @param isCommand reports whether a line is a command; other lines do not continue
 */
export function collector(isCommand: (line: string) => boolean) {
  let parts: string[] = [];
  let quote: string | undefined;
  return {
    /** Adds one input line. @returns the complete line, or undefined while its quote is open */
    push: (text: string) => {
      parts.push(text);
      // A part without the quote character cannot close the quote, so the joined text need not be parsed again.
      if (quote === undefined || text.includes(quote)) quote = openQuote(parts.join('\n'), isCommand);
      if (quote !== undefined) return undefined;
      const whole = parts.join('\n');
      parts = [];
      return whole;
    },
    get pending() {
      return parts.length > 0;
    },
    clear: () => {
      parts = [];
      quote = undefined;
    },
  };
}

function openQuote(text: string, isCommand: (line: string) => boolean): string | undefined {
  if (!isCommand(text) || isSplit(text)) return undefined;
  return QUOTES.find((quote) => isSplit(`${text}\n${quote}`));
}

function isSplit(text: string): boolean {
  try {
    parseLine(text);
    return true;
  } catch {
    return false;
  }
}

export type LineQueue = ReturnType<typeof createLineQueue>;

/**
 * Creates a queue that runs lines one at a time; an interruption stops the running line and drops the queued lines.
 * @param closed stops every line
 * @param answer runs one line; must not throw
 * @param next called when the queue is empty
 */
export function createLineQueue(
  closed: AbortSignal,
  answer: (line: string, signal: AbortSignal) => Promise<void>,
  next: () => void,
) {
  let current = openBatch(closed);
  let waiting = 0;
  let work = Promise.resolve();
  const done = () => {
    waiting -= 1;
    if (waiting > 0) return;
    if (current.controller.signal.aborted) current = openBatch(closed);
    next();
  };
  return {
    get busy() {
      return waiting > 0;
    },
    /** More lines wait for the running line. */
    get hasMore() {
      return waiting > 1;
    },
    push: (line: string) => {
      const { signal } = current;
      waiting += 1;
      work = work.then(() => (signal.aborted ? undefined : answer(line, signal))).finally(done);
    },
    /** Stops the running line. @returns `stuck` if an earlier stop has not ended it */
    stop: () => {
      if (waiting === 0) return 'idle';
      if (current.controller.signal.aborted) return 'stuck';
      current.controller.abort();
      return 'stopped';
    },
    /** Resolves when all queued lines are done. */
    settled: () => work,
  };
}

function openBatch(closed: AbortSignal) {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, closed]);
  // Every pending request listens to the signal, and there may be many.
  setMaxListeners(0, signal);
  return { controller, signal };
}
