/** The time of the pictures, which passes only where the program waits for it. */
import { mock } from 'node:test';

/** The present of all pictures, so that they are the same every day. */
export const PICTURE_TIME = Date.UTC(2026, 10, 21, 12);

/** A clock that stands still. */
export const STILL = { now: () => PICTURE_TIME, elapsed: () => 0, random: () => 0.5, wait: async () => undefined };

/** Time that a request takes. */
const REQUEST_MS = 120;
/** Time passes in steps, each after some turns of the event loop in which the program did nothing. */
const [STEP_MS, IDLE_TURNS] = [1000, 20];

/** Stops the time of this process. */
export function stopTime(): void {
  mock.timers.enable({ apis: ['Date', 'setTimeout', 'setInterval'], now: PICTURE_TIME });
  performance.now = () => Date.now() - PICTURE_TIME;
}

/** Lets the time of a request pass. */
export function passRequest(): void {
  mock.timers.tick(REQUEST_MS);
}

/** Runs work from the present of the pictures. While the program waits for something else than a file, time passes. */
export async function fromPresent<Value>(work: () => Promise<Value>): Promise<Value> {
  mock.timers.setTime(PICTURE_TIME);
  const done = { yet: false };
  const value = work().finally(() => {
    done.yet = true;
  });
  for (let idle = 0; !done.yet; idle += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (usesFiles()) idle = 0;
    if (idle < IDLE_TURNS) continue;
    idle = 0;
    mock.timers.tick(STEP_MS);
  }
  return value;
}

/** Waits for files, whose speed must not decide how many requests are sent meanwhile. */
export async function filesSettled(): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (usesFiles());
}

function usesFiles(): boolean {
  return process
    .getActiveResourcesInfo()
    .some((resource) => /^(?:FSReq|CloseReq|FileHandle|ProcessWrap)/.test(resource));
}
