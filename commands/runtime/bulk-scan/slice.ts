/** Collects and counts the rows of one time slice, which are evaluated at the end of the run. */
import type { AisecError } from '../../../lib/core/errors.ts';
import type { Tools } from '../../../lib/engine/command.ts';
import { readFinished } from './checkpoint.ts';
import { countRow, type Row, rowIn } from './rows.ts';
import type { Finished } from './state.ts';

/** Rows handed on at once. */
const AT_ONCE = 500;

export type SliceRows = ReturnType<typeof collectRows>;

/** Starts a collection. @param earlier rows of earlier slices */
export function collectRows(earlier: Finished) {
  /** The rows of this slice as JSON, which takes less memory than objects. */
  const lines: string[] = [];
  /** Counts of the rows in files and of those of this slice. */
  const counts = { ...earlier.counts };
  // JSON loses the cause of a row without a verdict, and that of the first row may be the error of the run.
  let first: Row | undefined;
  let isTaken = false;
  return {
    ...{ counts, lines },
    add: (placed: readonly Row[]) => {
      for (const row of placed) {
        lines.push(JSON.stringify(row));
        countRow(counts, row);
        if (row.row === 1) first = row;
      }
    },
    /**
     * Hands on all rows in order, file by file, once; a second call does nothing.
     * @returns an error if rows of earlier slices are gone
     */
    takeAll: async (tools: Pick<Tools, 'files'>, take: Take): Promise<AisecError | undefined> => {
      if (isTaken) return undefined;
      isTaken = true;
      const hand = async (all: readonly string[], head?: Row) => {
        for (let at = 0; at < all.length; at += AT_ONCE) {
          const some = all.slice(at, at + AT_ONCE);
          const rows = some.map(rowIn);
          if (at === 0 && head !== undefined) rows[0] = head;
          await take(rows, some);
        }
      };
      const lost = await readFinished(earlier, tools, hand);
      await hand(lines, first);
      return lost;
    },
  };
}

/** Receives rows, as objects and as JSON. */
type Take = (rows: readonly Row[], lines: readonly string[]) => Promise<void>;
