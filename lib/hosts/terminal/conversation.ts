import type { Interface } from 'node:readline';
import { collector } from './continuation.ts';
import { takeTurns } from './turns.ts';

export interface Conversation {
  readonly lines: Interface;
  readonly prompt: string;
  /** Aborted when nobody sees the answers any more. */
  readonly closed: AbortSignal;
  /** Answers one line, however many lines it was typed on. It must not throw. */
  readonly answer: (line: string, signal: AbortSignal, leave: () => void) => Promise<void>;
}

const MORE = '... ';

/** Reads lines and has them answered until the input ends. Ctrl-C stops an answer, or clears what is being typed. */
export async function converse({ lines, prompt, closed, answer }: Conversation): Promise<void> {
  const collected = collector();
  let open = true;
  const invite = () => {
    if (!open || turns.busy) return;
    lines.setPrompt(collected.pending ? MORE : prompt);
    lines.prompt();
  };
  const leave = () => {
    turns.stop();
    lines.close();
  };
  const turns = takeTurns(closed, (line, signal) => answer(line, signal, leave), invite);
  const interrupt = () => {
    const outcome = turns.stop();
    if (outcome === 'idle') {
      collected.clear();
      clearLine(lines);
      invite();
    } else if (outcome === 'stuck') {
      // Without a listener the signal does what it always does.
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
    const line = collected.push(text);
    if (line === undefined || line.trim() === '') invite();
    else turns.enter(line);
  });
  invite();
  await ended;
  await turns.settled();
  process.off('SIGINT', interrupt);
}

function clearLine(lines: Interface): void {
  lines.write(null, { ctrl: true, name: 'e' });
  lines.write(null, { ctrl: true, name: 'u' });
}
