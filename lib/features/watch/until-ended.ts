/** Polls a red-team scan until it has ended, as a command with wait=true does, and reads its attacks meanwhile. */

import { AisecError, CancelledError } from '../../core/errors.ts';
import { asText } from '../../core/json.ts';
import { metered, type ShowProgress } from '../../core/progress.ts';
import { numberOf } from '../../core/received.ts';
import type { Runtime } from '../../core/runtime.ts';
import { grouped, plural } from '../../core/text/numbers.ts';
import type { RunCommand } from '../../runtime/engine/command-port.ts';
import { type End, runJob, type Waiting } from '../../runtime/engine/job.ts';
import { type RedTeamScan, runCommand } from '../scans/commands.ts';
import { worded } from '../scans/format.ts';
import { partOf } from '../scans/refusals.ts';
import { readTested, type Tested } from '../scans/tested.ts';

/** Final states; source: `docs/wire.md`. */
const ENDS = ['COMPLETED', 'PARTIALLY_COMPLETE', 'FAILED', 'ABORTED'];

export interface Watch {
  readonly jobId: string;
  readonly ask: RunCommand;
  readonly runtime: Pick<Runtime, 'clock' | 'stop'>;
  /** Time limit of the wait, and time between two polls, in seconds. */
  readonly limits: { readonly timeout: number; readonly interval: number };
  /** The command that watches the scan again. */
  readonly again: string;
  /** Receives each state, before its progress line. */
  readonly onState: (scan: LiveScan) => void;
  readonly onProgress: ShowProgress;
  readonly warn: (sentence: string) => void;
}

/**
 * Watches a scan.
 * @returns the scan at its end
 * @throws TimeoutError at the time limit; CancelledError after a stop; AisecError of a poll that cannot succeed later
 */
export async function watchScan(watch: Watch): Promise<LiveScan> {
  const { ask, runtime, limits, onState, onProgress, warn, jobId, again } = watch;
  const attacks = attackReader(ask, runtime.clock);
  let last: LiveScan | undefined;
  const job: Waiting<typeof limits, Pick<Watch, 'warn'>> = {
    begin: async () => ({ name: jobId, status: 'unknown' }),
    step: async () => {
      const { record } = await runCommand(ask, 'aisec-redteam-scan-get', { job_id: jobId });
      const isLast = scanHasEnded(record);
      last = await attacks(record, isLast);
      if (isLast) return { wire: {} };
      onState(last);
      const position = { name: asText(record.name ?? jobId), status: asText(record.status) };
      return { position, waitMs: limits.interval * 1000, ...progressOf(record) };
    },
    limits: (args) => args,
    title: ({ name, status }) => `red-team scan ${asText(name)}, whose status is ${asText(status)},`,
    follow: () => again,
  };
  const progress = metered(onProgress, runtime.clock);
  const end = await runJob(job, {}, limits, { ...runtime, progress }, () => ({ warn }));
  if ('timeout' in end) throw end.timeout;
  const { failure } = end as End;
  if (failure !== undefined) throw failure;
  if (last === undefined) throw new Error('the watch ended before a poll');
  return last;
}

/** Reports whether a scan is in a final state. */
export function scanHasEnded({ status }: RedTeamScan): boolean {
  return ENDS.includes(asText(status));
}

/** Returns the progress of a scan: `25 of 48 attacks`. */
export function progressOf(job: RedTeamScan) {
  const [done, total] = [numberOf(job.completed) ?? 0, numberOf(job.total) ?? 0];
  const progress = total === 0 ? `0 ${partOf(job)}s so far` : `${grouped(done)} of ${plural(total, partOf(job))}`;
  return { progress, ...(total === 0 ? {} : { amount: { done, total } }) };
}

/** Attacks of one category. */
export interface Category {
  readonly name: string;
  readonly judged: number;
  readonly successful: number;
}

export interface LiveScan {
  readonly job: RedTeamScan;
  readonly categories: readonly Category[];
  /** Newest first. */
  readonly successes: readonly Tested[];
  /** Why the attacks are unknown. */
  readonly unread?: string | undefined;
}

/** Reading the attacks takes at most this share of the time. */
const SHARE = 0.1;

/** Creates a function that adds the attacks to a scan, and reads them again after more have finished. */
function attackReader(ask: RunCommand, clock: { elapsed(): number }) {
  let known: Pick<LiveScan, 'categories' | 'successes' | 'unread'> = { categories: [], successes: [] };
  let readAt: RedTeamScan['completed'];
  let nextAt = Number.NEGATIVE_INFINITY;
  /** @param isLast the scan has ended @throws CancelledError */
  return async (job: RedTeamScan, isLast: boolean): Promise<LiveScan> => {
    const start = clock.elapsed();
    const isNew = job.completed !== readAt && (job.completed ?? 0) > 0;
    if (!isLast && !(isNew && start >= nextAt)) return { job, ...known };
    readAt = job.completed;
    try {
      const { tested } = await readTested(job, ask);
      known = { categories: categoriesOf(tested), successes: newestFirst(tested, known.successes) };
    } catch (thrown) {
      if (!(thrown instanceof AisecError) || thrown instanceof CancelledError) throw thrown;
      known = { ...known, unread: thrown.message };
    }
    const now = clock.elapsed();
    nextAt = now + (now - start) / SHARE;
    return { job, ...known };
  };
}

function categoriesOf(tested: readonly Tested[]): Category[] {
  const byName = new Map<string, Category>();
  for (const { where, outcome } of tested) {
    const name = worded(where[0] ?? 'Attacks');
    const { judged, successful } = byName.get(name) ?? { judged: 0, successful: 0 };
    byName.set(name, {
      name,
      judged: judged + (outcome === 'unanswered' ? 0 : 1),
      successful: successful + (outcome === 'successful' ? 1 : 0),
    });
  }
  return [...byName.values()].sort((a, b) => rateOf(b) - rateOf(a) || b.judged - a.judged);
}

function rateOf({ judged, successful }: Category): number {
  return judged === 0 ? 0 : successful / judged;
}

/** Puts newly seen attacks first, because the service sends no time for an attack. */
function newestFirst(tested: readonly Tested[], before: readonly Tested[]): Tested[] {
  const successful = new Map(tested.filter(({ outcome }) => outcome === 'successful').map((each) => [each.id, each]));
  const old = before.map(({ id }) => id);
  const added = [...successful.values()].filter(({ id }) => !old.includes(id)).reverse();
  return [...added, ...old.flatMap((id) => successful.get(id) ?? [])];
}
