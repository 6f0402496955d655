import { CancelledError } from '../../errors.ts';

/** Ctrl-C as a signal. The second one is not caught: it ends the process. */
export interface Interrupt {
  readonly signal: AbortSignal;
  release(): void;
}

/** Listens for the first interruption. @param also signals of the system that mean the same */
export function listenForInterrupt(...also: readonly NodeJS.Signals[]): Interrupt {
  const controller = new AbortController();
  const signals: readonly NodeJS.Signals[] = ['SIGINT', ...also];
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
