/** Fetches a list page by page, until the wanted number of records is there. */
import { ResponseError } from '../errors.ts';
import { isObject, type JsonObject, objectOf } from '../json.ts';
import type { Call, ListCall, Query } from './call.ts';
import type { Page, Records } from './client.ts';
import { type Outlook, type Place, takePages } from './prefetch.ts';

/** The planes refuse more, or would give less: source `docs/wire.md`. */
const PAGE_SIZE = 100;

type Fetch = (call: Call) => Promise<JsonObject>;

/** How a list is fetched. */
export interface Fetching {
  /** Is handed each page's records as they arrive; then the result does not keep them. */
  readonly take?: ((records: Records) => void) | undefined;
  /** Most pages to ask for at once. */
  readonly atOnce: number;
}

/** @param fetch makes one request */
export async function fetchPages(call: ListCall, fetch: Fetch, fetching: Fetching): Promise<Page> {
  return call.only === undefined ? fetchWindow(call, fetch, fetching) : fetchWanted(call, call.only, fetch, fetching);
}

/** All records are read, because only then is known how many of them pass the filter. */
async function fetchWanted(
  call: ListCall,
  only: (record: JsonObject) => boolean,
  fetch: Fetch,
  { take, atOnce }: Fetching,
): Promise<Page> {
  const all = await fetchWindow({ ...call, limit: undefined, offset: 0 }, fetch, { atOnce });
  const found = all.records.filter(only);
  const records = found.slice(call.offset, call.limit === undefined ? undefined : call.offset + call.limit);
  take?.(records);
  const more = all.repeated || call.offset + records.length < found.length;
  const total = all.repeated ? undefined : found.length;
  return { ...all, records: take === undefined ? records : [], count: records.length, more, total };
}

const NOTHING_KNOWN: Outlook = { after: () => undefined, certain: false };

async function fetchWindow(call: ListCall, fetch: Fetch, { take, atOnce }: Fetching): Promise<Page> {
  const wanted = call.limit ?? Number.POSITIVE_INFINITY;
  const pageAt = takePages(atOnce, (place, ahead) =>
    fetch({ ...call, query: { ...call.query, ...positionQuery(call, place) }, ...(ahead ? { ahead } : {}) }),
  );
  const kept: JsonObject[] = [];
  let outlook = NOTHING_KNOWN;
  let position = call.offset;
  let count = 0;
  let step = 0;
  let last: Records = [];
  let head: JsonObject | undefined;
  for (;;) {
    const answer = await pageAt({ position, wanted: wanted - count }, outlook);
    const page = recordsOf(answer, call);
    head ??= { ...answer, [call.items]: undefined };
    const total = totalOf(answer, call, page.length);
    if (repeats(page, last)) return { records: kept, count, more: true, total, pages: undefined, repeated: true, head };
    last = page;
    const start = call.paging === 'whole' ? call.offset : 0;
    const fresh = page.slice(start, start + Math.min(page.length, wanted - count));
    count += fresh.length;
    if (take !== undefined) take(fresh);
    // One by one: as arguments of one call, a page of a hundred thousand would be too much for the stack.
    else for (const record of fresh) kept.push(record);
    const next = page.length === 0 ? undefined : nextPosition(answer, call, position, page.length, total);
    const left = page.length - start > fresh.length;
    if (count >= wanted || next === undefined) {
      const pages = call.paging === 'page' ? pagesOf(answer, total, wanted) : undefined;
      const further = pages === undefined ? answer['last'] === false : position + 1 < pages;
      const more = left || next !== undefined || (call.paging === 'page' && further);
      return { records: kept, count, more, total, pages, repeated: false, head };
    }
    step = Math.max(step, page.length);
    outlook = next === position + page.length ? outlookOf(step, total) : NOTHING_KNOWN;
    position = next;
  }
}

/**
 * @param step records that the service puts on one page, which may be fewer than it was asked for
 * @param total records that there are, where the service says
 */
function outlookOf(step: number, total: number | undefined): Outlook {
  const end = total ?? Number.POSITIVE_INFINITY;
  return {
    certain: total !== undefined,
    after: ({ position, wanted }) =>
      wanted > step && position + step < end ? { position: position + step, wanted: wanted - step } : undefined,
  };
}

/** A service that ignores the position sends what it sent before, or the beginning of it where fewer were asked for. */
function repeats(page: Records, last: Records): boolean {
  if (page.length === 0 || page.length > last.length) return false;
  return page.every((record, index) => JSON.stringify(record) === JSON.stringify(last[index]));
}

function positionQuery(call: ListCall, { position, wanted }: Place): Query {
  const size = Math.min(PAGE_SIZE, wanted);
  switch (call.paging) {
    case 'offset':
      return { offset: position, limit: size };
    case 'skip':
      return { skip: position, limit: size };
    case 'page':
      return { page: position, size: wanted };
    default:
      return {};
  }
}

/** Where the next page begins; undefined at the end. It moves forward or there is none. */
function nextPosition(
  answer: JsonObject,
  call: ListCall,
  position: number,
  received: number,
  total: number | undefined,
): number | undefined {
  if (call.paging === 'offset') {
    const next = answer['next_offset'];
    return typeof next === 'number' && next > position ? next : undefined;
  }
  if (call.paging !== 'skip') return undefined;
  const next = position + received;
  if (total !== undefined) return next < total ? next : undefined;
  return received >= PAGE_SIZE || received >= (call.limit ?? PAGE_SIZE) ? next : undefined;
}

function totalOf(answer: JsonObject, call: ListCall, received: number): number | undefined {
  switch (call.paging) {
    case 'whole':
      return received;
    case 'skip':
      return numberOf(objectOf(answer['pagination']), ['total_items']);
    case 'page':
      return numberOf(pageData(answer), ['total_elements', 'totalElements']);
    default:
      return undefined;
  }
}

/** The totals of a plane that counts pages: beside the records, or in a member of their own. */
function pageData(answer: JsonObject): JsonObject {
  return { ...objectOf(answer['page']), ...answer };
}

function pagesOf(answer: JsonObject, total: number | undefined, size: number): number | undefined {
  const counted = total === undefined ? undefined : Math.ceil(total / size);
  return numberOf(pageData(answer), ['total_pages', 'totalPages']) ?? counted;
}

function numberOf(answer: JsonObject, names: readonly string[]): number | undefined {
  return names.map((name) => answer[name]).filter((value): value is number => typeof value === 'number')[0];
}

function recordsOf(answer: JsonObject, call: ListCall): Records {
  const items = answer[call.items] ?? [];
  if (Array.isArray(items)) return items.map((item: unknown) => recordOf(item, call));
  throw strange(call);
}

function recordOf(item: unknown, call: ListCall): JsonObject {
  if (call.texts && typeof item === 'string') return { value: item };
  if (!isObject(item)) throw strange(call);
  return item;
}

function strange(call: ListCall): ResponseError {
  return new ResponseError(`The service answered without a list at "${call.items}".`, {
    hint: 'The service may have changed; report this with the command that you ran.',
  });
}
