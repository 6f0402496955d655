/** Counts outcomes of commands, and collects unexpected ones. */
import { AisecError, RefusedError } from '../../lib/core/errors.ts';

export interface Outcome {
  readonly name: string;
  readonly line: string;
  /** The thrown error, or the failure of the result; undefined after a success. */
  readonly thrown?: unknown;
  /** Milliseconds from the stop to the end; undefined if the command was not stopped. */
  readonly afterStopMs?: number | undefined;
}

export type Outcomes = ReturnType<typeof createOutcomes>;

/** Exit codes of injected faults and service states: refused (4, 5, 6), throttled (7), failed (8), no response (9), partial (10). */
const EXPECTED = [4, 5, 6, 7, 8, 9, 10];
const CANCELLED = 130;

export function createOutcomes() {
  const classes: Record<string, number> = {};
  const unexpected = new Map<string, string>();
  const succeeded = new Set<string>();
  let count = 0;
  let slowest = { line: '', ms: 0 };
  return {
    note({ name, line, thrown, afterStopMs }: Outcome): void {
      const kind = kindOf(thrown);
      count += 1;
      classes[kind] = (classes[kind] ?? 0) + 1;
      if (afterStopMs !== undefined && afterStopMs > slowest.ms) slowest = { line, ms: afterStopMs };
      if (thrown === undefined) succeeded.add(name);
      else if (!isExpected(thrown, afterStopMs !== undefined)) {
        const text = thrown instanceof Error ? thrown.message : String(thrown);
        unexpected.set(`${name}: ${kind}`, `${name}: ${kind}: ${text} (${line.slice(0, 200)})`);
      }
    },
    count: () => count,
    /** Counts by exit code and class. */
    classes,
    /** Outcomes that are not explained by an injected fault or a stop, each kind once. */
    unexpected: () => [...unexpected.values()],
    /** Commands that succeeded at least once. */
    succeeded,
    /** Returns the command with the longest time from stop to end. */
    slowestStop: () => slowest,
  };
}

function kindOf(failure: unknown): string {
  if (failure === undefined) return '0 result';
  if (!(failure instanceof AisecError)) return `not ours: ${failure?.constructor.name ?? 'nothing'}`;
  return `${failure.exitCode} ${failure.name}`;
}

/** Reports whether a failure is expected. Bugs (code `error`) and unparsable responses (code `response`) share exit code 8, but are not. */
function isExpected(failure: unknown, wasStopped: boolean): boolean {
  if (!(failure instanceof AisecError)) return false;
  if (failure.exitCode === CANCELLED) return wasStopped;
  // All lines are valid, so only the state of the service can make it refuse them, with a 400.
  if (failure instanceof RefusedError) return failure.status === 400;
  return EXPECTED.includes(failure.exitCode) && failure.code !== 'error' && failure.code !== 'response';
}
