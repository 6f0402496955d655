/**
 * The war room's context: what a write does to what is there. It follows the platform: records with a key update their
 * equals and are appended otherwise, an empty key replaces, no key at all appends.
 */

import { isObject, type JsonObject } from '../json.ts';
import type { ContextWrite } from '../result.ts';
import { isOwn } from '../text/own.ts';

/** @returns a new context; the one given is left as it is */
export function mergeContext(context: JsonObject, writes: readonly ContextWrite[]): Record<string, unknown> {
  return writes.reduce((merged, write) => put(merged, write.path.split('.'), write), { ...context });
}

function put(
  context: JsonObject,
  [name = '', ...rest]: readonly string[],
  write: ContextWrite,
): Record<string, unknown> {
  const present = isOwn(context, name) ? context[name] : undefined;
  const value = rest.length === 0 ? merge(present, write) : put(isObject(present) ? present : {}, rest, write);
  return { ...context, [name]: value };
}

function merge(present: unknown, { key, value }: ContextWrite): unknown {
  if (key?.length === 0) return value;
  if (present === undefined || present === null) return value;
  const records = [present].reduce<unknown[]>(spread, []);
  for (const item of [value].reduce<unknown[]>(spread, [])) {
    const same = key === undefined ? -1 : records.findIndex((record) => equals(record, item, key));
    const old = records[same];
    if (same < 0) records.push(item);
    else records[same] = isObject(old) && isObject(item) ? { ...old, ...item } : item;
  }
  return records.length === 1 && !Array.isArray(present) && !Array.isArray(value) ? records[0] : records;
}

function spread(items: unknown[], value: unknown): unknown[] {
  return items.concat(Array.isArray(value) ? value : [value]);
}

// The platform's condition asks for the member first (`val.id && ...`): a record without it equals no other.
function equals(record: unknown, item: unknown, key: readonly string[]): boolean {
  return (
    isObject(record) &&
    isObject(item) &&
    key.every((name) => record[name] !== undefined && record[name] !== null && record[name] === item[name])
  );
}
