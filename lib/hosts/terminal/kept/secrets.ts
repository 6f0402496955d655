/** One-time secrets: whether the output holds them, and tables that say where they are. */
import type { Command } from '../../../engine/command.ts';
import { MASK } from '../../../output/mask.ts';
import { heading, type Readable } from '../../../output/readable.ts';
import type { Issued, Result } from '../../../output/result.ts';
import { recordsOf } from '../../../project/result.ts';
import type { Format } from '../options/options.ts';
import type { Choice } from '../options/output-options.ts';

/** Reports whether a command returns a secret that the service shows only once. */
export function issuesSecrets(command: Command): boolean {
  return recordsOf(command).some(({ fields }) => Object.values(fields).some(({ once }) => once === true));
}

/** Reports whether a format is for people, whose tables mask secrets. */
export function isMasked(format: Format): boolean {
  return format === 'table' || format === 'markdown';
}

/** Reports whether the output contains the secret as it is. */
export function isHeld({ writes }: Result, { path, names }: Issued, format: Format, choice: Choice): boolean {
  if (isMasked(format) || choice.jq !== undefined) return false;
  const isSelected = choice.selection === undefined || names.every((name) => choice.selection?.includes(name));
  return isSelected && writes.some((write) => write.path === path && write.key !== undefined);
}

/** Returns the tables with the secret itself: the person asked for it. */
export function revealed(readable: Readable, { names, record }: Issued): Readable {
  const fields = record();
  const values = new Map(names.map((name) => [heading(name), String(fields[name])]));
  return {
    ...readable,
    tables: readable.tables.map((table) => ({
      ...table,
      rows: table.rows.map((row) =>
        row[1] === MASK && values.has(row[0] ?? '') ? [row[0] ?? '', values.get(row[0] ?? '') ?? ''] : row,
      ),
    })),
    notes: noted(readable.notes, names, 'is shown this one time only.'),
  };
}

/** Returns the tables with the place of the secret: the context ends with the process. */
export function pointed(readable: Readable, { names }: Issued, path: string): Readable {
  return { ...readable, notes: noted(readable.notes, names, `is returned this one time only: it is in ${path}.`) };
}

function noted(notes: readonly string[], names: readonly string[], state: string): string[] {
  return notes.map((note) => {
    const name = names.find((each) => note.startsWith(`${each} is shown this one time only: `));
    return name === undefined ? note : `${name} ${state}`;
  });
}
