/**
 * Runs work that outlives one request. A job runs in steps, and its whole state between two steps is its position,
 * which is JSON: a terminal waits for the next step, a platform returns and is called again with the position.
 */
import { type ArgumentValues, flag, number } from './arguments/builders.ts';
import { type AisecError, CancelledError, TimeoutError } from './errors.ts';
import type { Output, Wire } from './output/record.ts';
import { stopped } from './stop.ts';
import type { Tools } from './tools.ts';

export type { Position } from './runtime.ts';

import type { Suspension } from './result.ts';
import type { Position, Runtime } from './runtime.ts';

/** Outcome of a step: a new position and the delay before the next step, or the end. */
export type Step =
  | {
      readonly position: Position;
      readonly waitMs: number;
      readonly progress: string;
      /** The current state of the resource that the command created. */
      readonly latest?: Wire;
      /** Arguments that replace those of this run in the next one. */
      readonly args?: Readonly<Record<string, string>> | undefined;
    }
  | End;

/** The end of a job: the last response of the service. */
export interface End {
  readonly wire: Wire;
  /** Replaces a large `wire` in the raw response, because the context contains it anyway. */
  readonly raw?: Wire | undefined;
  readonly failure?: AisecError | undefined;
}

/** A job that did not end in time. */
export interface TimedOut {
  readonly timeout: TimeoutError;
  /** See `Step`. */
  readonly latest: Wire | undefined;
}

export interface Job<Args> {
  /** Returns false if this line does not run the job. Default: every line does. */
  isRequested?: (args: Args) => boolean;
  /** Returns the first position. @param first the response of the command's own request, if it has one */
  begin: (first: Wire, args: Args, tools: Tools) => Promise<Position>;
  /** Runs one bounded step. */
  step: (position: Position, args: Args, tools: Tools) => Promise<Step>;
  /** The output at the end, after the output of the command itself. */
  output: Output;
  /** Time limit of the whole job, in seconds; none by default. */
  timeoutSeconds?: (args: Args) => number;
  /** Names the work in messages, such as `model scan <uuid>`. */
  title: (position: Position) => string;
}

/** Arguments of a command that can wait for its job. @param seconds defaults of `timeout` and `interval` */
export function waitArguments(seconds: { timeout: string; interval: string }) {
  const extension = true;
  return {
    wait: flag('Wait for the end of the scan, and return its result as well.', { default: 'false', extension }),
    timeout: number('Maximum time to wait, in seconds.', {
      default: seconds.timeout,
      extension,
      schema: { minimum: 1 },
    }),
    interval: number('Time between two polls, in seconds.', {
      default: seconds.interval,
      extension,
      schema: { minimum: 1 },
    }),
  };
}

/** Values of the arguments with which a command waits for its job. */
export type WaitArguments = ArgumentValues<ReturnType<typeof waitArguments>>;

/** Returns the error of a job that did not end in time. */
export function jobTimedOut(title: string, seconds: number): TimeoutError {
  return new TimeoutError(`The ${title} did not end within ${seconds} seconds.`, {
    hint: 'It continues at the service: check it later, or use a longer timeout.',
  });
}

/** The first wait of a run that waits itself: what ends soon is seen soon. */
const FIRST_WAIT_MS = 1000;
/** A longer wait ends the run, because the host calls it again. */
const MAX_WAIT_IN_SLICE_MS = 1000;

/**
 * Runs a job to its end, with waits between the steps, or to the end of the time slice.
 * @param tools creates new tools for each step, so that its requests have a time limit of their own
 * @throws AisecError of a step
 */
export async function runJob<Args>(
  job: Job<Args>,
  first: Wire,
  args: Args,
  runtime: Runtime,
  tools: () => Tools,
): Promise<End | Suspension | TimedOut> {
  const { clock, timeSlice } = runtime;
  const seconds = job.timeoutSeconds?.(args);
  const started = timeSlice?.checkpoint?.started ?? clock.elapsed();
  let position = timeSlice?.checkpoint?.position ?? (await job.begin(first, args, tools()));
  let isFirst = timeSlice === undefined;
  for (;;) {
    const rethrow = namedOnStop(job.title(position));
    if (runtime.stop?.stopped === true) return rethrow(stopped());
    const step = await job.step(position, args, tools()).catch(rethrow);
    if ('wire' in step) return step;
    position = step.position;
    runtime.progress?.(step.progress);
    const waitMs = isFirst ? Math.min(FIRST_WAIT_MS, step.waitMs) : step.waitMs;
    isFirst = false;
    const next = clock.elapsed() + waitMs;
    if (seconds !== undefined && next > started + seconds * 1000) {
      return { timeout: jobTimedOut(job.title(position), seconds), latest: step.latest };
    }
    if (timeSlice !== undefined && (step.waitMs > MAX_WAIT_IN_SLICE_MS || next >= timeSlice.deadline)) {
      const leftSeconds = seconds === undefined ? undefined : Math.ceil((started - clock.elapsed()) / 1000) + seconds;
      const { progress, args: nextArgs } = step;
      const checkpoint = { position, started, elapsed: next, progress };
      const hasNewProgress = progress !== timeSlice.checkpoint?.progress;
      return { checkpoint, waitMs, progress, hasNewProgress, leftSeconds, args: nextArgs };
    }
    if (waitMs > 0) await clock.wait(waitMs, runtime.stop).catch(namedOnStop(job.title(position)));
  }
}

/** Names the job in the error of a stop. */
function namedOnStop(title: string) {
  return (thrown: unknown): never => {
    if (!(thrown instanceof CancelledError)) throw thrown;
    throw new CancelledError(`Stopped while the ${title} was running.`);
  };
}
