/** Keeps secrets out of everything but the context field that is declared to hold them. */

import { SECRET_MEMBERS } from '../api/wire.ts';
import type { Arguments } from '../arguments/words.ts';
import { isObject } from '../json.ts';
import { setOwn } from '../text/own.ts';
import type { RecordType, Wire } from './record.ts';
import { wireNames } from './shape.ts';

export const MASK = '(hidden)';

/** The service's answer with the wire members of secret fields masked, at any depth. */
export function maskWire(wire: Wire | readonly Wire[], record: RecordType): unknown {
  const secret = Object.entries(record.fields).filter(([, field]) => field.secret === true);
  const names = secret.reduce<string[]>(
    (all, [name, field]) => all.concat(wireNames(name, field)),
    [...SECRET_MEMBERS],
  );
  return mask(wire, '', (value, trail) => (endsIn(names, trail) ? MASK : value));
}

function endsIn(names: readonly string[], trail: string): boolean {
  return names.some((name) => trail.endsWith(`.${name}`));
}

/** A request's body with the values of secret arguments masked, wherever they stand in it, and so what was read and is sent again. */
export function maskBody(body: unknown, args: Arguments, values: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(args).filter((name) => args[name]?.secret === true && values[name] !== undefined);
  const wholes = names.map((name) => JSON.stringify(values[name]));
  const texts = secretTexts(args, values);
  // The longest first: one secret may be part of another.
  const parts = texts.filter((text) => text.length >= SHORTEST_PART).sort((a, b) => b.length - a.length);
  return mask(body, '', (value, trail) => {
    if (endsIn(SECRET_MEMBERS, trail) || wholes.indexOf(JSON.stringify(value)) >= 0) return MASK;
    return typeof value === 'string' ? parts.reduce((text, part) => text.split(part).join(MASK), value) : value;
  });
}

/** Every text in the values of secret arguments. */
export function secretTexts(args: Arguments, values: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(args).filter((name) => args[name]?.secret === true);
  return names.reduce<string[]>((all, name) => all.concat(textsIn(values[name])), []);
}

/** A text shorter than this stands in too many others. */
const SHORTEST_PART = 3;

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  const members: readonly unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return members.reduce<string[]>((all, member) => all.concat(textsIn(member)), []);
}

function mask(value: unknown, trail: string, change: (value: unknown, trail: string) => unknown): unknown {
  const changed = value === null || value === undefined ? value : change(value, trail);
  if (Array.isArray(changed)) return changed.map((item) => mask(item, trail, change));
  if (!isObject(changed)) return changed;
  const masked: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(changed)) setOwn(masked, name, mask(member, `${trail}.${name}`, change));
  return masked;
}
