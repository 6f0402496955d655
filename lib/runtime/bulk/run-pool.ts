/** Runs tasks concurrently, and puts their results back into order. */
import type { Clock } from '../../core/ports.ts';

/**
 * A task to start; or a delay in milliseconds before asking again; or undefined, if there is nothing to start until a
 * task has ended.
 */
export type Next = (() => Promise<void>) | number | undefined;

export interface PoolOptions {
  next(): Next;
  /** Maximum number of concurrent tasks; read before each start. */
  concurrency(): number;
  readonly clock: Clock;
}

/**
 * Runs tasks concurrently until there is nothing left to start. While a task is running, it waits only for tasks, never
 * for the clock: on the platform, waiting blocks everything, and the clock of a test would run ahead.
 * @throws the error of the first task that failed, after all others have ended
 */
export async function runPool({ next, concurrency, clock }: PoolOptions): Promise<void> {
  const failures: unknown[] = [];
  let running = 0;
  let wake = () => {};

  const start = (task: () => Promise<void>) => {
    const ended = () => {
      running -= 1;
      wake();
    };
    running += 1;
    void task().then(ended, (thrown: unknown) => {
      failures.push(thrown);
      ended();
    });
  };

  /** Starts tasks up to the limit. @returns the time to wait if no task is running; undefined if no task is left */
  const fill = (): number | undefined => {
    while (failures.length === 0 && running < concurrency()) {
      const step = next();
      if (typeof step !== 'function') return step;
      start(step);
    }
    return undefined;
  };

  for (;;) {
    const waitMs = filled(fill, failures);
    if (running > 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    } else if (failures.length > 0) throw failures[0];
    else if (waitMs === undefined) return;
    else await clock.wait(waitMs);
  }
}

// Even after an error in `next`, wait for the running tasks.
function filled(fill: () => number | undefined, failures: unknown[]): number | undefined {
  try {
    return fill();
  } catch (thrown) {
    failures.push(thrown);
    return undefined;
  }
}

/** Restores the order of numbered values. @param first the first number */
export function reorder<Value>(first = 1) {
  const early = new Map<number, Value>();
  let next = first;
  return {
    /** Adds a value. @param number counted from 1; add each number once */
    add: (number: number, value: Value) => void early.set(number, value),
    /** Returns the values that directly follow those returned before, without a gap. */
    drain: () => {
      const values: Value[] = [];
      for (let value = early.get(next); value !== undefined; value = early.get(next)) {
        early.delete(next);
        values.push(value);
        next += 1;
      }
      return values;
    },
    /** Returns the number of the first missing value. */
    nextMissing: () => next,
    /** Returns the values after a gap, with their numbers. */
    waiting: () => [...early.entries()],
  };
}
