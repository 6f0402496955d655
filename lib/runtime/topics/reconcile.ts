/**
 * Compares a file with the service's state, and merges the two. Only members that the file states are compared. An
 * empty text or list equals a missing member, because the service sends either.
 */
import { isObject, type JsonObject, objectOf, objectsOf } from '../../core/json.ts';
import type { Path } from '../../core/places.ts';
import { isOwn } from '../../core/text/own.ts';

export interface MemberChange {
  /** Names of members; for an entry of a list, its key. */
  readonly path: readonly string[];
  /** Undefined if the value is absent. */
  readonly before: unknown;
  readonly after: unknown;
}

export interface Reconciled {
  /** The current value with the stated values merged in; the same object if nothing changes. */
  readonly value: unknown;
  readonly changes: readonly MemberChange[];
}

/** Merges a stated value into the current value. @param path path of the value */
export function reconcile(stated: unknown, current: unknown, path: readonly string[] = []): Reconciled {
  const same: Reconciled = { value: current, changes: [] };
  if (stated === undefined || (isEmpty(stated) && isEmpty(current))) return same;
  if (isObject(stated) && (isObject(current) || isEmpty(current))) return mergeMembers(stated, current, path);
  if (Array.isArray(stated) && (Array.isArray(current) || isEmpty(current))) {
    return mergeLists(stated, Array.isArray(current) ? current : [], current, path);
  }
  return comparable(stated) === comparable(current)
    ? same
    : { value: stated, changes: [{ path, before: current ?? undefined, after: stated }] };
}

/** Returns an integer too large for a number as its digits, as parsed responses hold it. */
function comparable(value: unknown): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? String(value) : value;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function mergeMembers(stated: JsonObject, current: unknown, path: readonly string[]): Reconciled {
  const known = isObject(current) ? current : {};
  const members: (readonly [string, unknown])[] = [];
  const changes: MemberChange[] = [];
  for (const [name, wanted] of Object.entries(stated)) {
    const isKnown = isOwn(known, name);
    const merged = reconcile(wanted, isKnown ? known[name] : undefined, [...path, name]);
    for (const change of merged.changes) changes.push(change);
    // Send an empty member too, because the service may require it.
    members.push([name, merged.changes.length > 0 || isKnown ? merged.value : withoutIdle(wanted, name)]);
  }
  return {
    value: changes.length === 0 ? current : Object.fromEntries([...Object.entries(known), ...members]),
    changes,
  };
}

function mergeLists(stated: readonly unknown[], known: readonly unknown[], current: unknown, path: readonly string[]) {
  const name = path[path.length - 1] ?? '';
  const rules = keyedList(name);
  if (rules === undefined || !haveKeys(stated, rules.key)) return mergeSets(stated, known, current, path);
  const { key, keepsOthers = false } = rules;
  const wanted = new Map(
    stated.filter((entry) => !isIdle(entry, name)).map((entry) => [keyOf(entry, key) ?? '', entry]),
  );
  const left = new Map(wanted);
  const entries: unknown[] = [];
  const changes: MemberChange[] = [];
  for (const entry of known.filter((each) => !isIdle(each, name))) {
    const id = keyOf(entry, key) ?? '';
    const match = left.get(id);
    left.delete(id);
    if (match !== undefined) {
      const merged = reconcile(match, entry, [...path, id]);
      entries.push(merged.value);
      for (const change of merged.changes) changes.push(change);
    } else if (keepsOthers && !wanted.has(id)) entries.push(entry);
    else changes.push({ path: [...path, id], before: entry, after: undefined });
  }
  for (const [id, entry] of left) {
    // A detector with an empty action is off, as if it were absent; a plan rejects a detector without an action.
    if (keepsOthers && isOff(entry, key, id)) continue;
    const after = withoutIdle(entry, id);
    entries.push(after);
    changes.push({ path: [...path, id], before: undefined, after });
  }
  return { value: changes.length === 0 ? current : entries, changes };
}

/** Reports whether an entry of the named list has no meaning, because a list inside the entry is empty. */
function isIdle(entry: unknown, name: string): boolean {
  const needs = keyedList(name)?.needs;
  return needs !== undefined && (!isObject(entry) || isEmpty(entry[needs]));
}

/**
 * Removes entries without meaning from a value, because the service rejects them. @param name name of the member that holds the
 * value
 */
export function withoutIdle(value: unknown, name: string): unknown {
  if (Array.isArray(value)) {
    return value.filter((entry) => !isIdle(entry, name)).map((entry: unknown) => withoutIdle(entry, ''));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, withoutIdle(inner, member)]));
}

/** Replaces a list as a whole, unless only the order of its entries differs. */
function mergeSets(stated: readonly unknown[], known: readonly unknown[], current: unknown, path: readonly string[]) {
  const [wanted, there] = [stated, known].map((list) => list.map(canonical).sort().join('\n'));
  if (wanted === there) return { value: current, changes: [] };
  return { value: stated, changes: [{ path, before: known, after: stated }] };
}

/** Writes JSON with the members of objects in alphabetical order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : comparable(member),
  );
}

export interface BareDetector {
  readonly path: Path;
  /** Its name, or the category. */
  readonly name: string;
}

/**
 * Finds detectors that a file names without an action and that the tenant's profile lacks. They protect nothing, and
 * the comparison treats them as off, so they would show as unchanged. @param stated a policy, or a part of one @param
 * path path of the part
 */
export function bareDetectors(stated: unknown, current: unknown, path: Path = []): readonly BareDetector[] {
  if (isObject(stated)) {
    const known = objectOf(current);
    return Object.entries(stated).flatMap(([name, member]) => bareDetectors(member, known[name], [...path, name]));
  }
  if (!Array.isArray(stated)) return [];
  const { key = '', acts = false } = keyedList(String(path[path.length - 1])) ?? {};
  const entries = objectsOf(current);
  return stated.flatMap((entry: unknown, at) => {
    const name = keyOf(entry, key);
    const match = entries.find((each) => name !== undefined && keyOf(each, key) === name);
    const isBare = acts && match === undefined && objectOf(entry)['action'] === undefined && isOff(entry, key, name);
    return isBare ? [{ path: [...path, at], name: name ?? '' }] : bareDetectors(entry, match, [...path, at]);
  });
}

/** Reports whether an entry states only its key. */
function isOff(entry: unknown, key: string, name: unknown): boolean {
  return reconcile(entry, { [key]: name }).changes.length === 0;
}

interface KeyedList {
  /** Member that identifies an entry. */
  readonly key: string;
  /** Keep entries that the file does not list: only its action turns a detector off. */
  readonly keepsOthers?: true;
  /** An entry without an action does nothing. */
  readonly acts?: true;
  /** A list that each entry needs: the service rejects an entry in which this list is empty. */
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

/** Returns the rules for the list of this name; undefined for any other list, which is a set. */
export function keyedList(name: string): KeyedList | undefined {
  return isOwn(LISTS, name) ? LISTS[name] : undefined;
}

/** Returns the key of an entry; undefined if it has no key. */
export function keyOf(entry: unknown, key: string): string | undefined {
  const value = isObject(entry) && isOwn(entry, key) ? entry[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Reports whether all entries are objects with different keys. */
export function haveKeys(entries: readonly unknown[], key: string): entries is readonly JsonObject[] {
  const keys = new Set(entries.map((entry) => keyOf(entry, key)));
  return keys.size === entries.length && !keys.has(undefined);
}
