/**
 * Merges outputs into the war room's context, as the platform does: a record with a key updates the record of the same
 * key, or is appended; with an empty key, the value is replaced; without a key, the record is appended.
 */

import { PreconditionError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { isOwn } from '../../core/text/own.ts';
import { utf8Length } from '../../core/text/utf8.ts';
import type { ContextWrite } from './result.ts';

/** Maximum size of a context that several commands share, in bytes of JSON. */
const MAX_CONTEXT = 10_000_000;

/** A context that grows with each result. */
export class GrowingContext {
  value: JsonObject;
  /** Lower bound of the context's size, in bytes. */
  #size: number;
  readonly #max: number;

  /** @param max its maximum size in bytes of JSON, which the last command may exceed */
  constructor(value: JsonObject = {}, max = MAX_CONTEXT) {
    this.value = value;
    this.#size = bytesOf(value);
    this.#max = max;
  }

  /** Fails while the context is full: checked before a command runs, so that no result is lost. @throws PreconditionError */
  checkRoom(): void {
    if (this.#size > this.#max) this.#size = bytesOf(this.value);
    if (this.#size <= this.#max) return;
    throw new PreconditionError(`The context has more than ${this.#max} bytes.`, {
      hint: 'Open another session, and keep less: ignore-outputs=true on a line keeps nothing.',
    });
  }

  add(writes: readonly ContextWrite[]): void {
    this.value = mergeContext(this.value, writes);
    if (writes.length > 0) this.#size += bytesOf(writes);
  }
}

function bytesOf(value: unknown): number {
  return utf8Length(JSON.stringify(value));
}

/** Merges writes. @returns a new context */
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
  // Merge records with the same key even in the first write, so that repeating the write changes nothing.
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

/** Maps each key to the index of its first record. */
function placesOf(records: readonly unknown[], key: readonly string[] | undefined): Map<string, number> {
  const places = new Map<string, number>();
  records.forEach((record, index) => {
    const mark = markOf(record, key);
    if (mark !== undefined && !places.has(mark)) places.set(mark, index);
  });
  return places;
}

/**
 * Returns the identity of a record, as the platform's condition compares it (`val.id && val.id == obj.id && val.version
 * == obj.version`): a record without the first member has no identity, and the other members may be missing in both records.
 */
function markOf(record: unknown, key: readonly string[] | undefined): string | undefined {
  if (key === undefined || !isObject(record)) return undefined;
  const values = key.map((name) => record[name]);
  return values[0] === undefined || values[0] === null ? undefined : JSON.stringify(values);
}

function spread(items: unknown[], value: unknown): unknown[] {
  return items.concat(Array.isArray(value) ? value : [value]);
}
