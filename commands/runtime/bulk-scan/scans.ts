/** The scans that the service has taken on and not finished: when to look at each of them, and what it came to. */
import { type AisecError, ServiceError, TimeoutError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Clock } from '../../../lib/ports.ts';
import { promptStates } from './calls.ts';
import { failedRow, type Prompt, type Row, verdictRow } from './rows.ts';

export interface Scan {
  readonly id: string;
  /** The prompts that have no result yet, by their rows. */
  readonly prompts: Map<number, Prompt>;
  readonly since: number;
  /** The next look after one in vain comes after twice this time, in milliseconds; then after twice that, and so on. */
  readonly step: number;
  /** How often it was looked at. */
  polls: number;
  /** How often in a row the service knew nothing of its last prompts. */
  absent: number;
  pollAt: number;
  /** Somebody is looking at it. */
  isPolling: boolean;
}

export interface Scans {
  add(id: string, prompts: readonly Prompt[]): void;
  /** A scan of an earlier run. @param since when the service took it on, by the clock's elapsed time, where that is known */
  resumeScan(id: string, prompts: readonly Prompt[], since: number | undefined): void;
  /** Scans to look at now, at most so many; empty when none is due. They count as watched until they are told about. */
  due(most: number): readonly Scan[];
  /** When the next one is due, by the clock's elapsed time. */
  nextAt(): number | undefined;
  /** What came of a look. @returns the rows that are finished */
  pollResult(scans: readonly Scan[], answer: JsonObject): readonly Row[];
  /** A look that brought nothing: later again. */
  pollFailed(scans: readonly Scan[]): void;
  /** A scan that cannot be looked at. @returns its rows */
  lost(scan: Scan, error: AisecError): readonly Row[];
  all(): readonly Scan[];
}

/** After so many milliseconds a scan is looked at: the first of a run, and each of them at the earliest and the latest. */
const [FIRST_POLL_MS, MIN_POLL_MS, MAX_POLL_MS] = [250, 25, 5000];
/** A scan that has no result after this time gets none. */
const RESULT_TIMEOUT_MS = 300_000;
/** A service may know of a prompt a little later than of the others of its scan. */
const MAX_ABSENT = 5;

export function openScans(clock: Pick<Clock, 'elapsed'>): Scans {
  const scans = new Set<Scan>();
  // How long a scan usually takes, in milliseconds: looking before that is looking in vain.
  let usual = 0;

  const put = (id: string, given: readonly Prompt[], since: number, waitMs: number) => {
    const prompts = new Map(given.map((prompt) => [prompt.row, prompt]));
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

  /** Rows of a scan that has nothing more to say. */
  const endOf = (scan: Scan, isPending: boolean): Row[] => {
    scan.absent = isPending ? 0 : scan.absent + 1;
    if (scan.absent >= MAX_ABSENT) {
      return rest(scan, 'missing', new ServiceError('The service took the prompt and has no result for it.'));
    }
    if (clock.elapsed() - scan.since < RESULT_TIMEOUT_MS) return [];
    return rest(
      scan,
      'timed_out',
      new TimeoutError(`There is no result ${RESULT_TIMEOUT_MS / 1000} seconds after the prompt was sent.`),
    );
  };

  const resultsOf = (scan: Scan, said: ReturnType<typeof promptStates>): readonly Row[] => {
    const rows: Row[] = [];
    let isPending = false;
    for (const prompt of Array.from(scan.prompts.values())) {
      const { state, result } = said(scan.id, prompt.row) ?? {};
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
      // Those that are nearly due come along: one request looks at several.
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
      const said = promptStates(answer);
      return polled.reduce<Row[]>((rows, scan) => rows.concat(resultsOf(scan, said)), []);
    },
    pollFailed: (polled) => {
      for (const scan of polled) later(scan);
    },
    lost: (scan, error) =>
      finish(
        scan,
        Array.from(scan.prompts.values()).map((prompt) => failedRow(prompt, 'failed', error, scan.id)),
      ),
    all: () => Array.from(scans),
  };
}

/** @param usual how long scans of this run took until their results were there, in milliseconds; 0 when none has ended */
function firstPoll(usual: number): number {
  if (usual === 0) return FIRST_POLL_MS;
  // Results that were there when they were first asked for may have been there long before.
  const share = usual < FIRST_POLL_MS * 1.2 ? 0.5 : 0.9;
  return Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, usual * share));
}
