/**
 * Finds detectors that a file names without an action and that the tenant's profile lacks. They protect nothing, and the
 * comparison takes them for off, so that they would read as unchanged.
 */

import { isObject, objectOf, objectsOf } from '../../core/json.ts';
import type { Path } from '../../documents/places.ts';
import { keyedList, keyOf } from './keyed-lists.ts';
import { reconcile } from './reconcile.ts';

export interface BareDetector {
  readonly path: Path;
  /** Its name, or the category. */
  readonly name: string;
}

/** Compares a stated policy, or a part of one, with that of the tenant. @param path of the part */
export function bareDetectors(stated: unknown, current: unknown, path: Path = []): readonly BareDetector[] {
  if (isObject(stated)) {
    const known = objectOf(current);
    return Object.entries(stated).flatMap(([name, member]) => bareDetectors(member, known[name], [...path, name]));
  }
  if (!Array.isArray(stated)) return [];
  const { key = '', acts = false } = keyedList(String(path.at(-1))) ?? {};
  const entries = objectsOf(current);
  return stated.flatMap((entry: unknown, at) => {
    const name = keyOf(entry, key);
    const match = entries.find((each) => name !== undefined && keyOf(each, key) === name);
    const isBare = acts && match === undefined && objectOf(entry)['action'] === undefined && isOff(entry, key, name);
    return isBare ? [{ path: [...path, at], name: name ?? '' }] : bareDetectors(entry, match, [...path, at]);
  });
}

/** Reports whether an entry states nothing beside its key. */
function isOff(entry: unknown, key: string, name: unknown): boolean {
  return reconcile(entry, { [key]: name }).changes.length === 0;
}
