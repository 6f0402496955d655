/** Summarizes a bulk scan during the run: counts, and rows that fit into the context. */
import { type NoVerdict, readRow } from '../../../lib/output/verdict.ts';
import { utf8Length } from '../../../lib/text/utf8.ts';
import { countOf, errorOf, hasVerdict, type Row } from './rows.ts';

/** Maximum number of rows of one kind in a table. */
export const SHOWN_ROWS = 20;
/** Maximum number of rows in the context. */
const WHOLE_ROWS = 1000;
/** Space for counts and names beside the rows, in bytes. */
const AROUND = 2000;

export interface Counts {
  readonly total: number;
  readonly blocked: number;
  readonly allowed: number;
  readonly errors: number;
}

/** Rows that a table shows: blocked, without an answer, or with an answer that is no decision. */
type Kind = 'blocked' | 'failed' | 'undecided';

export interface Summary {
  /** Adds a row. @param json the row as JSON */
  add(row: Row, json: string): void;
  counts(): Counts;
  /** Number of rows without a verdict. */
  failed(): number;
  /** Number of rows of prompts that were not scanned. */
  unscanned(): number;
  /** Number of allowed rows whose verdict is not complete. */
  uncertain(): number;
  /** Number of rows with an answer that is no decision. */
  undecided(): number;
  /** Why the first row without a decision has none. */
  cause(): NoVerdict | undefined;
  /** Actions other than allow and block, with their counts. */
  others(): readonly (readonly [string, number])[];
  /** Whether the context has all rows. */
  isWhole(): boolean;
  /** Rows for the context: all in order, or those with priority first. */
  results(): readonly Row[];
  /** The first rows of a kind, for a table. */
  shown(kind: Kind): readonly Row[];
  /** Number of rows that the tables show. */
  inTables(): number;
  /** The error of the rows, if no row has a verdict. */
  failure(): ReturnType<typeof errorOf> | undefined;
}

/** Creates a summary. @param contextLimit in bytes */
export function createSummary(contextLimit: number): Summary {
  const room = Math.max(0, contextLimit - AROUND);
  const kept = { priority: rowStore(room), plain: rowStore(room) };
  const counts = { total: 0, blocked: 0, allowed: 0, errors: 0 };
  const others = new Map<string, number>();
  const shown: Record<Kind, Row[]> = { blocked: [], failed: [], undecided: [] };
  let [failed, unscanned, uncertain, undecided, bytesInAll] = [0, 0, 0, 0, 0];
  let cause: NoVerdict | undefined;

  const show = (kind: Kind, row: Row) => {
    if (shown[kind].length < SHOWN_ROWS) shown[kind].push(row);
  };

  const isWhole = () => counts.total <= WHOLE_ROWS && bytesInAll <= room;

  return {
    add: (row, json) => {
      const [count, reading] = [countOf(row), readRow(row)];
      const bytes = utf8Length(json) + 1;
      counts.total += 1;
      counts[count] += 1;
      bytesInAll += bytes;
      if (count === 'blocked') show('blocked', row);
      if (!hasVerdict(row)) {
        failed += 1;
        if (row.status === 'error') unscanned += 1;
        show('failed', row);
      } else if (count === 'errors') others.set(row.action, (others.get(row.action) ?? 0) + 1);
      if (reading.decision === 'none') {
        cause ??= reading.cause;
        if (count === 'allowed') uncertain += 1;
        if (hasVerdict(row)) {
          undecided += 1;
          show('undecided', row);
        }
      }
      kept[reading.decision === 'allow' ? 'plain' : 'priority'].put(json, bytes);
    },
    counts: () => counts,
    failed: () => failed,
    unscanned: () => unscanned,
    uncertain: () => uncertain,
    undecided: () => undecided,
    cause: () => cause,
    others: () => Array.from(others.entries()),
    isWhole,
    results: () => {
      const { priority, plain } = kept;
      if (isWhole()) return [...priority.rows(room), ...plain.rows(room)].sort((a, b) => a.row - b.row);
      return [...priority.rows(room), ...plain.rows(room - priority.bytes())];
    },
    shown: (kind) => shown[kind],
    inTables: () => Object.values(shown).reduce((sum, rows) => sum + rows.length, 0),
    failure: () => {
      const [first] = shown.failed;
      return first === undefined || failed < counts.total ? undefined : errorOf(first);
    },
  };
}

/** Stores rows up to a size limit, as JSON, which takes less memory than objects. */
function rowStore(room: number) {
  const kept: { json: string; bytes: number }[] = [];
  let [bytes, isFull] = [0, false];
  return {
    put: (json: string, size: number) => {
      isFull ||= bytes + size > room;
      if (isFull) return;
      bytes += size;
      kept.push({ json, bytes: size });
    },
    bytes: () => bytes,
    /** Returns the first rows that fit. */
    rows: (left: number): Row[] => {
      let used = 0;
      const end = kept.findIndex((row) => {
        used += row.bytes;
        return used > left;
      });
      return kept.slice(0, end < 0 ? kept.length : end).map(({ json }) => JSON.parse(json) as Row);
    },
  };
}
