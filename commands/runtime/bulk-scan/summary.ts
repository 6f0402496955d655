/** Summarizes a bulk scan: counts, and rows that fit into the context. */
import type { AisecError } from '../../../lib/core/errors.ts';
import { utf8Length } from '../../../lib/core/text/utf8.ts';
import { type NoVerdict, readRow } from '../../../lib/runtime/output/verdict.ts';
import { countOf, countRow, hasVerdict, NO_ROWS, type Row, rowError, rowIn } from './rows.ts';

/** Maximum number of rows of one kind in a table. */
const SHOWN_ROWS = 20;
/** Maximum number of rows in the context. */
const WHOLE_ROWS = 1000;
/** Space for counts and names in addition to the rows, in bytes. */
const AROUND = 2000;

/** Rows that a table shows: blocked, without an answer, or with an answer that is not a decision. */
type Kind = 'blocked' | 'failed' | 'undecided';

export type Summary = ReturnType<typeof createSummary>;

/** Creates a summary. @param contextLimit in bytes */
export function createSummary(contextLimit: number) {
  const room = Math.max(0, contextLimit - AROUND);
  const [priority, plain] = [rowStore(room), rowStore(room)];
  const counts = { ...NO_ROWS };
  /**
   * Numbers of rows that are missing from the counts: rows not scanned, rows allowed without a complete verdict, and rows
   * in the tables.
   */
  const more = { unscanned: 0, uncertain: 0, failed: 0, undecided: 0 };
  const others = new Map<string, number>();
  const shown: Readonly<Record<Kind, Row[]>> = { blocked: [], failed: [], undecided: [] };
  let cause: NoVerdict | undefined;
  let bytesInAll = 0;

  const show = (kind: Kind, row: Row) => {
    if (shown[kind].length < SHOWN_ROWS) shown[kind].push(row);
  };

  const isWhole = () => counts.total <= WHOLE_ROWS && bytesInAll <= room;

  return {
    ...{ counts, more, shown, isWhole },
    /** Actions other than allow and block, with their counts. */
    others,
    /** Adds a row. @param json the row as JSON */
    add: (row: Row, json: string) => {
      const [count, reading, isAnswered] = [countOf(row), readRow(row), hasVerdict(row)];
      const bytes = utf8Length(json) + 1;
      countRow(counts, row);
      bytesInAll += bytes;
      if (count === 'blocked') show('blocked', row);
      if (!isAnswered) {
        more.failed += 1;
        if (row.status === 'error') more.unscanned += 1;
        show('failed', row);
      } else if (count === 'errors') others.set(row.action, (others.get(row.action) ?? 0) + 1);
      if (reading.decision === 'none') {
        cause ??= reading.cause;
        if (count === 'allowed') more.uncertain += 1;
        if (isAnswered) more.undecided += 1;
        if (isAnswered) show('undecided', row);
      }
      (reading.decision === 'allow' ? plain : priority).put(json, bytes);
    },
    /** Returns why the first undecided row has no decision. */
    cause: () => cause,
    /** Returns rows for the context: all of them in order, or rows with priority first. */
    results: (): readonly Row[] => {
      if (isWhole()) return [...priority.rows(room), ...plain.rows(room)].sort((a, b) => a.row - b.row);
      return [...priority.rows(room), ...plain.rows(room - priority.bytes())];
    },
    /** Returns the number of rows that the tables show. */
    inTables: () => Object.values(shown).reduce((sum, rows) => sum + rows.length, 0),
    /** Returns the rows' error, if no row has a verdict. */
    failure: (): AisecError | undefined => {
      const [first] = shown.failed;
      return first === undefined || more.failed < counts.total ? undefined : rowError(first);
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
      return kept.slice(0, end < 0 ? kept.length : end).map(({ json }) => rowIn(json));
    },
  };
}
