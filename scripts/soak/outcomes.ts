/** How commands ended, counted; and what must not happen. */
import { AisecError, RefusedError } from '../../lib/errors.ts';
import type { Result } from '../../lib/result.ts';

export interface Ending {
  readonly name: string;
  readonly line: string;
  readonly result?: Result;
  readonly thrown?: unknown;
  /** Milliseconds from the moment in which it was stopped; undefined when it was not. */
  readonly afterStopMs?: number | undefined;
}

export interface Outcomes {
  note(ending: Ending): void;
  count(): number;
  /** How often, by exit code and class. */
  readonly classes: Readonly<Record<string, number>>;
  /** Endings that no fault of the service and no user explains, each kind once. */
  readonly unexpected: readonly string[];
  /** Commands that ended well at least once. */
  readonly succeeded: ReadonlySet<string>;
  /** Commands that were run often enough to end well, and never did: their traffic was none. */
  neverWell(): string[];
  /** The command that took the longest to end when it was stopped, in milliseconds. */
  slowestStop(): { readonly line: string; readonly ms: number };
}

/** Refused by the service (4, 5, 6), too many requests (7), failed there (8), no whole answer (9), a part of it done (10). */
const EXPECTED = [4, 5, 6, 7, 8, 9, 10];
const CANCELLED = 130;
const OFTEN = 20;

export function createOutcomes(): Outcomes {
  const classes: Record<string, number> = {};
  const unexpected = new Map<string, string>();
  const succeeded = new Set<string>();
  const runs = new Map<string, number>();
  let count = 0;
  let slowest = { line: '', ms: 0 };
  return {
    note(ending) {
      const { name, line, result, thrown, afterStopMs } = ending;
      const failure = thrown ?? result?.failure;
      const kind = kindOf(failure);
      count += 1;
      runs.set(name, (runs.get(name) ?? 0) + 1);
      classes[kind] = (classes[kind] ?? 0) + 1;
      if (failure === undefined) succeeded.add(name);
      if (afterStopMs !== undefined && afterStopMs > slowest.ms) slowest = { line, ms: afterStopMs };
      const key = `${name}: ${kind}`;
      if (failure !== undefined && !isExpected(failure, afterStopMs !== undefined) && !unexpected.has(key)) {
        unexpected.set(key, `${key}: ${textOf(failure)} (${line.slice(0, 200)})`);
      }
    },
    count: () => count,
    classes,
    get unexpected() {
      return [...unexpected.values()];
    },
    succeeded,
    neverWell: () => [...runs].filter(([name, often]) => often >= OFTEN && !succeeded.has(name)).map(([name]) => name),
    slowestStop: () => slowest,
  };
}

function kindOf(failure: unknown): string {
  if (failure === undefined) return '0 result';
  if (!(failure instanceof AisecError)) return `not ours: ${failure?.constructor.name ?? 'nothing'}`;
  return `${failure.exitCode} ${failure.name}`;
}

/** A fault of the program has the exit code of a failing service, and an answer that is none would be one that we did not understand. */
function isExpected(failure: unknown, wasStopped: boolean): boolean {
  if (!(failure instanceof AisecError)) return false;
  if (failure.exitCode === CANCELLED) return wasStopped;
  // All lines are well formed, so nothing but the state of the service can speak against them.
  if (failure instanceof RefusedError) return failure.status === 400;
  return EXPECTED.includes(failure.exitCode) && failure.code !== 'error' && failure.code !== 'response';
}

function textOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
