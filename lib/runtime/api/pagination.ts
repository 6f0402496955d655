/** Fetches a list page by page, up to the limit. */
import { ResponseError, SERVICE_CHANGED } from '../../core/errors.ts';
import { isObject, type JsonObject, objectOf } from '../../core/json.ts';
import type { Call, ListCall, Paging, Query } from './call.ts';
import { type PageForecast, PagePrefetcher } from './prefetch.ts';

/** The planes reject or truncate larger pages: see `docs/wire.md`. */
const PAGE_SIZE = 100;

export type Records = readonly Readonly<Record<string, unknown>>[];

/** Records of a list, with counts. */
export interface Page {
  readonly records: Records;
  /** Number of fetched records, even if they are not kept. */
  readonly count: number;
  /** More records exist than were fetched. */
  readonly more: boolean;
  /** Number of all records, if the service reports it. */
  readonly total: number | undefined;
  /** Number of all pages, where the plane counts pages. */
  readonly pages: number | undefined;
  /** True if the service sent a page twice, so the list is incomplete. */
  readonly repeated: boolean;
  /** Why the list cannot be complete, whatever the limit; absent if the list may be complete. */
  readonly gap?: string;
  /** The first response without its records, such as totals. */
  readonly head?: Readonly<Record<string, unknown>>;
}

type Fetch = (call: Call) => Promise<JsonObject>;

export interface FetchOptions {
  /** Receives the records of each page as they arrive; if set, the result does not keep the records. */
  readonly onRecords?: ((records: Records) => void) | undefined;
  /** Maximum number of concurrent page requests. */
  readonly concurrency: number;
}

/** Fetches the pages of a list. @param fetch sends one request */
export async function fetchPages(call: ListCall, fetch: Fetch, options: FetchOptions): Promise<Page> {
  if (call.records !== undefined) return fetchRecords(call, call.records, fetch, options);
  return call.filter === undefined
    ? new Range(call, fetch, options).read()
    : fetchFiltered(call, call.filter, fetch, options);
}

/** Reads every record, because limit and offset count the matches. */
async function fetchFiltered(
  call: ListCall,
  filter: (record: JsonObject) => boolean,
  fetch: Fetch,
  { onRecords, concurrency }: FetchOptions,
): Promise<Page> {
  const all = await new Range({ ...call, limit: undefined, offset: 0 }, fetch, { concurrency }).read();
  const matches = all.records.filter(filter);
  const records = matches.slice(call.offset, call.limit === undefined ? undefined : call.offset + call.limit);
  onRecords?.(records);
  const more = all.repeated || call.offset + records.length < matches.length;
  const total = all.repeated ? undefined : matches.length;
  return { ...all, records: onRecords === undefined ? records : [], count: records.length, more, total };
}

/** Reads records of a plane that counts pages. A range that is exactly one of the service's pages takes one request. */
async function fetchRecords(
  { records: _, ...call }: ListCall,
  { limit, offset }: NonNullable<ListCall['records']>,
  fetch: Fetch,
  { onRecords, concurrency }: FetchOptions,
): Promise<Page> {
  const size = limit <= PAGE_SIZE && offset % limit === 0 ? limit : PAGE_SIZE;
  const kept: JsonObject[] = [];
  let count = 0;
  for (let at = Math.floor(offset / size); ; at += 1) {
    const page = await new Range({ ...call, limit: size, offset: at }, fetch, { concurrency }).read();
    const start = Math.max(0, offset - at * size);
    const fresh = page.records.slice(start, start + limit - count);
    count += fresh.length;
    if (onRecords !== undefined) onRecords(fresh);
    else for (const record of fresh) kept.push(record);
    const isCut = page.records.length > start + fresh.length;
    // An empty page ends the list, whatever the service says about further pages.
    if (count < limit && page.more && page.count > 0) continue;
    return { ...page, records: kept, count, more: isCut || (page.more && page.count > 0), pages: undefined };
  }
}

const NO_FORECAST: PageForecast = { after: () => undefined, certain: false };

/** The part of a list that a call wants, while the list is being read. */
class Range {
  private readonly call: ListCall;
  private readonly onRecords: FetchOptions['onRecords'];
  private readonly pages: PagePrefetcher;
  private readonly wanted: number;
  private readonly records: JsonObject[] = [];
  private position: number;
  private forecast = NO_FORECAST;
  private count = 0;
  private pageSize = 0;
  private last: Records = [];
  private head: JsonObject | undefined;
  private contradiction: string | undefined;

  constructor(call: ListCall, fetch: Fetch, { onRecords, concurrency }: FetchOptions) {
    this.call = call;
    this.onRecords = onRecords;
    this.wanted = call.limit ?? Number.POSITIVE_INFINITY;
    this.position = call.offset;
    this.pages = new PagePrefetcher(concurrency, (request, isPrefetch) =>
      fetch({
        ...call,
        query: { ...call.query, ...POSITIONS[call.paging](request.position, request.wanted) },
        ...(isPrefetch ? { prefetch: true } : {}),
      }),
    );
  }

  async read(): Promise<Page> {
    for (;;) {
      const request = { position: this.position, wanted: this.wanted - this.count };
      const end = this.take(await this.pages.fetch(request, this.forecast));
      if (end !== undefined) return end;
    }
  }

  /** Takes the next page. @returns the result, if this page is the last */
  private take(response: JsonObject): Page | undefined {
    const { call, position } = this;
    const page = recordsOf(response, call);
    this.head ??= { ...response, [call.items]: undefined };
    const total = TOTALS[call.paging](response, page.length);
    this.contradiction ??= contradictionIn(response, call);
    if (isRepeated(page, this.last)) {
      const gap = this.contradiction ?? 'The service repeated a page.';
      return this.result({ more: true, total, pages: undefined, repeated: true }, gap);
    }
    this.last = page;
    const isCut = this.keep(page);
    const next = page.length === 0 ? undefined : nextPosition(response, call, position, page.length, total);
    if (this.count >= this.wanted || next === undefined) {
      return this.end(response, page.length, total, isCut || next !== undefined);
    }
    this.pageSize = Math.max(this.pageSize, page.length);
    this.forecast = next === position + page.length ? forecastOf(this.pageSize, total) : NO_FORECAST;
    this.position = next;
    return undefined;
  }

  /** Keeps the wanted records of a page, or passes them on. @returns true if it has more */
  private keep(page: Records): boolean {
    const start = this.call.paging === 'whole' ? this.call.offset : 0;
    const fresh = page.slice(start, start + Math.min(page.length, this.wanted - this.count));
    this.count += fresh.length;
    if (this.onRecords !== undefined) this.onRecords(fresh);
    // Push them one by one: a single call with a hundred thousand arguments would overflow the stack.
    else for (const record of fresh) this.records.push(record);
    return page.length - start > fresh.length;
  }

  private end(response: JsonObject, received: number, total: number | undefined, isCut: boolean): Page {
    const { call, count, position } = this;
    const pages = call.paging === 'page' ? pagesOf(response, total, this.wanted) : undefined;
    const further = pages === undefined ? response['last'] === false : position + 1 < pages;
    const more = isCut || (call.paging === 'page' && further);
    const missing = more ? undefined : missingOf(call, count, total ?? countIn(response, call, received));
    return this.result({ more, total, pages, repeated: false }, this.contradiction ?? missing);
  }

  private result(end: Pick<Page, 'more' | 'total' | 'pages' | 'repeated'>, gap: string | undefined): Page {
    const { records, count, head } = this;
    return { records, count, ...end, ...(gap === undefined ? {} : { gap }), ...(head === undefined ? {} : { head }) };
  }
}

/**
 * Predicts the next pages from the size of the previous ones.
 * @param pageSize records on one page, which may be fewer than requested @param total total number of records, if the
 * service reports it
 */
function forecastOf(pageSize: number, total: number | undefined): PageForecast {
  const end = total ?? Number.POSITIVE_INFINITY;
  return {
    certain: total !== undefined,
    after: ({ position, wanted }) =>
      wanted > pageSize && position + pageSize < end
        ? { position: position + pageSize, wanted: wanted - pageSize }
        : undefined,
  };
}

/** Detects a response that says it is incomplete, or that has no list. */
function contradictionIn(response: JsonObject, { items }: ListCall): string | undefined {
  if (!Array.isArray(response[items])) return `The service sent no list at "${items}".`;
  return response['truncated'] === true ? 'The service says that the list is truncated.' : undefined;
}

/** Compares the records of a completely read list with the service's count. */
function missingOf({ paging, offset }: ListCall, count: number, total: number | undefined): string | undefined {
  if ((paging !== 'skip' && paging !== 'offset') || total === undefined) return undefined;
  const expected = Math.max(0, total - offset);
  return count === expected || (count === 0 && offset > 0)
    ? undefined
    : `The service sent ${count} of ${expected} records.`;
}

/** Reads an undocumented count, but ignores a count that covers only one page. */
function countIn(response: JsonObject, { paging }: ListCall, received: number): number | undefined {
  if (paging !== 'offset') return undefined;
  const counts = { ...objectOf(response['pagination']), ...response };
  const count = numberOf(counts, ['total_items', 'total_count', 'total', 'count']);
  return count === received ? undefined : count;
}

/** Detects a service that ignores the position and sends the same page, or the beginning of it, again. */
function isRepeated(page: Records, last: Records): boolean {
  if (page.length === 0 || page.length > last.length) return false;
  return page.every((record, index) => JSON.stringify(record) === JSON.stringify(last[index]));
}

const POSITIONS: Readonly<Record<Paging, (position: number, wanted: number) => Query>> = {
  offset: (position, wanted) => ({ offset: position, limit: Math.min(PAGE_SIZE, wanted) }),
  skip: (position, wanted) => ({ skip: position, limit: Math.min(PAGE_SIZE, wanted) }),
  page: (position, wanted) => ({ page: position, size: wanted }),
  whole: () => ({}),
};

const TOTALS: Readonly<Record<Paging, (response: JsonObject, received: number) => number | undefined>> = {
  offset: () => undefined,
  skip: ({ pagination }) => numberOf(objectOf(pagination), ['total_items']),
  page: (response) => numberOf(pageData(response), ['total_elements', 'totalElements']),
  whole: (_, received) => received,
};

/** Returns the position of the next page; undefined at the end, or if it would not advance. */
function nextPosition(
  response: JsonObject,
  call: ListCall,
  position: number,
  received: number,
  total: number | undefined,
): number | undefined {
  if (call.paging === 'offset') {
    const next = response['next_offset'];
    return typeof next === 'number' && next > position ? next : undefined;
  }
  if (call.paging !== 'skip') return undefined;
  const next = position + received;
  if (total !== undefined) return next < total ? next : undefined;
  return received >= PAGE_SIZE || received >= (call.limit ?? PAGE_SIZE) ? next : undefined;
}

/** Returns the totals of a plane that counts pages: at the top level, or in `page`. */
function pageData(response: JsonObject): JsonObject {
  return { ...objectOf(response['page']), ...response };
}

function pagesOf(response: JsonObject, total: number | undefined, size: number): number | undefined {
  const counted = total === undefined ? undefined : Math.ceil(total / size);
  return numberOf(pageData(response), ['total_pages', 'totalPages']) ?? counted;
}

function numberOf(response: JsonObject, names: readonly string[]): number | undefined {
  return names.map((name) => response[name]).filter((value): value is number => typeof value === 'number')[0];
}

function recordsOf(response: JsonObject, call: ListCall): Records {
  const items = response[call.items] ?? [];
  if (Array.isArray(items)) return items.map((item: unknown) => recordOf(item, call));
  throw notAList(call);
}

function recordOf(item: unknown, call: ListCall): JsonObject {
  if (call.texts && typeof item === 'string') return { value: item };
  if (!isObject(item)) throw notAList(call);
  return item;
}

function notAList(call: ListCall): ResponseError {
  return new ResponseError(`The response of the service has no list at "${call.items}".`, {
    hint: SERVICE_CHANGED,
  });
}
