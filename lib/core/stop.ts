/** Cancels one command, one request or one wait without affecting others. */
import { CancelledError, UsageError } from './errors.ts';
import type { Clock, Stop } from './ports.ts';

/** Creates a stop and its trigger, like an `AbortController`. */
export function newStop() {
  const listeners: (() => void)[] = [];
  let stopped = false;
  const stop: Stop = {
    get stopped() {
      return stopped;
    },
    onStop: (listener) => {
      listeners.push(listener);
      return () => {
        const at = listeners.indexOf(listener);
        if (at >= 0) listeners.splice(at, 1);
      };
    },
  };
  return {
    stop,
    now: () => {
      if (stopped) return;
      stopped = true;
      for (const listener of listeners.splice(0)) listener();
    },
  };
}

/** Returns the error of stopped work. */
export function stopped(): CancelledError {
  return new CancelledError('Stopped.');
}

/**
 * Waits for shared work, which continues after the stop.
 * @throws CancelledError if the stop comes first
 */
export function untilStopped<Value>(work: Promise<Value>, stop: Stop | undefined): Promise<Value> {
  if (stop === undefined) return work;
  return new Promise((resolve, reject) => {
    const end = () => reject(stopped());
    if (stop.stopped) end();
    const unsubscribe = stop.onStop(end);
    const done = () => unsubscribe();
    work.then(done, done);
    work.then(resolve, reject);
  });
}

/** Returns a clock whose waits end when the stop comes. */
export function withStop(stop: Stop | undefined, clock: Clock): Clock {
  if (stop === undefined) return clock;
  return {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    random: () => clock.random(),
    wait: (milliseconds, own) => clock.wait(milliseconds, own ?? stop),
  };
}

/** Work that several callers wait for. It is stopped when the last caller has stopped. */
export interface SharedWork<Value> {
  /** Waits for the work. @throws CancelledError if this stop comes first; else the work's own error */
  join(stop: Stop | undefined): Promise<Value>;
  isDone(): boolean;
}

/** Starts work that several callers can join. */
export function shareWork<Value>(start: (stop: Stop) => Promise<Value>): SharedWork<Value> {
  const own = newStop();
  let isDone = false;
  let waiting = 0;
  const run = async () => {
    try {
      return await start(own.stop);
    } finally {
      isDone = true;
    }
  };
  const work = run();
  return {
    isDone: () => isDone,
    join: async (stop) => {
      waiting += 1;
      try {
        return await untilStopped(work, stop);
      } finally {
        waiting -= 1;
        // Has no effect after the end of the work.
        if (waiting === 0) own.now();
      }
    },
  };
}

/** In seconds: 24 days. */
export const MAX_SECONDS = 2_073_600;

/**
 * Checks a time limit before it becomes a timer.
 * @param name of the option or argument, for the message
 * @param milliseconds undefined: the caller has set none
 * @throws UsageError if it is not a number from 0 to 24 days
 */
export function checkTimeLimit(name: string, milliseconds: number | undefined): void {
  const isNumber = typeof milliseconds === 'number';
  if (milliseconds === undefined || (isNumber && milliseconds >= 0 && milliseconds <= MAX_SECONDS * 1000)) return;
  throw new UsageError(`${name} must be from 0 to ${MAX_SECONDS * 1000} milliseconds (24 days).`, {
    argument: name,
    hint: 'Wait for less time, and run the command again for work that takes longer.',
  });
}
