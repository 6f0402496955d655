/** Reads the object in a line of JSON Lines. */

import { isObject, type JsonObject } from '../core/json.ts';
import { type JsonBounds, parseJsonText } from '../core/json-text.ts';

const ANY: JsonBounds = {
  length: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
  forbidden: [],
  halves: true,
  rounds: true,
};

/**
 * Reads a line.
 * @returns undefined for anything but an object, and where readers differ because a member is there twice
 */
export function jsonObjectIn(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject(value)) return undefined;
    // Most lines are as this program wrote them, and are not searched for members that are there twice.
    return JSON.stringify(value) === line || 'value' in parseJsonText(line, ANY) ? value : undefined;
  } catch {
    return undefined;
  }
}
