/**
 * Work that outlives one request. A job goes in steps, and between two steps everything that it knows is its position,
 * which is JSON: a terminal waits and goes on, a platform returns and is called again with it.
 */
import { flag, number } from './arguments/words.ts';

import { type AisecError, CancelledError, TimeoutError } from './errors.ts';
import type { Output, Wire } from './output/record.ts';
import { stopped } from './stop.ts';
import type { Tools } from './tools.ts';

export type { Position } from './runtime.ts';

import type { Position, Runtime, Standing } from './runtime.ts';

/** Outcome of a step: a new position and when to go on, or the end. */
export type Step =
  | {
      readonly position: Position;
      readonly waitMs: number;
      readonly progress: string;
      /** What the service answers for what the command itself created, as it is now. */
      readonly latest?: Wire;
      /** Arguments in place of given ones, when another run goes on. */
      readonly args?: Readonly<Record<string, string>> | undefined;
    }
  | End;

/** The end of a job: the last answer of the service. */
export interface End {
  readonly wire: Wire;
  /** Stands for the wire where the raw answer is shown: for one that is large and in the context anyway. */
  readonly raw?: Wire | undefined;
  readonly failure?: AisecError | undefined;
}

/** A job whose time is over before it ended. */
export interface Overdue {
  readonly overdue: TimeoutError;
  /** See `Step`. */
  readonly latest: Wire | undefined;
}

export interface Job<Args> {
  /** Does this line ask for it? Default: every line does. */
  asked?: (args: Args) => boolean;
  /** Where it begins. @param first what the command's own request answered, if it has one */
  begin: (first: Wire, args: Args, tools: Tools) => Promise<Position>;
  /** A bounded piece of work. */
  step: (position: Position, args: Args, tools: Tools) => Promise<Step>;
  /** What the end writes, after what the command itself writes. */
  output: Output;
  /** Longest time for all of it, in seconds; without it, as long as it takes. */
  timeoutSeconds?: (args: Args) => number;
  /** Names the work in messages, such as `model scan <uuid>`. */
  title: (position: Position) => string;
}

/** The arguments of a command that can wait for what it starts. @param seconds defaults of `timeout` and `interval` */
export function waiting(seconds: { timeout: string; interval: string }) {
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

/** The error of a job that did not end in its time: it names the work, which goes on without us. */
export function outOfTime(title: string, seconds: number): TimeoutError {
  return new TimeoutError(`The ${title} did not end within ${seconds} seconds.`, {
    hint: 'It goes on at the service: look at it later, or give it a longer timeout.',
  });
}

/** A job that goes on in a later run. */
export interface Pause {
  readonly standing: Standing;
  readonly waitMs: number;
  readonly progress: string;
  /** Its progress differs from the one that the run before it left. */
  readonly isNews: boolean;
  /** Time that is left for all of it, in seconds; undefined: as long as it takes. */
  readonly leftSeconds: number | undefined;
  /** Arguments in place of those of this run. */
  readonly args?: Readonly<Record<string, string>> | undefined;
}

/** A host that is called again later needs no run that waits. */
const LONGEST_WAIT_IN_SLICE_MS = 1000;

/**
 * Takes a job to its end, waiting between its steps; in a slice, as far as the slice goes.
 * @param tools makes new tools for each step, so that every step has its own time for its requests
 * @throws AisecError of a step
 */
export async function follow<Args>(
  job: Job<Args>,
  first: Wire,
  args: Args,
  runtime: Runtime,
  tools: () => Tools,
): Promise<End | Pause | Overdue> {
  const { clock, slice } = runtime;
  const seconds = job.timeoutSeconds?.(args);
  const started = slice?.standing?.started ?? clock.elapsed();
  let position = slice?.standing?.position ?? (await job.begin(first, args, tools()));
  for (;;) {
    const named = naming(job.title(position));
    if (runtime.stop?.stopped === true) return named(stopped());
    const step = await job.step(position, args, tools()).catch(named);
    if ('wire' in step) return step;
    position = step.position;
    runtime.progress?.(step.progress);
    const next = clock.elapsed() + step.waitMs;
    if (seconds !== undefined && next > started + seconds * 1000) {
      return { overdue: outOfTime(job.title(position), seconds), latest: step.latest };
    }
    if (slice !== undefined && (step.waitMs > LONGEST_WAIT_IN_SLICE_MS || next >= slice.until)) {
      const leftSeconds = seconds === undefined ? undefined : Math.ceil((started - clock.elapsed()) / 1000) + seconds;
      const { waitMs, progress, args: carried } = step;
      const standing = { position, started, elapsed: next, progress };
      const isNews = progress !== slice.standing?.progress;
      return { standing, waitMs, progress, isNews, leftSeconds, args: carried };
    }
    if (step.waitMs > 0) await clock.wait(step.waitMs, runtime.stop).catch(naming(job.title(position)));
  }
}

/** Says of a user's stop what was under way. */
function naming(title: string) {
  return (thrown: unknown): never => {
    if (!(thrown instanceof CancelledError)) throw thrown;
    throw new CancelledError(`Stopped while the ${title} was going on.`);
  };
}
