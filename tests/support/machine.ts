/** The machine on which the tests run: its clock, and how busy it is. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';

/** The clock of the machine, for tests of a whole program, which sees no other. */
export const machineClock = { now: () => Date.now(), elapsed: () => performance.now() };

/** The clock of this process, which the fake timers of a test move. */
export const timerClock = { elapsed: () => globalThis.performance.now() };

/** A clock that goes on as the machine's does while that of this process is changed by a test. */
export function steadyClock(): { now(): number } {
  const { now } = Date;
  return { now };
}

/** Runs something while the wall clock of this process stands at a time, in milliseconds since the epoch. */
export function atWallTime<Value>(time: number, run: () => Value): Value {
  const { now } = Date;
  Date.now = () => time;
  try {
    return run();
  } finally {
    Date.now = now;
  }
}

/** Runs something while the wall clock of this process is off by the last argument of `jump`, in milliseconds. */
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
 * Returns the variables of `faketime`, so that a process started by a test has the same time as the test.
 * It is empty otherwise.
 */
export function clockEnvironment(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) => name === 'LD_PRELOAD' || name.startsWith('FAKETIME'));
  if (!names.includes('FAKETIME')) return {};
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
}

/** The environment without what stands for another clock, for a program that does not work under one. */
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

/** Above this, the machine is asked how fast it is. */
const SURELY_PROMPT_MS = 1000;
/** A limit in starts of an empty Node process, which takes about 40 ms on an idle machine. */
const PROMPT_STARTS = 25;

/** Starts to measure. @returns a function to call at the end: was it prompt, for this machine under its load? */
export function promptness(): () => Promise<boolean> {
  const start = performance.now();
  return async () => {
    const took = performance.now() - start;
    return took < SURELY_PROMPT_MS || took < PROMPT_STARTS * (await emptyNodeMs());
  };
}

/** Measures how long this machine takes now to run an empty Node process. */
async function emptyNodeMs(): Promise<number> {
  const start = performance.now();
  const child: ChildProcess = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore', env: environmentOfRealTime() });
  await once(child, 'close');
  return performance.now() - start;
}

/** A limit on the time of a request, and twice as much more than enough, each time four times the one before. */
const LIMITS_MS = [400, 1600, 6400];

/**
 * Runs a test of a time-out with longer and longer limits: on a busy machine a short one may pass before the work
 * starts that it interrupts. The last try counts.
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
