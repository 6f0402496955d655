/** The machine on which the tests run: its clock and its load. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';

/** The machine's clock, for tests of a whole program, which sees no other clock. */
export const machineClock = { now: () => Date.now(), elapsed: () => performance.now() };

/** This process's clock, which a test's fake timers move. */
export const timerClock = { elapsed: () => globalThis.performance.now() };

/** A clock that keeps the machine's time while a test changes this process's clock. */
export function steadyClock(): { now(): number } {
  const { now } = Date;
  return { now };
}

/** Runs a function while this process's wall clock stands at a time, in milliseconds since the epoch. */
export function atWallTime<Value>(time: number, run: () => Value): Value {
  const { now } = Date;
  Date.now = () => time;
  try {
    return run();
  } finally {
    Date.now = now;
  }
}

/** Runs a function while this process's wall clock is off by the last argument of `jump`, in milliseconds. */
export async function whileClockJumps(run: (jump: (byMs: number) => void) => Promise<void>): Promise<void> {
  const { now } = Date;
  let offset = 0;
  Date.now = () => now() + offset;
  try {
    await run((byMs) => {
      offset = byMs;
    });
  } finally {
    Date.now = now;
  }
}

/**
 * Returns the `faketime` variables, so that a process started by a test has the same time as the test; empty without
 * `faketime`.
 */
export function clockEnvironment(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) => name === 'LD_PRELOAD' || name.startsWith('FAKETIME'));
  if (!names.includes('FAKETIME')) return {};
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
}

/** The environment without the variables of a fake clock, for a program that does not work with one. */
export function environmentOfRealTime(): NodeJS.ProcessEnv {
  const faked = Object.keys(clockEnvironment());
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !faked.includes(name)));
}

const LOOKS = 10_000;

/** Waits until a condition holds. @throws Error after a number of checks, which take a minute or more */
export async function until(condition: () => boolean | Promise<boolean>, failure = () => 'it never came about') {
  for (let look = 0; look < LOOKS; look += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(failure());
}

/** Above this, the speed of the machine is measured. */
const SURELY_PROMPT_MS = 1000;
/** A limit, as a multiple of the start of an empty Node process, which takes about 40 ms on an idle machine. */
const PROMPT_STARTS = 25;

/** Starts measuring. @returns a function to call at the end: whether it was fast enough for this machine under its load */
export function promptness(): () => Promise<boolean> {
  const start = performance.now();
  return async () => {
    const took = performance.now() - start;
    return took < SURELY_PROMPT_MS || took < PROMPT_STARTS * (await emptyNodeMs());
  };
}

/** Measures how long this machine currently takes to run an empty Node process. */
async function emptyNodeMs(): Promise<number> {
  const start = performance.now();
  const child: ChildProcess = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore', env: environmentOfRealTime() });
  await once(child, 'close');
  return performance.now() - start;
}

/** A time limit for a request, and a time that is more than twice as long; both grow fourfold with each try. */
const LIMITS_MS = [400, 1600, 6400];

/**
 * Retries a timeout test with longer and longer limits: on a busy machine a short limit may expire before the work that
 * it should interrupt starts. The last try counts.
 */
export async function withLimits(run: (limitMs: number) => Promise<void>): Promise<void> {
  const last = LIMITS_MS.at(-1) ?? 0;
  for (const limit of LIMITS_MS) {
    try {
      await run(limit);
      return;
    } catch (failure) {
      if (limit === last) throw failure;
    }
  }
}
