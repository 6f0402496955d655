/** Lets a host read lists in its own way, for example by reading all pages to filter the records. */

import { isObject } from '../../core/json.ts';
import type { PortKey } from '../../core/ports.ts';
import type { ListCall } from '../api/call.ts';
import type { Api } from '../api/client.ts';
import type { Page, Records } from '../api/pagination.ts';
import { type Fields, type Output, type RecordType, string, type Wire } from '../output/record.ts';
import { type Echo, shape } from '../output/shape.ts';
import type { Command } from './command.ts';

/** The record declaration of a command, and the arguments that its records repeat. */
export interface ListedRecords {
  readonly output: Output;
  readonly typed: Echo;
}

export interface ListReader {
  /** Reads a list as `Api.list` does. */
  read(
    api: Pick<Api, 'list'>,
    call: ListCall,
    listed: ListedRecords,
    onRecords?: (records: Records) => void,
  ): Promise<Page>;
  /** Selects among the records of a handler. */
  select(records: readonly Wire[], listed: ListedRecords): readonly Wire[];
}

export const LIST_READER: PortKey<ListReader> = { name: 'list reader' };

/** Returns the fields of a list's records; undefined for a command that lists nothing. */
export function listedFields({ effect, output }: Pick<Command, 'effect' | 'output'>): Fields | undefined {
  const { record, many, paged } = output;
  if (effect !== 'read') return undefined;
  if (many) return { ...record.fields, ...record.view.further };
  return paged === undefined ? undefined : (record.fields[paged]?.items ?? { value: string('The value.') });
}

/** Shapes the fields that an item has only in the table of a list, such as `asr`. @param item of the response */
export function tableOnly({ path, view }: Pick<RecordType, 'path' | 'view'>, item: unknown) {
  const { further } = view;
  return further === undefined ? {} : shape({ path, fields: further }, isObject(item) ? item : {}, {});
}
