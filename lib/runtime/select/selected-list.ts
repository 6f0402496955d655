/** Reads the pages of a list for a host that selects and orders its records. */

import type { ListCall } from '../api/call.ts';
import type { Api } from '../api/client.ts';
import type { Page, Records } from '../api/pagination.ts';
import { type ListedRecords, type ListReader, tableOnly } from '../engine/list-reader.ts';
import type { Wire } from '../output/record.ts';
import { shape } from '../output/shape.ts';

/** Selects and orders the records of a list, across all its pages. */
export interface ListSelection {
  /** Receives the shaped record. */
  readonly matches?: ((record: unknown) => boolean) | undefined;
  /** Orders shaped records. */
  readonly compare?: ((one: unknown, other: unknown) => number) | undefined;
  /** True if the caller typed a limit, which counts selected records. Otherwise all of them are returned. */
  readonly isLimited: boolean;
  /** Called once, with the number of records that were read, and whether they were enough. */
  readonly onRead?: (end: { readonly read: number; readonly isWhole: boolean }) => void;
}

/** Maximum number of records that are read for one list. */
export const MAX_SELECTED = 10_000;
/** Number of records to read before the selection may stop reading. */
const BLOCK = 1000;
/** The planes reject or truncate larger pages. */
const PAGE_SIZE = 100;

/** Creates the reader of a selection. */
export function selectingReader(selection: ListSelection): ListReader {
  return {
    read: (api, call, listed, onRecords) => fetchSelected(api, call, selection, itemOf(listed), onRecords),
    select: (records, listed) => selectRecords(records, selection, itemOf(listed)),
  };
}

/** Shapes one item of a list: a record, or a row inside the one record. */
function itemOf({ output: { record, paged }, typed }: ListedRecords): (wire: Wire) => unknown {
  if (paged === undefined) {
    return (wire) => ({ ...tableOnly(record, wire), ...shape(record, wire, typed) });
  }
  const items = record.fields[paged]?.items;
  return items === undefined ? (wire) => wire : (wire) => shape({ path: record.path, fields: items }, wire, {});
}

/** The part of the matches that the caller wants. */
interface Window {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads a list from its start: limit and offset of the call count the selected records.
 * @param shaped converts an item of the response to the record that the selection reads @param onRecords receives
 * selected records as they arrive, or sorted at the end
 */
export async function fetchSelected(
  api: Pick<Api, 'list'>,
  { records: range, ...call }: ListCall,
  selection: ListSelection,
  shaped: (wire: Wire) => unknown,
  onRecords?: (records: Records) => void,
): Promise<Page> {
  const window = windowOf(range === undefined ? call : { ...range, paging: 'offset' }, selection);
  const picker = pickerOf(selection, shaped, window, onRecords);
  let page: Page | undefined;
  for (let at = 0, read = 0; ; at += 1) {
    page = await api.list({ ...call, ...blockAt(call, at, read) }, picker.take);
    read += page.count;
    const isDone = !page.more || page.repeated || page.count === 0 || read >= MAX_SELECTED;
    if (!isDone && !picker.isFull()) continue;
    return endOf(page, picker.end(), { window, read, isWhole: isDone && !page.more && !page.repeated }, selection);
  }
}

/** Selects among records that a handler has read. */
export function selectRecords(all: Records, selection: ListSelection, shaped: (wire: Wire) => unknown): Records {
  const picker = pickerOf(selection, shaped, { from: 0, to: Number.POSITIVE_INFINITY });
  picker.take(all);
  selection.onRead?.({ read: all.length, isWhole: true });
  return picker.end().records;
}

function windowOf(
  { paging, limit = Number.POSITIVE_INFINITY, offset }: Pick<ListCall, 'paging' | 'limit' | 'offset'>,
  { isLimited }: ListSelection,
): Window {
  const from = paging === 'page' ? offset * limit : offset;
  return { from, to: isLimited ? from + limit : Number.POSITIVE_INFINITY };
}

function blockAt({ paging, filter }: ListCall, at: number, read: number): Pick<ListCall, 'limit' | 'offset'> {
  if (paging === 'page') return { limit: PAGE_SIZE, offset: at };
  const isOneRead = paging === 'whole' || filter !== undefined;
  return { limit: isOneRead ? MAX_SELECTED : Math.min(BLOCK, MAX_SELECTED - read), offset: read };
}

function pickerOf(
  { matches, compare }: ListSelection,
  shaped: (wire: Wire) => unknown,
  { from, to }: Window,
  onRecords?: (records: Records) => void,
) {
  const kept: { readonly wire: Wire; readonly record: unknown }[] = [];
  let [found, wanted] = [0, 0];
  const pass = (wire: Wire) => onRecords?.([wire]);
  return {
    /** Reports whether the window has all its records, and later records cannot change their order. */
    isFull: () => compare === undefined && found > to,
    take: (records: Records) => {
      for (const wire of records) {
        const record = shaped(wire);
        if (matches !== undefined && !matches(record)) continue;
        found += 1;
        if (compare === undefined && (found <= from || found > to)) continue;
        wanted += 1;
        // Do not keep records that were passed on at once, because a list may be long.
        if (compare === undefined && onRecords !== undefined) pass(wire);
        else kept.push({ wire, record });
      }
    },
    end: () => {
      if (compare === undefined) return { records: kept.map(({ wire }) => wire), count: wanted, found };
      const records = kept
        .sort((one, other) => compare(one.record, other.record))
        .slice(from, to)
        .map(({ wire }) => wire);
      records.forEach(pass);
      return { records, count: records.length, found };
    },
  };
}

function endOf(
  last: Page,
  { records, count, found }: { readonly records: Records; readonly count: number; readonly found: number },
  { window, read, isWhole }: { readonly window: Window; readonly read: number; readonly isWhole: boolean },
  { onRead }: ListSelection,
): Page {
  onRead?.({ read, isWhole: isWhole || found > window.to });
  const { gap, head, repeated } = last;
  const more = !isWhole || window.from + count < found;
  const total = isWhole ? found : undefined;
  const common = { records, count, more, total, pages: undefined, repeated };
  return { ...common, ...(gap === undefined ? {} : { gap }), ...(head === undefined ? {} : { head }) };
}
