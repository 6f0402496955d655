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
  const isFirst = present === undefined || present === null;
  // Equal records of one write become one the first time as well, so that the second time changes nothing.
  if (isFirst && (key === undefined || !Array.isArray(value))) return value;
  const records = isFirst ? [] : [present].reduce<unknown[]>(spread, []);
  const places = placesOf(records, key);
  for (const item of [value].reduce<unknown[]>(spread, [])) {
    const mark = markOf(item, key);
    const same = mark === undefined ? undefined : places.get(mark);
    if (same !== undefined) {
      records[same] = merged(records[same], item);
      continue;
    }
    if (mark !== undefined) places.set(mark, records.length);
    records.push(item);
  }
  return records.length === 1 && !Array.isArray(present) && !Array.isArray(value) ? records[0] : records;
}

function merged(old: unknown, item: unknown): unknown {
  return isObject(old) && isObject(item) ? { ...old, ...item } : item;
}

/** Where the first record with each key stands. */
function placesOf(records: readonly unknown[], key: readonly string[] | undefined): Map<string, number> {
  const places = new Map<string, number>();
  records.forEach((record, index) => {
    const mark = markOf(record, key);
    if (mark !== undefined && !places.has(mark)) places.set(mark, index);
  });
  return places;
}

/** What tells a record from others. The platform's condition asks for the members first (`val.id && ...`): without them it equals no other. */
function markOf(record: unknown, key: readonly string[] | undefined): string | undefined {
  if (key === undefined || !isObject(record)) return undefined;
  const values = key.map((name) => record[name]);
  return values.some((value) => value === undefined || value === null) ? undefined : JSON.stringify(values);
}

function spread(items: unknown[], value: unknown): unknown[] {
  return items.concat(Array.isArray(value) ? value : [value]);
}
