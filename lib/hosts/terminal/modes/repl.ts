import type { Interface } from 'node:readline';
import { historySearch, type Key } from '../complete/history-search.ts';
import { collector } from './continuation.ts';
import { createLineQueue } from './line-queue.ts';

export interface ReplOptions {
  readonly lines: Interface;
  readonly prompt: string;
  /** Reports whether a line is a command, which may continue on the next line. */
  readonly isCommand: (line: string) => boolean;
  /** Source of key presses. */
  readonly input: NodeJS.ReadableStream;
  /** The history of `lines`, newest first. */
  readonly history: () => string[];
  /** Aborted when the output is closed. */
  readonly closed: AbortSignal;
  /** Runs one complete line. It must not throw. */
  readonly answer: (line: string, signal: AbortSignal, leave: () => void) => Promise<void>;
}

const MORE = '... ';

/** Reads and runs lines until the input ends. Ctrl-C stops the running command, or clears the line. */
export async function runRepl({
  lines,
  prompt,
  isCommand,
  input,
  history,
  closed,
  answer,
}: ReplOptions): Promise<void> {
  const collected = collector(isCommand);
  let open = true;
  /** Input lines of the entry that is being typed. */
  let count = 0;
  const invite = () => {
    if (!open || queue.busy) return;
    lines.setPrompt(collected.pending ? MORE : prompt);
    lines.prompt();
  };
  const search = historySearch(lines, history, () => lines.setPrompt(collected.pending ? MORE : prompt));
  const press = (_text: string | undefined, key: Key) => search.key(key);
  input.on('keypress', press);
  const leave = () => {
    queue.stop();
    lines.close();
  };
  const queue = createLineQueue(closed, (line, signal) => answer(line, signal, leave), invite);
  const interrupt = () => {
    const outcome = queue.stop();
    if (outcome === 'idle') {
      collected.clear();
      count = 0;
      clearLine(lines);
      invite();
    } else if (outcome === 'stuck') {
      // Without this listener the signal ends the process.
      process.off('SIGINT', interrupt);
      lines.close();
      process.kill(process.pid, 'SIGINT');
    }
  };
  const ended = new Promise<void>((resolve) => {
    lines.once('close', () => {
      open = false;
      resolve();
    });
  });
  lines.on('SIGINT', interrupt);
  process.on('SIGINT', interrupt);
  closed.addEventListener('abort', () => lines.close(), { once: true });
  lines.on('line', (text) => {
    if (search.submit(text)) return;
    count += 1;
    const line = collected.push(text);
    if (line !== undefined) {
      joinHistory(history(), line, count);
      count = 0;
    }
    if (line === undefined || line.trim() === '') invite();
    else queue.push(line);
  });
  invite();
  await ended;
  await queue.settled();
  process.off('SIGINT', interrupt);
  input.off('keypress', press);
}

/** Makes the input lines of one entry one entry of the history. */
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
