/** Resumes jobs on the platform: an entry schedules the next run of the command and passes it a checkpoint. */
import { UsageError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { Checkpoint } from '../../core/runtime.ts';
import type { Suspension } from './result.ts';

/** The hidden argument with the job's checkpoint. */
export const CHECKPOINT_ARGUMENT = 'job_checkpoint';

/** The platform's minimum interval, in seconds. */
const MIN_INTERVAL_S = 10;
/** Timeout of jobs without a time limit, in seconds: a week. */
const MAX_TIMEOUT_S = 604_800;

export interface PollingKeys {
  PollingCommand: string;
  /** Seconds. */
  NextRun: string;
  PollingArgs: Record<string, unknown>;
  /** Seconds. */
  Timeout: string;
}

/** Creates the keys of an entry that schedule the next run. @param args the arguments of this run */
export function pollingKeys(
  command: string,
  args: Readonly<Record<string, unknown>>,
  suspension: Suspension,
): PollingKeys {
  const seconds = Math.max(MIN_INTERVAL_S, Math.ceil(suspension.waitMs / 1000));
  const elapsed = suspension.checkpoint.elapsed - suspension.waitMs + seconds * 1000;
  return {
    PollingCommand: command,
    NextRun: String(seconds),
    PollingArgs: {
      ...args,
      ...suspension.args,
      [CHECKPOINT_ARGUMENT]: JSON.stringify({ ...suspension.checkpoint, elapsed }),
    },
    // The command's own timeout must come first, because its message is more helpful.
    Timeout: String(suspension.leftSeconds === undefined ? MAX_TIMEOUT_S : suspension.leftSeconds + 2 * MIN_INTERVAL_S),
  };
}

/** Reads the checkpoint of a run; undefined for the first run. @throws UsageError if it is invalid */
export function checkpointIn(args: Readonly<Record<string, unknown>>): Checkpoint | undefined {
  const text = args[CHECKPOINT_ARGUMENT];
  if (text === undefined || text === '') return undefined;
  try {
    const { position, started, elapsed, progress } = JSON.parse(String(text)) as Partial<Checkpoint>;
    if (isObject(position) && typeof started === 'number' && typeof elapsed === 'number') {
      return { position, started, elapsed, ...(typeof progress === 'string' ? { progress } : {}) };
    }
  } catch {
    // The parse error is not shown, because the argument is not meant to be typed.
  }
  throw new UsageError(`${CHECKPOINT_ARGUMENT} is set by the platform and cannot be given.`);
}
