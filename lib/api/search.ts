/** Searches lists where the service ignores the search. */
import type { JsonObject } from '../core/json.ts';
import type { ListCall } from './call.ts';

/**
 * Creates a filter for records with the text in one of these members, ignoring case.
 * @param search undefined for no filter
 * @param names members of a record; nested values are searched too
 */
export function textFilter(search: string | undefined, names: readonly string[]): ListCall['filter'] {
  if (search === undefined) return undefined;
  const needle = search.toLowerCase();
  return (record: JsonObject) => names.some((name) => contains(record[name], needle));
}

function contains(value: unknown, needle: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().indexOf(needle) >= 0;
  return typeof value === 'object' && value !== null && Object.values(value).some((member) => contains(member, needle));
}
