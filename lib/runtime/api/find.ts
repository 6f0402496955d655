/** Finds records if the service can only list them, or ignores the search. */
import { NotFoundError, ResponseError } from '../../core/errors.ts';
import { asText, present } from '../../core/json.ts';
import type { ListCall } from './call.ts';
import type { Api } from './client.ts';

type Wire = Readonly<Record<string, unknown>>;

/** Members that a record must have, such as `{ topic_name: 'pets' }`; undefined members are ignored. */
export type Wanted = Readonly<Record<string, string | undefined>>;

/**
 * Reads every page and returns the match with the highest revision: a list may contain all revisions of a resource,
 * in any order.
 * @param what names the resource in the error
 * @throws NotFoundError if nothing matches, ResponseError if the list is incomplete
 */
export async function findLatest(api: Api, call: ListCall, what: string, wanted: Wanted): Promise<Wire> {
  return latestOf(await listAll(api, call, what), what, wanted);
}

/** Reads every page. @throws ResponseError if the list is incomplete */
export async function listAll(api: Api, call: ListCall, what: string): Promise<readonly Wire[]> {
  const { records, gap } = await api.list(call);
  if (gap === undefined) return records;
  throw new ResponseError(`The list of ${what}s is incomplete. ${gap}`, {
    hint: 'The record may be on a missing page: try again later.',
  });
}

/** Finds the latest match among records. @throws NotFoundError if nothing matches */
export function latestOf(records: readonly Wire[], what: string, wanted: Wanted): Wire {
  const matches = records.filter((record) =>
    Object.entries(wanted).every(([name, value]) => value === undefined || record[name] === value),
  );
  const [first, ...others] = matches;
  if (first !== undefined)
    return others.reduce((best, record) => (revision(record) > revision(best) ? record : best), first);
  const criteria = Object.entries(present(wanted));
  const words = criteria.map(([name, value]) => `${name}=${asText(value).slice(0, 100)}`).join(' and ');
  throw new NotFoundError(`There is no ${what} with ${words}.`, {
    hint: `List them with the ${what}s list command; names are matched exactly.`,
  });
}

function revision(record: Wire): number {
  return Number(asText(record['revision'] ?? 0));
}

/**
 * Returns the id of a record, for the path of another request.
 * @throws ResponseError if the record has no id: an empty segment would lead to another address
 */
export function idIn(record: Wire, member: string): string {
  const id = record[member];
  if ((typeof id === 'string' && id !== '') || typeof id === 'number') return String(id);
  throw new ResponseError(`The service answered without ${member}, which the next request needs.`, {
    hint: 'Try again; if it persists, report it.',
  });
}

/**
 * Returns the member that an update merges into, or sends back unchanged.
 * @throws ResponseError if the record lacks it: the service replaces the whole record, so the stored value would be
 * lost
 */
export function readMember(record: Wire, member: string, what: string, hint: string): unknown {
  const value = record[member] ?? undefined;
  if (value !== undefined) return value;
  throw new ResponseError(`The service answered without ${member} of the ${what}, which an update must send back.`, {
    hint: `Nothing was changed, because the update would wipe it. ${hint}`,
  });
}

/**
 * Creates a filter for records with the text in one of these members, ignoring case.
 * @param search undefined for no filter
 * @param names members of a record; nested values are searched too
 */
export function textFilter(search: string | undefined, names: readonly string[]): ListCall['filter'] {
  if (search === undefined) return undefined;
  const needle = search.toLowerCase();
  return (record: Wire) => names.some((name) => contains(record[name], needle));
}

function contains(value: unknown, needle: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().indexOf(needle) >= 0;
  return typeof value === 'object' && value !== null && Object.values(value).some((member) => contains(member, needle));
}
