/**
 * Masks declared secret fields and known secret members of a result, except in the context fields that are declared to
 * hold them.
 */

import { isObject, setOwn } from '../../core/json.ts';
import { SECRET_MEMBERS } from '../../core/wire.ts';
import type { Arguments } from '../arguments/builders.ts';
import type { Field, Fields, RecordType, Wire } from './record.ts';
import { wireNames } from './shape.ts';

export const MASK = '(hidden)';

/** Masks the secret fields of a context record. */
export function maskRecord(value: unknown, { fields }: Pick<RecordType, 'fields'>): unknown {
  return hideFields(value, fields, ({ secret }) => secret === true);
}

/** Masks the secret fields of a context value, including those that the service returns only once. */
export function maskSecrets(value: unknown, { fields }: Pick<RecordType, 'fields'>): unknown {
  return hideFields(value, fields, ({ secret, once }) => secret === true || once === true);
}

function hideFields(value: unknown, fields: Fields, isHidden: (field: Field) => boolean): unknown {
  const hidden = Object.entries(fields).filter(([, field]) => isHidden(field));
  return hidden.length === 0 ? value : hide(value, '', hidingOf(hidden.map(([name]) => name)));
}

/** Masks the wire members of secret fields in a response, at any depth; values without secrets are not copied. */
export function maskWire(wire: Wire | readonly Wire[], record: RecordType): unknown {
  const secret = Object.entries(record.fields).filter(([, field]) => field.secret === true);
  const names = secret.reduce<string[]>(
    (all, [name, field]) => all.concat(wireNames(name, field)),
    [...SECRET_MEMBERS],
  );
  return hide(wire, '', hidingOf(names));
}

/** Returns true if the member of this name in the value at this path is hidden. */
type Hiding = (name: string, trail: string) => boolean;

function hidingOf(names: readonly string[]): Hiding {
  const ends = names.map(lastOf);
  // Cached, because the records of a list share a few names.
  const mayEnd = new Map<string, boolean>();
  return (name, trail) => {
    const known = mayEnd.get(name);
    const may = known ?? ends.indexOf(lastOf(name)) >= 0;
    if (known === undefined) mayEnd.set(name, may);
    return may && endsIn(names, `${trail}.${name}`);
  };
}

/** Returns the part after the last dot. */
function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function hide(value: unknown, trail: string, hides: Hiding): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return hideItems(value, trail, hides);
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const member = (value as Wire)[name];
    if (member === null || member === undefined) continue;
    const isHidden = hides(name, trail);
    if (!isHidden && typeof member !== 'object') continue;
    const shown = isHidden ? MASK : hide(member, `${trail}.${name}`, hides);
    if (shown === member) continue;
    copy ??= copyOf(value);
    setOwn(copy, name, shown);
  }
  return copy ?? value;
}

function hideItems(items: readonly unknown[], trail: string, hides: Hiding): unknown {
  let copy: unknown[] | undefined;
  for (let at = 0; at < items.length; at += 1) {
    const shown = hide(items[at], trail, hides);
    if (shown === items[at]) continue;
    copy ??= items.slice();
    copy[at] = shown;
  }
  return copy ?? items;
}

function copyOf(value: object): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) setOwn(copy, name, member);
  return copy;
}

function endsIn(names: readonly string[], trail: string): boolean {
  return names.some((name) => trail.endsWith(`.${name}`));
}

/** Masks the values of secret arguments in the body of a request, and secret members that were read before. */
export function maskBody(body: unknown, args: Arguments, values: Readonly<Record<string, unknown>>): unknown {
  const wholes = secretValues(args, values).map((value) => JSON.stringify(value));
  const texts = secretTexts(args, values);
  // Longest first, because one secret may be part of another.
  const parts = texts.filter((text) => text.length >= MIN_PART_LENGTH).sort((a, b) => b.length - a.length);
  return mask(body, '', (value, trail) => {
    if (endsIn(SECRET_MEMBERS, trail) || wholes.indexOf(JSON.stringify(value)) >= 0) return MASK;
    return typeof value === 'string' ? parts.reduce((text, part) => text.split(part).join(MASK), value) : value;
  });
}

/** Returns all strings in the values of secret arguments. */
export function secretTexts(args: Arguments, values: Readonly<Record<string, unknown>>): string[] {
  const texts: string[] = [];
  for (const value of secretValues(args, values)) collectTexts(value, texts);
  return texts;
}

function secretValues(args: Arguments, values: Readonly<Record<string, unknown>>): unknown[] {
  const secrets = Object.entries(args).filter(([, { secret }]) => secret === true);
  return secrets.map(([name]) => values[name]).filter((value) => value !== undefined);
}

/** Minimum length: shorter strings occur in too many other strings. */
const MIN_PART_LENGTH = 3;

function collectTexts(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value);
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) collectTexts(member, texts);
}

function mask(value: unknown, trail: string, change: (value: unknown, trail: string) => unknown): unknown {
  const changed = value === null || value === undefined ? value : change(value, trail);
  if (Array.isArray(changed)) return changed.map((item) => mask(item, trail, change));
  if (!isObject(changed)) return changed;
  const masked: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(changed)) setOwn(masked, name, mask(member, `${trail}.${name}`, change));
  return masked;
}
