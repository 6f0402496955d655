/** Lists of a policy whose entries have a name: their order means nothing. Shapes: `docs/wire.md`. */
import { isObject, type JsonObject } from '../../core/json.ts';
import { isOwn } from '../../text/own.ts';

interface KeyedList {
  /** Member that identifies an entry. */
  readonly key: string;
  /** Entries that the file does not list stay: a detector is turned off by its action. */
  readonly keepsOthers?: true;
  /** An entry without an action does nothing. */
  readonly acts?: true;
  /** A list in each entry without which the entry means nothing; the service refuses such an entry. */
  readonly needs?: string;
}

const LISTS: Readonly<Record<string, KeyedList>> = {
  'ai-security-profiles': { key: 'model-type', keepsOthers: true },
  'model-protection': { key: 'name', keepsOthers: true, acts: true },
  'agent-protection': { key: 'name', keepsOthers: true, acts: true },
  'database-security': { key: 'name', keepsOthers: true, acts: true },
  'toxic-category-list': { key: 'category', keepsOthers: true, acts: true },
  'topic-list': { key: 'action', needs: 'topic' },
  topic: { key: 'topic_name' },
  member: { key: 'text' },
  'dlp-data-profiles': { key: 'name' },
};

/** Returns the rules of the list of this name; undefined for any other list, which is a set. */
export function keyedList(name: string): KeyedList | undefined {
  return isOwn(LISTS, name) ? LISTS[name] : undefined;
}

/** Returns the key of an entry; undefined if it has none. */
export function keyOf(entry: unknown, key: string): string | undefined {
  const value = isObject(entry) && isOwn(entry, key) ? entry[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Reports whether all entries are objects with a key, each with its own. */
export function haveKeys(entries: readonly unknown[], key: string): entries is readonly JsonObject[] {
  const keys = new Set(entries.map((entry) => keyOf(entry, key)));
  return keys.size === entries.length && !keys.has(undefined);
}
