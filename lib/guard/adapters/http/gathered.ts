/** Joins a value that comes in pieces as its reader does: texts follow each other, and members and elements are added. */
import { isObject } from '../../../core/json.ts';
import type { Place } from './raw-json.ts';

export type Gathered =
  | { readonly text: string }
  | { readonly raw: string; readonly value: unknown }
  | { readonly members: ReadonlyMap<string, Gathered> };

/** Members that some models repeat in each piece. */
const REPEATED = ['id', 'type', 'name'];

/** Adds a piece. @param rawOf returns the JSON of a place as it came */
export function gathered(earlier: Gathered | undefined, piece: Place, rawOf: (place: Place) => string): Gathered {
  return added(earlier, piece, rawOf, '');
}

function added(earlier: Gathered | undefined, piece: Place, rawOf: (place: Place) => string, name: string): Gathered {
  const { value, members } = piece;
  if (earlier !== undefined && (value === null || value === '')) return earlier;
  if (isObject(value)) {
    const all = new Map(earlier !== undefined && 'members' in earlier ? earlier.members : []);
    for (const [key, member] of members) all.set(key, added(all.get(key), member, rawOf, key));
    return { members: all };
  }
  const raw = rawOf(piece);
  if (piece.isText) {
    const before = earlier !== undefined && 'text' in earlier ? earlier.text : '';
    return { text: REPEATED.includes(name) && before === value ? before : before + String(value) };
  }
  if (!Array.isArray(value) || earlier === undefined || !('raw' in earlier) || !Array.isArray(earlier.value))
    return { raw, value };
  const elements = [earlier.raw, raw].map((list) => list.slice(1, -1)).filter((list) => list.trim() !== '');
  return { raw: `[${elements.join(',')}]`, value: [...(earlier.value as unknown[]), ...(value as unknown[])] };
}

/** Returns the value. */
export function valueIn(all: Gathered): unknown {
  if ('text' in all) return all.text;
  if ('raw' in all) return all.value;
  return Object.fromEntries([...all.members].map(([name, member]) => [name, valueIn(member)]));
}

/** Returns the value as JSON; what did not come in pieces is as it came. */
export function rawIn(all: Gathered): string {
  if ('text' in all) return JSON.stringify(all.text);
  return 'raw' in all ? all.raw : objectJson([...all.members].map(([name, member]) => [name, rawIn(member)]));
}

/** Writes an object. @param members names with their values as JSON */
export function objectJson(members: readonly (readonly [name: string, json: string])[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}
