/** The port of a host that reads lists in its own way, such as over all pages to filter them. */
import type { ListCall } from '../api/call.ts';
import type { Api } from '../api/client.ts';
import type { Page, Records } from '../api/pagination.ts';
import type { PortKey } from '../core/ports.ts';
import type { Output, Wire } from '../output/record.ts';
import type { Echo } from '../output/shape.ts';

/** The records of a command, and the arguments that they repeat. */
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
