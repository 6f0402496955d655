/** How a job goes on where the platform runs a command again: what an entry says for it, and what the next run is told. */
import { UsageError } from '../errors.ts';
import type { Pause } from '../job.ts';
import { isObject } from '../json.ts';
import type { Standing } from '../runtime.ts';

/** The hidden argument that carries a job's standing from one run to the next. */
export const STANDING_ARGUMENT = 'job_standing';

/** The platform does not come back sooner. */
const SHORTEST_S = 10;
/** For work that takes as long as it takes, in seconds: a week. */
const LONGEST_S = 604_800;

export interface PollingKeys {
  PollingCommand: string;
  /** Seconds. */
  NextRun: string;
  PollingArgs: Record<string, unknown>;
  /** Seconds. */
  Timeout: string;
}

/** The keys of an entry that bring the platform back. @param args the arguments of this run */
export function pollingKeys(command: string, args: Readonly<Record<string, unknown>>, pause: Pause): PollingKeys {
  const seconds = Math.max(SHORTEST_S, Math.ceil(pause.waitMs / 1000));
  const elapsed = pause.standing.elapsed - pause.waitMs + seconds * 1000;
  return {
    PollingCommand: command,
    NextRun: String(seconds),
    PollingArgs: { ...args, ...pause.args, [STANDING_ARGUMENT]: JSON.stringify({ ...pause.standing, elapsed }) },
    // Our own time-out comes first, and says more than the platform's.
    Timeout: String(pause.leftSeconds === undefined ? LONGEST_S : pause.leftSeconds + 2 * SHORTEST_S),
  };
}

/** The standing that a run was handed, or undefined for the first one. @throws UsageError for one that is none */
export function standingIn(args: Readonly<Record<string, unknown>>): Standing | undefined {
  const text = args[STANDING_ARGUMENT];
  if (text === undefined || text === '') return undefined;
  try {
    const { position, started, elapsed, progress } = JSON.parse(String(text)) as Partial<Standing>;
    if (isObject(position) && typeof started === 'number' && typeof elapsed === 'number') {
      return { position, started, elapsed, ...(typeof progress === 'string' ? { progress } : {}) };
    }
  } catch {
    // What is wrong with it helps nobody: it is not meant to be typed.
  }
  throw new UsageError(`${STANDING_ARGUMENT} is set by the platform and cannot be given.`);
}
