/**
 * Totals by detector, for the summary that a terminal shows at the end. The native bundle has no terminal, and omits
 * this module.
 */
import type { SavedFile } from '../../../lib/core/ports.ts';
import type { Tally } from '../../../lib/runtime/output/result.ts';
import { detectorsOf } from '../../../lib/runtime/output/verdict.ts';
import type { Counts, Row } from './rows.ts';

/** Starts the totals of a run. */
export function openTally() {
  const detectors = new Map<string, number>();
  return {
    add: (row: Row) => {
      for (const name of detectorsOf(row)) detectors.set(name, (detectors.get(name) ?? 0) + 1);
    },
    /** @param milliseconds duration of this run */
    result: (
      { total, blocked, allowed, errors }: Counts,
      milliseconds: number,
      profile: string,
      file: SavedFile | undefined,
    ): Tally | undefined => ({
      title: `profile ${profile}`,
      noun: 'prompt',
      total,
      milliseconds,
      outcomes: [
        ['blocked', blocked],
        ['allowed', allowed],
        ['errors', errors],
      ],
      parts: Array.from(detectors.entries()),
      file,
      next: 'aisec gate bulk',
    }),
  };
}
