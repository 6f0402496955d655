/** Writes and reads lines as text. Knows nothing of the page, so that tests need no browser. */
import { quotedValue } from '../../lib/runtime/arguments/quoted-value.ts';

export interface Pair {
  readonly name: string;
  readonly value: string;
}

/** Stands in the line for a secret that a field of the form holds. */
export const MASK = '••••••';

/** Writes a line. */
export function lineOf(command: string, pairs: readonly Pair[]): string {
  return [`!${command}`, ...pairs.map(({ name, value }) => `${name}=${quotedValue(value)}`)].join(' ');
}

/** Sets an argument in its place, or adds it at the end; an empty value removes it. */
export function withPair(pairs: readonly Pair[], name: string, value: string): readonly Pair[] {
  if (value === '') return pairs.filter((pair) => pair.name !== name);
  if (!pairs.some((pair) => pair.name === name)) return [...pairs, { name, value }];
  return pairs.map((pair) => (pair.name === name ? { name, value } : pair));
}

/** Puts the secrets of the form into a line. */
export function withSecrets(line: string, secrets: ReadonlyMap<string, string>): string {
  let full = line;
  for (const [name, secret] of secrets)
    full = full.replaceAll(`${name}=${MASK}`, () => `${name}=${quotedValue(secret)}`);
  return full;
}

/** Returns the name of a line's command, without its mark. */
export function commandIn(line: string): string {
  return (line.trim().split(/\s/)[0] ?? '').replace(/^!/, '');
}

/** Writes a short name such as `runtime-scan` in full, because sessions know only full names. */
export function inFull(line: string, isKnown: (name: string) => boolean): string {
  const name = commandIn(line);
  return isKnown(name) || !isKnown(`aisec-${name}`) ? line : line.replace(name, `aisec-${name}`);
}

/** Says what is wrong with a JSON text, and where. @returns undefined for JSON, and for a text with references */
export function jsonMistake(text: string): string | undefined {
  if (text.trim() === '' || text.includes('${') || text === MASK) return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (thrown) {
    const said = thrown instanceof Error ? thrown.message : '';
    const { line, column } = placeOf(said, text);
    return `Not valid JSON in line ${line}, column ${column}.`;
  }
}

/** Finds the place that an engine's message names; an engine that names none means the end. */
function placeOf(said: string, text: string): { readonly line: number; readonly column: number } {
  const [, line, column] = /line (\d+) column (\d+)/.exec(said) ?? [];
  if (line !== undefined && column !== undefined) return { line: Number(line), column: Number(column) };
  const at = Number(/position (\d+)/.exec(said)?.[1] ?? text.length);
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

export interface Offer {
  readonly text: string;
  readonly description?: string;
}

/** An answer of the service, with the text that it was for. */
export interface Offered {
  readonly line: string;
  /** The part of the line that the offers replace. */
  readonly word: string;
  readonly from: number;
  readonly offers: readonly Offer[];
}

/** The service returns no more offers than this. */
const MAX_OFFERS = 100;

/**
 * Narrows an earlier answer to what is typed now.
 * @returns the offers that still fit, and whether they are all; undefined if only the service can say
 */
export function narrowed({ line, word, from, offers }: Offered, typed: string, cursor: number) {
  const now = typed.slice(from, cursor);
  if (cursor < from || typed.slice(0, from) !== line.slice(0, from) || !now.startsWith(word)) return undefined;
  const added = now.slice(word.length);
  if (/["'`{}$]/.test(added) || (/\s/.test(added) && !/^["'`]/.test(now))) return undefined;
  const fits = fittingOffers(offers, now);
  // A text that nothing could complete is not completed by more letters.
  if (offers.length === 0) return { offers: fits, isAll: true };
  if (fits.length === 0 && added !== '') return undefined;
  return { offers: withoutWhole(fits, now), isAll: offers.length < MAX_OFFERS };
}

/** Returns the offers for a word: those that begin with it, then those that contain it. */
function fittingOffers(offers: readonly Offer[], word: string): readonly Offer[] {
  const key = word
    .slice(word.lastIndexOf(',') + 1)
    .replace(/^[!"'`]/, '')
    .toLowerCase();
  const isName = (text: string) => /[= ]$/.test(text);
  const rank = ({ text, description = '' }: Offer) => {
    const [whole, about] = [text.toLowerCase().replace(/^!?(?:aisec-)?/, ''), description.toLowerCase()];
    if (whole.startsWith(key.replace(/^aisec-/, ''))) return 0;
    return text.toLowerCase().includes(key) || (!isName(text) && about.includes(key)) ? 1 : 2;
  };
  return [0, 1].flatMap((wanted) => offers.filter((offer) => rank(offer) === wanted));
}

/** Leaves out an offer that is already typed, if it is the only one. */
export function withoutWhole(offers: readonly Offer[], word: string): readonly Offer[] {
  return offers.length === 1 && offers[0]?.text.trim() === word ? [] : offers;
}

/** Returns the items whose texts contain all words. */
export function withWords<T>(items: readonly T[], words: string, textOf: (item: T) => string): readonly T[] {
  const all = words.toLowerCase().split(/\s+/);
  return items.filter((item) => {
    const text = textOf(item).toLowerCase();
    return all.every((word) => text.includes(word));
  });
}

const FAMILIES: readonly (readonly [start: string, title: string])[] = [
  ['aisec-runtime-dlp-', 'Data loss prevention'],
  ['aisec-runtime-profiles-', 'Guardrails'],
  ['aisec-runtime-topics-', 'Guardrails'],
  ['aisec-runtime-', 'Runtime'],
  ['aisec-redteam-', 'Red team'],
  ['aisec-model-security-', 'Model security'],
];

/** Returns the title of a command's family. */
export function familyOf(name: string): string {
  return FAMILIES.find(([start]) => name.startsWith(start))?.[1] ?? 'Others';
}
