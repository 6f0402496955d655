/** Accepted, unfinished scans: when to poll each of them, and their results. */
import { type AisecError, ServiceError, TimeoutError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import type { Clock } from '../../../lib/core/ports.ts';
import { promptStates } from './calls.ts';
import { failedRow, type Prompt, type Row, verdictRow } from './rows.ts';

export interface Scan {
  readonly id: string;
  /** Prompts without a result, by row. */
  readonly prompts: Map<number, Prompt>;
  readonly since: number;
  /** Base of the exponential backoff between polls, in milliseconds. */
  readonly step: number;
  /** Number of polls so far. */
  polls: number;
  /** Consecutive polls without any record of its remaining prompts. */
  absent: number;
  pollAt: number;
  /** A poll is in flight. */
  isPolling: boolean;
}

export interface Scans {
  add(id: string, prompts: readonly Prompt[]): void;
  /** Adds a scan of an earlier run. @param since time of acceptance, by the clock's elapsed time, if known */
  resumeScan(id: string, prompts: readonly Prompt[], since: number | undefined): void;
  /**
   * Scans to poll now, at most `most`; empty when no scan is due. They count as being polled until the outcome is
   * recorded.
   */
  due(most: number): readonly Scan[];
  /** Time of the next poll, by the clock's elapsed time. */
  nextAt(): number | undefined;
  /** Records the result of one poll. @returns the finished rows */
  pollResult(scans: readonly Scan[], answer: JsonObject): readonly Row[];
  /** Records a failed poll, and schedules the next one. */
  pollFailed(scans: readonly Scan[]): void;
  /** Gives up a scan that cannot be polled. @returns its rows */
  lost(scan: Scan, error: AisecError, status?: 'failed' | 'timed_out'): readonly Row[];
  all(): readonly Scan[];
}

/** Delay before a poll, in milliseconds: for the first scan of a run, and the bounds for every scan. */
const [FIRST_POLL_MS, MIN_POLL_MS, MAX_POLL_MS] = [250, 25, 5000];
/** Maximum time to wait for a result, in milliseconds. */
const RESULT_TIMEOUT_MS = 300_000;
/** Maximum polls without a record of a prompt, which may appear later than others of its scan. */
const MAX_ABSENT = 5;

export function openScans(clock: Pick<Clock, 'elapsed'>): Scans {
  const scans = new Set<Scan>();
  // Moving average of the scan time, in milliseconds: earlier polls would be useless.
  let usual = 0;

  const put = (id: string, list: readonly Prompt[], since: number, waitMs: number) => {
    const prompts = new Map(list.map((prompt) => [prompt.row, prompt]));
    const step = waitMs === 0 ? FIRST_POLL_MS : Math.min(FIRST_POLL_MS, waitMs);
    scans.add({ id, prompts, since, step, polls: 0, absent: 0, pollAt: clock.elapsed() + waitMs, isPolling: false });
  };

  const later = (scan: Scan) => {
    const waitMs = Math.min(MAX_POLL_MS, scan.step * 2 ** (scan.polls + 1));
    Object.assign(scan, { polls: scan.polls + 1, pollAt: clock.elapsed() + waitMs, isPolling: false });
  };

  const finish = (scan: Scan, rows: readonly Row[]): readonly Row[] => {
    for (const { row } of rows) scan.prompts.delete(row);
    if (scan.prompts.size > 0) return rows;
    scans.delete(scan);
    const took = clock.elapsed() - scan.since;
    usual = usual === 0 ? took : usual + (took - usual) / 8;
    return rows;
  };

  const rest = (scan: Scan, status: 'timed_out' | 'missing', error: AisecError) =>
    Array.from(scan.prompts.values()).map((prompt) => failedRow(prompt, status, error, scan.id));

  /** Rows of a scan that will get no more results. */
  const endOf = (scan: Scan, isPending: boolean): Row[] => {
    scan.absent = isPending ? 0 : scan.absent + 1;
    if (scan.absent >= MAX_ABSENT) {
      return rest(scan, 'missing', new ServiceError('The service accepted the prompt and has no result for it.'));
    }
    if (clock.elapsed() - scan.since < RESULT_TIMEOUT_MS) return [];
    return rest(
      scan,
      'timed_out',
      new TimeoutError(`There is no result ${RESULT_TIMEOUT_MS / 1000} seconds after the prompt was sent.`),
    );
  };

  const resultsOf = (scan: Scan, stateOf: ReturnType<typeof promptStates>): readonly Row[] => {
    const rows: Row[] = [];
    let isPending = false;
    for (const prompt of Array.from(scan.prompts.values())) {
      const { state, result } = stateOf(scan.id, prompt.row) ?? {};
      if (state === 'complete') rows.push(verdictRow(prompt, result ?? {}, scan.id));
      if (state === 'failed') rows.push(failedRow(prompt, 'failed', new ServiceError('The scan failed.'), scan.id));
      if (state === 'pending') isPending = true;
    }
    finish(scan, rows);
    if (scan.prompts.size === 0) return rows;
    const last = finish(scan, endOf(scan, isPending));
    later(scan);
    return [...rows, ...last];
  };

  return {
    add: (id, prompts) => put(id, prompts, clock.elapsed(), firstPoll(usual)),
    resumeScan: (id, prompts, since = clock.elapsed()) => put(id, prompts, since, 0),
    due: (most) => {
      const now = clock.elapsed();
      const waiting = Array.from(scans).filter(({ isPolling }) => !isPolling);
      if (waiting.every(({ pollAt }) => pollAt > now)) return [];
      // Scans that are nearly due join: one request polls several.
      const near = waiting.filter(({ pollAt }) => pollAt <= now + FIRST_POLL_MS);
      const chosen = near.sort((a, b) => a.pollAt - b.pollAt).slice(0, most);
      for (const scan of chosen) scan.isPolling = true;
      return chosen;
    },
    nextAt: () => {
      const times = Array.from(scans)
        .filter(({ isPolling }) => !isPolling)
        .map(({ pollAt }) => pollAt);
      return times.length === 0 ? undefined : times.reduce((first, time) => Math.min(first, time));
    },
    pollResult: (polled, answer) => {
      const stateOf = promptStates(answer);
      return polled.reduce<Row[]>((rows, scan) => rows.concat(resultsOf(scan, stateOf)), []);
    },
    pollFailed: (polled) => {
      for (const scan of polled) later(scan);
    },
    lost: (scan, error, status = 'failed') =>
      finish(
        scan,
        Array.from(scan.prompts.values()).map((prompt) => failedRow(prompt, status, error, scan.id)),
      ),
    all: () => Array.from(scans),
  };
}

/** Returns the delay of the first poll. @param usual average scan time of this run, in milliseconds; 0 before the first end */
function firstPoll(usual: number): number {
  if (usual === 0) return FIRST_POLL_MS;
  // Results that are available at the first poll may have been available earlier.
  const share = usual < FIRST_POLL_MS * 1.2 ? 0.5 : 0.9;
  return Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, usual * share));
}
