/** Tracks accepted, unfinished scans: when to poll each scan, and its results. */
import { type AisecError, ServiceError, TimeoutError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import type { Clock } from '../../../lib/core/ports.ts';
import { promptStates } from './calls.ts';
import { type Ending, failedRow, type Prompt, type Row, verdictRow } from './rows.ts';

export interface Scan {
  readonly id: string;
  /** Prompts without a result, by row. */
  readonly prompts: Map<number, Prompt>;
  readonly since: number;
  /** Base of the exponential backoff between polls, in milliseconds. */
  readonly step: number;
  /** Number of polls so far. */
  polls: number;
  /** Number of consecutive polls that returned no record of the scan's remaining prompts. */
  absent: number;
  pollAt: number;
  /** True while a poll is in flight. */
  isPolling: boolean;
}

/** Delay before a poll, in milliseconds: the value for a run's first scan, and the bounds for every scan. */
const [FIRST_POLL_MS, MIN_POLL_MS, MAX_POLL_MS] = [250, 25, 5000];
/** Maximum time to wait for a result, in milliseconds. */
const RESULT_TIMEOUT_MS = 300_000;
/** Maximum polls without a record of a prompt, which may appear later than the scan's other prompts. */
const MAX_ABSENT = 5;

export class Scans {
  private readonly scans = new Set<Scan>();
  private readonly clock: Pick<Clock, 'elapsed'>;
  /** Moving average of the scan time, in milliseconds: polling earlier would be useless. */
  private usual = 0;

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.clock = clock;
  }

  add(id: string, prompts: readonly Prompt[]): void {
    this.put(id, prompts, this.clock.elapsed(), firstPoll(this.usual));
  }

  /** Adds a scan of an earlier run. @param since time of acceptance, by the clock's elapsed time, if known */
  resumeScan(id: string, prompts: readonly Prompt[], since = this.clock.elapsed()): void {
    this.put(id, prompts, since, 0);
  }

  /**
   * Returns scans to poll now, at most `most`; empty when no scan is due. The returned scans count as being polled until their
   * outcome is recorded.
   */
  due(most: number): readonly Scan[] {
    const now = this.clock.elapsed();
    const waiting = this.waiting();
    if (waiting.every(({ pollAt }) => pollAt > now)) return [];
    // Include scans that are nearly due, because one request polls several.
    const near = waiting.filter(({ pollAt }) => pollAt <= now + FIRST_POLL_MS);
    const chosen = near.sort((a, b) => a.pollAt - b.pollAt).slice(0, most);
    for (const scan of chosen) scan.isPolling = true;
    return chosen;
  }

  /** Returns the time of the next poll, by the clock's elapsed time. */
  nextAt(): number | undefined {
    const first = this.waiting().reduce((least, { pollAt }) => Math.min(least, pollAt), Number.POSITIVE_INFINITY);
    return first === Number.POSITIVE_INFINITY ? undefined : first;
  }

  /** Records the result of one poll. @returns the finished rows */
  pollResult(polled: readonly Scan[], answer: JsonObject): readonly Row[] {
    const stateOf = promptStates(answer);
    return polled.reduce<Row[]>((rows, scan) => rows.concat(this.resultsOf(scan, stateOf)), []);
  }

  /** Schedules the next poll of a scan. */
  pollLater(scan: Scan): void {
    scan.polls += 1;
    scan.pollAt = this.clock.elapsed() + Math.min(MAX_POLL_MS, scan.step * 2 ** scan.polls);
    scan.isPolling = false;
  }

  /** Ends a scan that will get no more results. @returns its rows */
  end(scan: Scan, status: Ending, error: AisecError): readonly Row[] {
    const prompts = Array.from(scan.prompts.values());
    return this.finish(
      scan,
      prompts.map((prompt) => failedRow(prompt, status, error, scan.id)),
    );
  }

  all(): readonly Scan[] {
    return Array.from(this.scans);
  }

  private waiting(): Scan[] {
    return Array.from(this.scans).filter(({ isPolling }) => !isPolling);
  }

  private put(id: string, list: readonly Prompt[], since: number, waitMs: number): void {
    const prompts = new Map(list.map((prompt) => [prompt.row, prompt]));
    const step = waitMs === 0 ? FIRST_POLL_MS : Math.min(FIRST_POLL_MS, waitMs);
    const pollAt = this.clock.elapsed() + waitMs;
    this.scans.add({ id, prompts, since, step, polls: 0, absent: 0, pollAt, isPolling: false });
  }

  private resultsOf(scan: Scan, stateOf: ReturnType<typeof promptStates>): readonly Row[] {
    const rows: Row[] = [];
    let isPending = false;
    for (const prompt of Array.from(scan.prompts.values())) {
      const { state, result } = stateOf(scan.id, prompt.row) ?? {};
      if (state === 'complete') rows.push(verdictRow(prompt, result ?? {}, scan.id));
      if (state === 'failed') rows.push(failedRow(prompt, 'failed', new ServiceError('The scan failed.'), scan.id));
      if (state === 'pending') isPending = true;
    }
    this.finish(scan, rows);
    if (scan.prompts.size === 0) return rows;
    scan.absent = isPending ? 0 : scan.absent + 1;
    const last = this.overdue(scan);
    this.pollLater(scan);
    return [...rows, ...last];
  }

  /** Ends a scan that has waited too long. */
  private overdue(scan: Scan): readonly Row[] {
    if (scan.absent >= MAX_ABSENT) {
      const error = new ServiceError('The service accepted the prompt and has no result for it.');
      return this.end(scan, 'missing', error);
    }
    if (this.clock.elapsed() - scan.since < RESULT_TIMEOUT_MS) return [];
    const seconds = RESULT_TIMEOUT_MS / 1000;
    return this.end(
      scan,
      'timed_out',
      new TimeoutError(`There is no result ${seconds} seconds after the prompt was sent.`),
    );
  }

  private finish(scan: Scan, rows: readonly Row[]): readonly Row[] {
    for (const { row } of rows) scan.prompts.delete(row);
    if (scan.prompts.size > 0) return rows;
    this.scans.delete(scan);
    const took = this.clock.elapsed() - scan.since;
    this.usual = this.usual === 0 ? took : this.usual + (took - this.usual) / 8;
    return rows;
  }
}

/**
 * Returns the delay of the first poll.
 * @param usual average scan time of this run, in milliseconds; 0 before the first scan has ended
 */
function firstPoll(usual: number): number {
  if (usual === 0) return FIRST_POLL_MS;
  // Results found by the first poll may have been available earlier.
  const share = usual < FIRST_POLL_MS * 1.2 ? 0.5 : 0.9;
  return Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, usual * share));
}
