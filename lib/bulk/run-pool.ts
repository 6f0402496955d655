import type { Clock } from '../ports.ts';

/** Something to start now, a time in milliseconds after which there may be something, or nothing until a task has ended. */
export type Next = (() => Promise<void>) | number | undefined;

export interface PoolOptions {
  next(): Next;
  /** How many tasks may be under way; asked before each start. */
  concurrency(): number;
  readonly clock: Clock;
}

/**
 * Keeps several tasks under way until there is nothing left to start. While one of them is under way it waits for that
 * alone, never for the clock: on the platform, waiting holds up everything, and a clock of a test would run ahead.
 * @throws what the first task to fail has thrown, when all the others have ended too
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

  /** @returns the time to wait when nothing is under way, or undefined when there is nothing to do at all */
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

// What is thrown while something is chosen must not leave the rest alone either.
function filled(fill: () => number | undefined, failures: unknown[]): number | undefined {
  try {
    return fill();
  } catch (thrown) {
    failures.push(thrown);
    return undefined;
  }
}
