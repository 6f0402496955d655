/** Finding one record where the service offers only a list. */
import { NotFoundError, ResponseError } from '../errors.ts';
import { asText } from '../json.ts';
import type { ListCall } from './call.ts';
import type { Api } from './client.ts';

type Wire = Readonly<Record<string, unknown>>;

/** Members that a record must have, such as `{ topic_name: 'pets' }`; undefined ones do not count. */
export type Wanted = Readonly<Record<string, string | undefined>>;

/**
 * Reads every page and returns the match with the highest revision: a list may hold all revisions of a resource,
 * in any order, and the old ones must never be taken for the current one.
 * @param what names the resource in the error
 * @throws NotFoundError when nothing matches, ResponseError when the list is not complete
 */
export async function findLatest(api: Api, call: ListCall, what: string, wanted: Wanted): Promise<Wire> {
  const { records, repeated } = await api.list(call);
  if (!repeated) return latestOf(records, what, wanted);
  throw new ResponseError(`The list of ${what}s is not complete: the service repeated a page of it.`, {
    hint: 'What is sought may be on a page that did not come: try again later.',
  });
}

/** The same among records that were read already. @throws NotFoundError when nothing matches */
export function latestOf(records: readonly Wire[], what: string, wanted: Wanted): Wire {
  const matches = records.filter((record) =>
    Object.entries(wanted).every(([name, value]) => value === undefined || record[name] === value),
  );
  const [first, ...others] = matches;
  if (first !== undefined)
    return others.reduce((best, record) => (revision(record) > revision(best) ? record : best), first);
  const sought = Object.entries(wanted).filter(([, value]) => value !== undefined);
  const words = sought.map(([name, value]) => `${name}=${asText(value).slice(0, 100)}`).join(' and ');
  throw new NotFoundError(`There is no ${what} with ${words}.`, {
    hint: `List them with the ${what}s list command; names are matched exactly.`,
  });
}

function revision(record: Wire): number {
  return Number(asText(record['revision'] ?? 0));
}

/**
 * The id that the service gave to a record, for a further request about it.
 * @throws ResponseError when it gave none: an address made of nothing would be another one
 */
export function idIn(record: Wire, member: string): string {
  const id = record[member];
  if ((typeof id === 'string' && id !== '') || typeof id === 'number') return String(id);
  throw new ResponseError(`The service answered without ${member}, which the next request needs.`, {
    hint: 'An answer without it is not used: try again, and report it if it stays.',
  });
}
