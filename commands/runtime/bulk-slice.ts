/** The rows of one time slice: they are only kept and counted, and looked at together with all others at the end. */
import type { Tools } from '../../lib/command.ts';
import type { AisecError } from '../../lib/errors.ts';
import { type Finished, readFinished } from './bulk-checkpoint.ts';
import { countOf, type Row } from './bulk-rows.ts';

interface Kept {
  readonly row: Row;
  /** The same as JSON. */
  readonly line: string;
}

export interface SliceRows {
  add(row: Row, line: string): void;
  /** The rows of earlier slices and of this one. */
  finished(): Finished;
  /** Hands over all rows in their order, once. @returns undefined when they were handed over before */
  takeAll(tools: Pick<Tools, 'files'>): Promise<{ rows: readonly Kept[]; lost?: AisecError } | undefined>;
}

/** @param earlier the rows of earlier slices */
export function collectRows(earlier: Finished): SliceRows {
  const counts = { ...earlier.counts };
  const fresh: Kept[] = [];
  let isTaken = false;
  return {
    add: (row, line) => {
      counts.total += 1;
      counts[countOf(row)] += 1;
      fresh.push({ row, line });
    },
    finished: () => ({ ...earlier, counts, lines: [...earlier.lines, ...fresh.map(({ line }) => line)] }),
    takeAll: async (tools) => {
      if (isTaken) return undefined;
      isTaken = true;
      const { lines, ...rest } = await readFinished(earlier, tools);
      const rows = lines.map((line) => ({ row: JSON.parse(line) as Row, line }));
      return { rows: [...rows, ...fresh], ...rest };
    },
  };
}
