/** Fetches a list page by page, until the wanted number of records is there. */
import { ResponseError } from '../errors.ts';
import { isObject, type JsonObject, objectOf } from '../json.ts';
import type { Call, ListCall, Query } from './call.ts';
import type { Page, Records } from './client.ts';

/** The planes refuse more, or would give less: source `docs/wire.md`. */
const PAGE_SIZE = 100;

type Fetch = (call: Call) => Promise<JsonObject>;

/**
 * @param fetch makes one request
 * @param take is handed each page's records as they arrive; then the result does not keep them
 */
export async function fetchPages(call: ListCall, fetch: Fetch, take?: (records: Records) => void): Promise<Page> {
  return call.only === undefined ? fetchWindow(call, fetch, take) : fetchWanted(call, call.only, fetch, take);
}

/** All records are read, because only then is known how many of them pass the filter. */
async function fetchWanted(
  call: ListCall,
  only: (record: JsonObject) => boolean,
  fetch: Fetch,
  take: ((records: Records) => void) | undefined,
): Promise<Page> {
  const all = await fetchWindow({ ...call, limit: undefined, offset: 0 }, fetch);
  const found = all.records.filter(only);
  const records = found.slice(call.offset, call.limit === undefined ? undefined : call.offset + call.limit);
  take?.(records);
  const more = all.repeated || call.offset + records.length < found.length;
  const total = all.repeated ? undefined : found.length;
  return { ...all, records: take === undefined ? records : [], count: records.length, more, total };
}

async function fetchWindow(call: ListCall, fetch: Fetch, take?: (records: Records) => void): Promise<Page> {
  const wanted = call.limit ?? Number.POSITIVE_INFINITY;
  const kept: JsonObject[] = [];
  let position = call.offset;
  let count = 0;
  let last: Records = [];
  let head: JsonObject | undefined;
  for (;;) {
    const size = call.paging === 'page' ? wanted : Math.min(PAGE_SIZE, wanted - count);
    const answer = await fetch({ ...call, query: { ...call.query, ...positionQuery(call, position, size) } });
    const page = recordsOf(answer, call);
    head ??= { ...answer, [call.items]: undefined };
    const total = totalOf(answer, call, page.length);
    if (repeats(page, last)) return { records: kept, count, more: true, total, pages: undefined, repeated: true, head };
    last = page;
    const start = call.paging === 'whole' ? call.offset : 0;
    const fresh = page.slice(start, start + Math.min(page.length, wanted - count));
    count += fresh.length;
    if (take === undefined) kept.push(...fresh);
    else take(fresh);
    const next = page.length === 0 ? undefined : nextPosition(answer, call, position, page.length, total);
    const left = page.length - start > fresh.length;
    if (count >= wanted || next === undefined) {
      const pages = call.paging === 'page' ? pagesOf(answer, total, size) : undefined;
      const further = pages === undefined ? answer['last'] === false : position + 1 < pages;
      const more = left || next !== undefined || (call.paging === 'page' && further);
      return { records: kept, count, more, total, pages, repeated: false, head };
    }
    position = next;
  }
}

/** A service that ignores the position sends what it sent before, or the beginning of it where fewer were asked for. */
function repeats(page: Records, last: Records): boolean {
  return page.length > 0 && JSON.stringify(page) === JSON.stringify(last.slice(0, page.length));
}

function positionQuery(call: ListCall, position: number, size: number): Query {
  switch (call.paging) {
    case 'offset':
      return { offset: position, limit: size };
    case 'skip':
      return { skip: position, limit: size };
    case 'page':
      return { page: position, size };
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
