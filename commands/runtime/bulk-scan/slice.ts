/** Collects and counts the rows of one time slice, which are evaluated at the end of the run. */
import type { Tools } from '../../../lib/command.ts';
import type { AisecError } from '../../../lib/errors.ts';
import { countAll, readFinished } from './checkpoint.ts';
import type { Finished } from './restored.ts';
import type { Row } from './rows.ts';
import type { Counts } from './summary.ts';

interface Kept {
  readonly row: Row;
  /** The row as JSON. */
  readonly line: string;
}

export interface SliceRows {
  add(rows: readonly Row[]): void;
  /** Counts of the rows in files and of those of this slice. */
  counts(): Counts;
  rows(): readonly Row[];
  /** Returns all rows in order, once. @returns undefined for a second call */
  takeAll(tools: Pick<Tools, 'files'>): Promise<{ rows: readonly Kept[]; lost?: AisecError } | undefined>;
}

/** Starts a collection. @param earlier rows of earlier slices */
export function collectRows(earlier: Finished): SliceRows {
  const rows: Row[] = [];
  let isTaken = false;
  return {
    add: (placed) => {
      for (const row of placed) rows.push(row);
    },
    counts: () => countAll(earlier.counts, rows),
    rows: () => rows,
    takeAll: async (tools) => {
      if (isTaken) return undefined;
      isTaken = true;
      const { lines, ...rest } = await readFinished(earlier, tools);
      const all = lines.map((line) => ({ row: JSON.parse(line) as Row, line }));
      for (const row of rows) all.push({ row, line: JSON.stringify(row) });
      return { rows: all, ...rest };
    },
  };
}
