/**
 * The form of a resource that suits every tenant: names instead of ids, no revisions, and a fixed order, so that two
 * tenants with the same guardrails get the same file.
 */
import { isObject, type JsonObject } from '../../core/json.ts';
import { haveKeys, keyedList, keyOf } from '../../runtime/topics/reconcile.ts';

/** Members that make sense in one tenant only, by the list whose entries have them. */
const OWN_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  topic: ['topic_id', 'revision'],
  member: ['id', 'version'],
  'dlp-data-profiles': ['id', 'uuid', 'version'],
};

/** Members that identify an entry: they come first, the others in alphabetical order. */
const FIRST = ['name', 'model-type', 'topic_name', 'text', 'category', 'action'];

/** Returns a policy with topics and DLP profiles by name. */
export function portablePolicy(policy: JsonObject): JsonObject {
  return inOrder(withoutOwn(policy, ''), '') as JsonObject;
}

function withoutOwn(value: unknown, list: string): unknown {
  if (Array.isArray(value)) return value.map((entry: unknown) => withoutOwn(entry, list));
  if (!isObject(value)) return value;
  const own = Object.hasOwn(OWN_MEMBERS, list) ? (OWN_MEMBERS[list] ?? []) : [];
  const kept = Object.entries(value).filter(([name]) => !own.includes(name));
  // The name of a list applies only to its own entries.
  return Object.fromEntries(
    kept.map(([name, member]) => [name, withoutOwn(member, Array.isArray(member) ? name : '')]),
  );
}

/**
 * Sorts members, sorts lists whose order has no meaning, and drops members without a value. @param list name of the list around
 * the value; lists that are not part of a policy keep their order
 */
export function inOrder(value: unknown, list: string): unknown {
  if (Array.isArray(value)) {
    const entries = value.filter((entry) => !isAbsent(entry)).map((entry: unknown) => inOrder(entry, ''));
    const key = keyedList(list)?.key;
    if (key !== undefined && haveKeys(entries, key)) {
      return entries.toSorted((one, other) => byText(keyOf(one, key) ?? '', keyOf(other, key) ?? ''));
    }
    return list === 'member' ? sortedTexts(entries) : entries;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => !isAbsent(member));
  const sorted = members.toSorted(([one], [other]) => rankOf(one) - rankOf(other) || byText(one, other));
  return Object.fromEntries(sorted.map(([name, member]) => [name, inOrder(member, name)]));
}

/** Sorts a list if all of its entries are strings. */
export function sortedTexts(entries: readonly unknown[]): readonly unknown[] {
  return entries.every((entry) => typeof entry === 'string') ? entries.toSorted(byText) : entries;
}

/** Compares by code units, because a locale's order differs between machines. */
export function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function rankOf(name: string): number {
  const at = FIRST.indexOf(name);
  return at < 0 ? FIRST.length : at;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
