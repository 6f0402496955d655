/** Collects and counts the rows of one time slice, which are evaluated at the end of the run. */

import type { AisecError } from '../../../lib/core/errors.ts';
import type { Tools } from '../../../lib/engine/command.ts';
import { countRow, readFinished } from './checkpoint.ts';
import type { Finished } from './restored.ts';
import { hasVerdict, type Row } from './rows.ts';
import { type Counts, SHOWN_ROWS } from './summary.ts';

interface Kept {
  readonly row: Row;
  /** The row as JSON. */
  readonly line: string;
}

export interface SliceRows {
  add(rows: readonly Row[]): void;
  /** Counts of the rows in files and of those of this slice. */
  counts(): Counts;
  /** The rows of this slice as JSON, which takes less memory than objects. */
  lines(): readonly string[];
  /**
   * Hands on all rows in order, file by file, once; a second call does nothing.
   * @returns an error if rows of earlier slices are gone
   */
  takeAll(tools: Pick<Tools, 'files'>, take: (rows: readonly Kept[]) => Promise<void>): Promise<AisecError | undefined>;
}

/** Rows handed on at once. */
const AT_ONCE = 500;

/** Starts a collection. @param earlier rows of earlier slices */
export function collectRows(earlier: Finished): SliceRows {
  const lines: string[] = [];
  // JSON loses the cause of a row without a verdict, and the first ones are shown.
  const failed = new Map<string, Row>();
  const counts = { ...earlier.counts };
  let isTaken = false;
  return {
    add: (placed) => {
      for (const row of placed) {
        const line = JSON.stringify(row);
        lines.push(line);
        countRow(counts, row);
        if (!hasVerdict(row) && failed.size < SHOWN_ROWS) failed.set(line, row);
      }
    },
    counts: () => counts,
    lines: () => lines,
    takeAll: async (tools, take) => {
      if (isTaken) return undefined;
      isTaken = true;
      const hand = async (all: readonly string[]) => {
        for (let at = 0; at < all.length; at += AT_ONCE) {
          await take(all.slice(at, at + AT_ONCE).map((line) => ({ row: failed.get(line) ?? rowIn(line), line })));
        }
      };
      const lost = await readFinished(earlier, tools, hand);
      await hand(lines);
      return lost;
    },
  };
}

function rowIn(line: string): Row {
  return JSON.parse(line) as Row;
}
