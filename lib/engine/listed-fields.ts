/** The fields of the records that a command lists. */
import { type Fields, string } from '../output/record.ts';
import type { Command } from './command.ts';

/** Returns the fields of a list's records; undefined for a command that lists nothing. */
export function listedFields({ effect, output }: Pick<Command, 'effect' | 'output'>): Fields | undefined {
  const { record, many, paged } = output;
  if (effect !== 'read') return undefined;
  if (many) return { ...record.fields, ...record.view.further };
  return paged === undefined ? undefined : (record.fields[paged]?.items ?? { value: string('The value.') });
}
