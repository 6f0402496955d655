/** Searching where the service takes no notice of a search. */
import type { JsonObject } from '../json.ts';
import type { ListCall } from './call.ts';

/**
 * A filter for lists: does one of these members hold the text, in whatever case?
 * @param search undefined: every record is wanted, and no filter is made
 * @param names members of a record, whatever lies in them
 */
export function holding(search: string | undefined, names: readonly string[]): ListCall['only'] {
  if (search === undefined) return undefined;
  const sought = search.toLowerCase();
  return (record: JsonObject) => names.some((name) => holds(record[name], sought));
}

function holds(value: unknown, sought: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().indexOf(sought) >= 0;
  return typeof value === 'object' && value !== null && Object.values(value).some((member) => holds(member, sought));
}
