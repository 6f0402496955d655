/** Stops: how one command, one request or one wait is ended while everything beside it goes on. */
import { CancelledError } from './errors.ts';
import type { Clock, Stop } from './ports.ts';

/** A stop, and what makes it happen. */
export interface Stopper {
  readonly stop: Stop;
  now(): void;
}

export function newStop(): Stopper {
  const listeners: (() => void)[] = [];
  let stopped = false;
  return {
    stop: {
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
    },
    now: () => {
      if (stopped) return;
      stopped = true;
      for (const listener of listeners.splice(0)) listener();
    },
  };
}

/** What is thrown where a stop is noticed. */
export function stopped(): CancelledError {
  return new CancelledError('Stopped.');
}

/**
 * Waits for work that goes on for others after the stop.
 * @throws CancelledError when it is stopped first
 */
export function untilStopped<Value>(work: Promise<Value>, stop: Stop | undefined): Promise<Value> {
  if (stop === undefined) return work;
  return new Promise((resolve, reject) => {
    const end = () => reject(stopped());
    if (stop.stopped) end();
    const leave = stop.onStop(end);
    const over = () => leave();
    work.then(over, over);
    work.then(resolve, reject);
  });
}

/** A clock whose waits end with the stop. */
export function stoppedBy(stop: Stop | undefined, clock: Clock): Clock {
  if (stop === undefined) return clock;
  return {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    random: () => clock.random(),
    wait: (milliseconds, own) => clock.wait(milliseconds, own ?? stop),
  };
}

/** Work that several wait for. It is ended when the last of them was stopped. */
export interface SharedWork<Value> {
  /** @throws CancelledError when this stop comes first, and whatever the work throws */
  join(stop: Stop | undefined): Promise<Value>;
  isOver(): boolean;
}

export function shareWork<Value>(start: (stop: Stop) => Promise<Value>): SharedWork<Value> {
  const own = newStop();
  let isOver = false;
  let waiting = 0;
  const run = async () => {
    try {
      return await start(own.stop);
    } finally {
      isOver = true;
    }
  };
  const work = run();
  return {
    isOver: () => isOver,
    join: async (stop) => {
      waiting += 1;
      try {
        return await untilStopped(work, stop);
      } finally {
        waiting -= 1;
        // Once the work has ended, this reaches nothing.
        if (waiting === 0) own.now();
      }
    },
  };
}
