import { CancelledError } from '../../errors.ts';

/** Signals of the system as one of ours. The second one is not caught: it ends the process. */
export interface Interrupt {
  readonly signal: AbortSignal;
  release(): void;
}

type Streams = Readonly<Record<'stdin' | 'stdout' | 'stderr', { isTTY?: boolean | undefined }>>;

/**
 * The signals that ask the program to end. That the terminal has gone concerns only who has one: `nohup` takes it from its
 * command, and a listener would undo that the command is spared the signal.
 */
export function endings({ stdin, stdout, stderr }: Streams): readonly NodeJS.Signals[] {
  const hasTerminal = [stdin, stdout, stderr].some(({ isTTY }) => isTTY === true);
  return hasTerminal ? ['SIGTERM', 'SIGHUP'] : ['SIGTERM'];
}

/** Listens for the first of these signals. */
export function listenFor(signals: readonly NodeJS.Signals[]): Interrupt {
  const controller = new AbortController();
  const release = () => {
    for (const name of signals) process.off(name, stop);
  };
  const stop = () => {
    release();
    controller.abort();
  };
  for (const name of signals) process.on(name, stop);
  return { signal: controller.signal, release };
}

/** The exit code of a program that was stopped. */
export const STOPPED = 130;

/** What is thrown where an interruption is noticed. */
export function stopped(): CancelledError {
  return new CancelledError('Stopped.');
}

/** Resolves when the signal comes. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
