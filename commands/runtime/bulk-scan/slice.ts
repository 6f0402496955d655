/** The rows of one time slice: kept and counted now, evaluated together with all others at the end. */
import type { Tools } from '../../../lib/command.ts';
import type { AisecError } from '../../../lib/errors.ts';
import { countAll, type Finished, readFinished } from './checkpoint.ts';
import type { Row } from './rows.ts';
import type { Counts } from './summary.ts';

interface Kept {
  readonly row: Row;
  /** The same as JSON. */
  readonly line: string;
}

export interface SliceRows {
  add(rows: readonly Row[]): void;
  /** Counts of the rows in files and of those of this slice. */
  counts(): Counts;
  rows(): readonly Row[];
  /** Hands over all rows in their order, once. @returns undefined when they were handed over before */
  takeAll(tools: Pick<Tools, 'files'>): Promise<{ rows: readonly Kept[]; lost?: AisecError } | undefined>;
}

/** @param earlier the rows of earlier slices */
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
