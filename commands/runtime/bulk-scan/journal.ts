/** The journal of a bulk scan: writes notes during a run. */
import type { JsonObject } from '../../../lib/core/json.ts';
import type { Journal } from '../../../lib/core/ports.ts';
import { fingerprint } from '../../../lib/text/fingerprint.ts';
import type { Prompt, Row } from './rows.ts';

/** Hint for a stopped run. */
export const RESUME = 'Repeat the line with resume=true: prompts with a result are not scanned again.';

/** The notes of a run; discarded if there is no journal. */
export interface Notes {
  /** Written before prompts are sent: without a later note, their outcome is unknown. @param facts about the sending */
  sending(prompts: readonly Prompt[], facts?: JsonObject): Promise<void>;
  /** Marks prompts that the service did not process. */
  unsent(prompts: readonly Prompt[]): Promise<void>;
  accepted(scanId: string, prompts: readonly Prompt[]): Promise<void>;
  /** Marks results that cannot be polled again. */
  completed(rows: readonly Row[]): Promise<void>;
  /** Written before prompts that may have been scanned are sent again, by their rows. */
  again(rows: readonly number[]): Promise<void>;
  /** Whether the simulated service responds in this run. */
  answered(simulated: boolean): Promise<void>;
  /** Number of sent prompts with an unknown outcome. */
  open(): number;
}

export function notesIn(journal: Journal | undefined): Notes {
  const open = new Set<number>();
  const note = async (value: JsonObject) => journal?.notes.append(`${JSON.stringify(value)}\n`);
  const close = (rows: readonly { row: number }[]) => {
    for (const { row } of rows) open.delete(row);
  };
  return {
    sending: (prompts, facts) => {
      for (const { row } of prompts) open.add(row);
      return note({ sending: numbers(prompts), ...facts });
    },
    unsent: (prompts) => {
      close(prompts);
      return note({ unsent: numbers(prompts) });
    },
    accepted: async (scan, prompts) => {
      close(prompts);
      // A fingerprint takes long in the embedded engine, which has no journal.
      if (journal !== undefined) await note({ scan, rows: numbers(prompts), mark: markOf(prompts) });
    },
    completed: (rows) => {
      close(rows);
      return note({ found: rows });
    },
    again: async (again) => (again.length === 0 ? undefined : note({ again })),
    answered: (simulated) => note({ simulated }),
    open: () => open.size,
  };
}

function numbers(prompts: readonly Prompt[]): number[] {
  return prompts.map(({ row }) => row);
}

/** Fingerprints prompts, to detect another input. */
export function markOf(prompts: readonly Prompt[]): string {
  return fingerprint(
    prompts.flatMap(({ text, content }) => (content === undefined ? [text] : [text, JSON.stringify(content)])),
  );
}
