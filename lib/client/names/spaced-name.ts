/**
 * Command names typed with spaces, and short verbs: `redteam scans ls` is `redteam-scans-list`. Only people spell them
 * so.
 */

import { UsageError } from '../../core/errors.ts';
import type { Catalogue } from '../../manifest/catalogue.ts';
import { didYouMean } from '../../runtime/arguments/suggest.ts';
import { fullName, shortName } from './command-name.ts';

/** An object with one member per command, such as the registry. */
type Known = Readonly<Record<string, unknown>>;

/** The command that the leading words spell. */
export interface Spelled {
  /** Full name. */
  readonly name: string;
  /** Number of words that spell it. */
  readonly count: number;
}

/** Short verbs, as the last word of a name. */
const VERBS: Readonly<Record<string, string>> = { ls: 'list', rm: 'delete', new: 'create' };

/** Group names that differ from the prefixes of their commands. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  'red-team': 'redteam',
  dlp: 'runtime-dlp',
  guardrails: 'runtime',
};

const WORD = /^!?[a-z][a-z0-9-]*$/;
/** Above the number of parts in the longest name. */
const MAX_WORDS = 8;
/** Characters of a line in which its name ends; the rest may be long. */
const MAX_NAME = 1000;
/** Users do not remember whether a command's name has the singular (one resource) or the plural (a list). */
const COUNTED = /^(.*?)(s?)-(list|get|create|delete|update)$/;

/**
 * Finds the command that the first words spell; the longest name wins. If the first word is itself a command, it stays
 * so.
 * @param words of a line, in which a name may be followed by arguments
 */
export function spelledCommand(words: readonly string[], known: Known): Spelled | undefined {
  const first = words[0] === undefined ? undefined : fullName(words[0], known);
  if (first !== undefined) return { name: first, count: 1 };
  for (let count = leadingWords(words).length; count > 0; count -= 1) {
    const name = named(words.slice(0, count).join('-').replace(/^!/, ''), known);
    if (name !== undefined) return { name, count };
  }
  return undefined;
}

/**
 * Finds the command in the words before the cursor.
 * @returns its description, the words after its name, and the words that continue the name
 */
export function commandAt(words: readonly string[], catalogue: Catalogue) {
  const known = Object.fromEntries(catalogue.map((command) => [command.name, command]));
  const spelled = spelledCommand(words, known);
  const command = spelled === undefined ? undefined : known[spelled.name];
  // A name typed as one word is complete.
  const isOpen = spelled === undefined || spelled.count > 1;
  const next = isOpen ? nextWords(words, Object.keys(known)) : [];
  return { command, typed: words.slice(spelled?.count ?? 0), next };
}

/** Returns the words at the beginning of a line that may be parts of a name. */
export function leadingWords(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => !WORD.test(word));
  return words.slice(0, Math.min(end < 0 ? words.length : end, MAX_WORDS));
}

/** Returns the name prefix that words spell, as a short name: `dlp patterns` is `runtime-dlp-patterns`. */
export function beginningOf(words: readonly string[]): string {
  const joined = words.join('-').replace(/^!/, '');
  const group = Object.keys(BEGINNINGS).find((each) => joined === each || joined.startsWith(`${each}-`));
  return group === undefined ? joined : `${BEGINNINGS[group]}${joined.slice(group.length)}`;
}

/** Replaces the leading words of a line with the name that they spell; returns any other line unchanged. */
export function withDashes(line: string, known: Known): string {
  const starts = [...line.slice(0, MAX_NAME).matchAll(/\S+/g)].slice(0, MAX_WORDS);
  const spelled = spelledCommand(
    starts.map(([word]) => word),
    known,
  );
  const last = spelled === undefined ? undefined : starts[spelled.count - 1];
  if (spelled === undefined || last === undefined || isTyped(starts[0]?.[0], spelled, known)) return line;
  const mark = line.trimStart().startsWith('!') ? '!' : '';
  return mark + shortName(spelled.name) + line.slice(last.index + last[0].length);
}

/** Joins words that a shell has split: the first word of the result is the command name, or the quoted line. */
export function withNameJoined(words: readonly string[], known: Known): readonly string[] {
  const [first = '', ...rest] = words;
  if (/\s/.test(first.trim())) return [withDashes(first, known), ...rest];
  const spelled = spelledCommand(words, known);
  if (spelled === undefined || isTyped(first, spelled, known)) return words;
  return [shortName(spelled.name), ...words.slice(spelled.count)];
}

function isTyped(first = '', { name, count }: Spelled, known: Known): boolean {
  return count === 1 && fullName(first, known) === name;
}

function named(typed: string, known: Known): string | undefined {
  const exact = fullName(typed, known);
  // Playbooks and platforms know only the full name.
  if (exact !== undefined || typed.startsWith('aisec-')) return exact;
  const at = typed.lastIndexOf('-') + 1;
  const verb = typed.slice(at);
  const full = Object.hasOwn(VERBS, verb) ? (VERBS[verb] ?? verb) : verb;
  const spelled = beginningOf([`${typed.slice(0, at)}${full}`]);
  const counted = COUNTED.exec(spelled);
  const other = counted === null ? spelled : `${counted[1]}${counted[2] === '' ? 's' : ''}-${counted[3]}`;
  return fullName(spelled, known) ?? fullName(other, known);
}

/**
 * Lists the next words of the names that begin with the typed words; joins parts that only one name has. @param words
 * typed so far; an empty list has no next word
 */
export function nextWords(words: readonly string[], names: readonly string[]): string[] {
  if (words.length === 0 || leadingWords(words).length < words.length) return [];
  const prefix = `${beginningOf(words)}-`;
  const rests = names.map(shortName).filter((name) => name.startsWith(prefix));
  const parts = rests.map((name) => name.slice(prefix.length));
  return [...new Set(parts.map((part) => shared(part, parts)))];
}

/** Extends the first part of a name to the point where names with the same beginning differ. */
function shared(name: string, all: readonly string[]): string {
  const segments = name.split('-');
  let word = segments[0] ?? '';
  for (const segment of segments.slice(1)) {
    const same = all.filter((each) => each === word || each.startsWith(`${word}-`));
    const longer = `${word}-${segment}`;
    if (!same.every((each) => each === longer || each.startsWith(`${longer}-`))) break;
    word = longer;
  }
  return word;
}

/**
 * Creates the error for words that are only the beginning of command names: `redteam scans`. @param help the line that
 * shows a group, without the group
 * @returns undefined if no name begins with them
 */
export function unfinishedName(
  words: readonly string[],
  names: readonly string[],
  help: string,
): UsageError | undefined {
  const leading = leadingWords(words);
  for (let count = leading.length; count > 0; count -= 1) {
    const begun = leading.slice(0, count);
    const next = nextWords(begun, names);
    if (next.length === 0) continue;
    const typed = begun.join(' ').replace(/^!/, '');
    const message =
      count === leading.length
        ? `"${typed}" is not yet the name of a command.`
        : `No command continues "${typed}" with "${leading[count]?.slice(0, 60)}".`;
    const hint = [
      didYouMean(leading[count] ?? '', next),
      `Next words: ${next.join(', ')}.`,
      `See their commands with: ${help} ${typed}`,
    ];
    return new UsageError(message, { hint: hint.filter((part) => part !== undefined).join(' ') });
  }
  return undefined;
}
