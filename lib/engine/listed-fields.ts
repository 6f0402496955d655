/** The fields of the records that a command lists. */
import { isObject } from '../core/json.ts';
import { type Fields, type RecordType, string } from '../output/record.ts';
import { shape } from '../output/shape.ts';
import type { Command } from './command.ts';

/** Returns the fields of a list's records; undefined for a command that lists nothing. */
export function listedFields({ effect, output }: Pick<Command, 'effect' | 'output'>): Fields | undefined {
  const { record, many, paged } = output;
  if (effect !== 'read') return undefined;
  if (many) return { ...record.fields, ...record.view.further };
  return paged === undefined ? undefined : (record.fields[paged]?.items ?? { value: string('The value.') });
}

/** Shapes the fields of an item that only the table of a list has, such as `asr`. @param item of the response */
export function tableOnly({ path, view }: Pick<RecordType, 'path' | 'view'>, item: unknown) {
  const { further } = view;
  return further === undefined ? {} : shape({ path, fields: further }, isObject(item) ? item : {}, {});
}
