/**
 * Runs work that outlives one request. A job runs in steps; between two steps its whole state is its position, which is
 * JSON. A terminal waits for the next step; a platform returns, and is called again with the position.
 */

import { AisecError, CancelledError, NetworkError, ProxyError, TimeoutError, TlsError } from '../../core/errors.ts';
import type { Amount } from '../../core/progress.ts';
import type { Position, Runtime } from '../../core/runtime.ts';
import { MAX_SECONDS, stopped } from '../../core/stop.ts';
import { type ArgumentValues, flag, number } from '../arguments/builders.ts';
import type { Output, Wire } from '../output/record.ts';
import type { Suspension } from '../output/result.ts';
import type { Tools } from './tools.ts';

export type { Position } from '../../core/runtime.ts';

/** Outcome of a step: a new position and the delay before the next step, or the end. */
export type Step =
  | {
      readonly position: Position;
      readonly waitMs: number;
      readonly progress: string;
      /** How much of the work is done, if the service reports it. */
      readonly amount?: Amount | undefined;
      /** The current state of the resource that the command created. */
      readonly latest?: Wire;
      /** Arguments that replace this run's arguments in the next run. */
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

/** Data of a job that did not end in time. */
export interface TimedOut {
  readonly timeout: TimeoutError;
  /** See `Step`. */
  readonly latest: Wire | undefined;
}

/** @typeParam Uses the tools that a step works with */
export interface Job<Args, Uses = Tools> {
  /** Returns false if this invocation does not run the job. Default: every invocation does. */
  isRequested?: (args: Args) => boolean;
  /** Returns the first position. @param first the response of the command's own request, if it has one */
  begin: (first: Wire, args: Args, tools: Uses) => Promise<Position>;
  /** Runs one bounded step. */
  step: (position: Position, args: Args, tools: Uses) => Promise<Step>;
  /** The job's final output, which follows the command's own output. */
  output: Output;
  /**
   * Time limit of the whole job, and time between two polls, in seconds. Absent: there is no limit, and a failed step
   * ends the job.
   */
  limits?: (args: Args) => { readonly timeout: number; readonly interval: number };
  /** Names the work in messages, such as `model scan <uuid>`. */
  title: (position: Position) => string;
  /** Returns the command that shows the state of the work later, ready to paste. */
  follow?: (position: Position) => string;
  /** Command that ends the job at the service. */
  abort?: (position: Position) => string;
}

/** The parts of a job that a wait needs. */
export type Waiting<Args, Uses = Tools> = Omit<Job<Args, Uses>, 'output' | 'isRequested'>;

/** Arguments of a command that can wait for its job. @param seconds defaults of `timeout` and `interval` */
export function waitArguments(seconds: { timeout: string; interval: string }) {
  const extension = true;
  return {
    wait: flag('Wait for the end of the scan, and return its result as well.', { default: 'false', extension }),
    timeout: number('Maximum time to wait, in seconds.', {
      default: seconds.timeout,
      extension,
      schema: { minimum: 1, maximum: MAX_SECONDS },
    }),
    interval: number('Time between two polls, in seconds.', {
      default: seconds.interval,
      extension,
      schema: { minimum: 1 },
    }),
  };
}

/** Argument values of a command that can wait for its job. */
export type WaitArguments = ArgumentValues<ReturnType<typeof waitArguments>>;

/** First delay between polls, so that short jobs end quickly. */
const FIRST_WAIT_MS = 1000;
/** A longer delay ends the run, and the host calls the command again later. */
const MAX_WAIT_IN_SLICE_MS = 1000;

/**
 * Runs a job to its end, with waits between the steps, or to the end of the time slice. A transient failure of a poll
 * does not end the wait, and the last poll is made at the deadline.
 * @param tools creates new tools for each step, so that its requests have their own time limit
 * @throws AisecError of a step
 */
export async function runJob<Args, Uses extends Pick<Tools, 'warn'> = Tools>(
  job: Waiting<Args, Uses>,
  first: Wire,
  args: Args,
  runtime: Pick<Runtime, 'clock' | 'timeSlice' | 'stop' | 'progress'>,
  tools: () => Uses,
): Promise<End | Suspension | TimedOut> {
  const { clock, timeSlice } = runtime;
  const seconds = job.limits?.(args).timeout;
  const started = timeSlice?.checkpoint?.started ?? clock.elapsed();
  const deadline = seconds === undefined ? undefined : started + seconds * 1000;
  const poll = pollsOf(job, args, tools);
  let position = timeSlice?.checkpoint?.position ?? (await job.begin(first, args, tools()));
  let latest: Wire | undefined;
  let isFirst = timeSlice === undefined;
  for (;;) {
    if (runtime.stop?.stopped === true) throw endOfWait(job, position, stopped());
    // A poll that began earlier does not show the state at the deadline.
    const isLast = deadline !== undefined && clock.elapsed() >= deadline;
    const step = await poll(position);
    if ('wire' in step) return step;
    position = step.position;
    latest = step.latest ?? latest;
    if (seconds !== undefined && isLast) return { timeout: timedOut(job, position, seconds, step.failure), latest };
    runtime.progress?.(step.progress, step.amount);
    const now = clock.elapsed();
    const leftMs = deadline === undefined ? step.waitMs : Math.max(0, deadline - now);
    const waitMs = Math.min(isFirst ? FIRST_WAIT_MS : step.waitMs, step.waitMs, leftMs);
    isFirst = false;
    const suspension = timeSlice && suspensionOf(step, timeSlice, { started, deadline, waitMs, now });
    if (suspension !== undefined) return suspension;
    if (waitMs > 0) {
      await clock.wait(waitMs, runtime.stop).catch((thrown: unknown) => {
        throw endOfWait(job, position, thrown);
      });
    }
  }
}

interface Wait {
  readonly started: number;
  readonly deadline: number | undefined;
  readonly waitMs: number;
  readonly now: number;
}

/** Returns what a later run needs to continue the job, if the wait does not fit into this run's time slice. */
function suspensionOf(
  step: Exclude<Step, End>,
  timeSlice: NonNullable<Runtime['timeSlice']>,
  { started, deadline, waitMs, now }: Wait,
): Suspension | undefined {
  const { position, progress, args } = step;
  const elapsed = now + waitMs;
  if (step.waitMs <= MAX_WAIT_IN_SLICE_MS && elapsed < timeSlice.deadline) return undefined;
  const leftSeconds = deadline === undefined ? undefined : Math.ceil((deadline - now) / 1000);
  const hasNewProgress = progress !== timeSlice.checkpoint?.progress;
  return { checkpoint: { position, started, elapsed, progress }, waitMs, progress, hasNewProgress, leftSeconds, args };
}

/** A step, or a poll that failed temporarily. */
type Polled = End | (Exclude<Step, End> & { readonly failure?: AisecError });

/** Returns a function that runs one step. A transient failure becomes a wait, and is reported once. */
function pollsOf<Args, Uses extends Pick<Tools, 'warn'>>(
  job: Waiting<Args, Uses>,
  args: Args,
  tools: () => Uses,
): (position: Position) => Promise<Polled> {
  const limits = job.limits?.(args);
  let isReported = false;
  return async (position) => {
    const own = tools();
    try {
      return await job.step(position, args, own);
    } catch (thrown) {
      if (limits === undefined || !mayPass(thrown)) throw endOfWait(job, position, thrown);
      if (!isReported)
        own.warn(`A poll of the ${job.title(position)} failed, and the wait continued: ${thrown.message}`);
      isReported = true;
      const progress = `Polls of the ${job.title(position)} are failing; polling continues until the timeout.`;
      return { position, waitMs: limits.interval * 1000, progress, failure: thrown };
    }
  };
}

type Named = Pick<Job<never>, 'title' | 'follow' | 'abort'>;

/** Returns the error of a job that did not end in time. @param failure the error of the last poll */
function timedOut(job: Named, position: Position, seconds: number, failure?: AisecError): TimeoutError {
  const why = failure === undefined ? '' : ` The last poll failed: ${failure.message}`;
  const follow = job.follow === undefined ? 'check it later' : `follow it with ${job.follow(position)}`;
  return new TimeoutError(`The ${job.title(position)} did not end within ${seconds} seconds.${why}`, {
    hint: `It continues at the service: ${follow}, or use a longer timeout.`,
  });
}

/** Names the job in an error that ends the wait for it. */
function endOfWait(job: Named, position: Position, thrown: unknown): unknown {
  const follow = job.follow === undefined ? undefined : `Follow it with ${job.follow(position)}.`;
  if (thrown instanceof CancelledError) {
    const abort = job.abort === undefined ? undefined : `End it with ${job.abort(position)}.`;
    return new CancelledError(`Stopped waiting: the ${job.title(position)} continues at the service.`, {
      hint: [follow, abort].filter((part) => part !== undefined).join(' ') || undefined,
    });
  }
  if (!(thrown instanceof AisecError) || follow === undefined) return thrown;
  const ended = `This ended the wait for the ${job.title(position).replace(/,$/, '')}. ${follow}`;
  thrown.hint = thrown.hint === undefined ? ended : `${thrown.hint} ${ended}`;
  return thrown;
}

const REQUEST_TIMEOUT = 408;

/**
 * Reports whether the next poll may succeed. Even an unknown host name may resolve again, because the service has
 * answered before.
 */
function mayPass(thrown: unknown): thrown is AisecError {
  if (!(thrown instanceof AisecError) || thrown instanceof CancelledError) return false;
  if (thrown.retryable || thrown.status === REQUEST_TIMEOUT) return true;
  return thrown instanceof NetworkError && !(thrown instanceof TlsError) && !(thrown instanceof ProxyError);
}
