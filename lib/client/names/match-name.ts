/** Matches a typed word with the ids and names of records: by full id, full name, or prefix of a single id. */

import { NotFoundError, PreconditionError, UsageError } from '../../core/errors.ts';
import type { Lookup } from '../../runtime/arguments/builders.ts';
import type { Pair } from '../../runtime/arguments/lexer.ts';
import { quotedValue } from '../../runtime/arguments/quoted-value.ts';
import { didYouMean } from '../../runtime/arguments/suggest.ts';
import { ageOf } from '../../runtime/select/printed.ts';
import { shortIds } from '../../runtime/select/short-ids.ts';
import type { KnownValue } from '../completion/known-values.ts';

/** The word to replace with an id. */
export interface Typed {
  /** Name of the argument, for messages. */
  readonly name: string;
  readonly text: string;
  readonly lookup: Lookup;
  /** Accept no prefix, because the command deletes a record without a question that names it. */
  readonly needsFull: boolean;
  /** Arguments that the list requires. */
  readonly within: readonly Pair[];
  /** Current time in milliseconds since the epoch, to show the age of candidates. */
  readonly now: number;
}

const MIN_PREFIX_LENGTH = 4;
const MAX_CANDIDATES = 10;
const MAX_NEAR = 3;

/**
 * Finds the record that matches the word. @returns undefined if no record matches @throws PreconditionError with the
 * candidates if several records match, UsageError for a prefix if a full id is required
 */
export function matching(typed: Typed, values: readonly KnownValue[]): KnownValue | undefined {
  const { name, text, needsFull } = typed;
  const exact = values.find(({ id }) => id === text);
  if (exact !== undefined) return exact;
  const begun = (value: KnownValue) => value.id.toLowerCase().startsWith(text.toLowerCase());
  const isLong = text.length >= MIN_PREFIX_LENGTH;
  // A name that is also a prefix of another record's id is ambiguous.
  const fits = values.filter((value) => value.name === text || (isLong && begun(value)));
  if (fits.length > 1) throw ambiguous(typed, fits);
  const [found] = fits;
  if (found === undefined || found.name === text || !needsFull) return found;
  const start = `${name}: "${text.slice(0, 60)}" is only the beginning of an id`;
  throw new UsageError(`${start}, and a deletion without a question needs all of it.`, {
    hint: `Give the full id, or the full name: ${name}=${found.id}`,
    argument: name,
  });
}

function ambiguous({ name, text, lookup, within, now }: Typed, fits: readonly KnownValue[]): PreconditionError {
  const short = shortIds(fits.map(({ id }) => id));
  const shown = fits.slice(0, MAX_CANDIDATES).map((value) => candidate(value, short(value.id), now));
  const more = fits.length > shown.length ? `, or ${fits.length - shown.length} more. ${seeList(lookup, within)}` : '.';
  return new PreconditionError(`${name}: ${fits.length} records fit "${text.slice(0, 60)}".`, {
    hint: `Give more of the id: ${shown.join(', ')}${more}`,
    argument: name,
  });
}

function candidate({ name, createdAt }: KnownValue, id: string, now: number): string {
  const age = createdAt === undefined ? '' : ageOf(createdAt, now);
  const details = [name, age].filter((part) => part !== '').join(', ');
  return (details === '' ? id : `${id} (${details})`).replace(/\s+/g, ' ');
}

/** Returns the error for a word that matches no listed record. */
export function noSuchName(typed: Typed, values: readonly KnownValue[], isListed: boolean): NotFoundError {
  const { name, text, lookup, within } = typed;
  const place = isListed ? `${lookup.command} shows` : 'the context has';
  const list = `${isListed ? '' : 'Give the full id. '}${seeList(lookup, within)}`;
  const short = /^[0-9a-f-]{1,3}$/i.test(text)
    ? `A beginning of an id has at least ${MIN_PREFIX_LENGTH} characters. `
    : '';
  return new NotFoundError(`${name}: ${place} no "${text.slice(0, 60)}".`, {
    hint: `${short}${nearName(text, values) ?? list}`,
    argument: name,
  });
}

/**
 * Names the command that lists the records, as the end of a sentence. @param within arguments that the list requires
 */
export function seeList(lookup: Lookup, within: readonly Pair[]): string {
  const names = `${lookup.noun.replace(/_/g, ' ')}s`.replace(/ys$/, 'ies');
  return `See the ${names} with: ${listCommand(lookup, within)}`;
}

function listCommand({ command }: Lookup, within: readonly Pair[]): string {
  return [`!${command}`, ...within.map(({ name, value }) => `${name}=${quotedValue(String(value))}`)].join(' ');
}

/** Suggests names that contain the text, or the nearest name, as a sentence. */
export function nearName(text: string, values: readonly KnownValue[]): string | undefined {
  const names = values.map(({ name }) => name).filter((name) => name !== '');
  const parts = [...new Set(names.filter((name) => name.toLowerCase().includes(text.toLowerCase())))];
  const areFew = parts.length > 0 && parts.length <= MAX_NEAR;
  return areFew ? `Did you mean ${parts.map((name) => `"${name}"`).join(' or ')}?` : didYouMean(text, names);
}
