/** Command names as typed: `!` and `aisec-` are optional in the terminal. */

import type { UsageError } from '../../core/errors.ts';
import type { Catalogue, CommandInfo } from '../../manifest/catalogue.ts';
import type { Invocation } from '../../runtime/arguments/lexer.ts';
import { aboutNoun, suggest } from '../../runtime/arguments/suggest.ts';
import { unknownCommand } from '../../runtime/engine/command.ts';

const PREFIX = 'aisec-';
const MAX_SUGGESTIONS = 6;

/** An object with one member per command, such as the registry. */
type Known = Readonly<Record<string, unknown>>;

/** Returns the full name of the command for a word, or undefined. */
export function fullName(word: string, known: Known): string | undefined {
  const name = word.replace(/^!/, '');
  return [name, PREFIX + name].find((candidate) => Object.hasOwn(known, candidate));
}

/** Returns the name without the commands' common prefix. */
export function shortName(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}

/** Finds the entry of a command by its full or short name, with or without an exclamation mark. */
export function entryNamed<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  word: string,
): Entry | undefined {
  const typed = word.replace(/^!/, '');
  return entries.find(({ name }) => name === typed || shortName(name) === typed);
}

/** Returns the name in the spelling that the user began: with `!`, with the common prefix, or without both. */
export function spelledAs(begun: string, name: string): string {
  const mark = begun.startsWith('!') ? '!' : '';
  const rest = begun.slice(mark.length);
  const isShort = rest !== '' && shortName(name).startsWith(rest);
  const isFull = name.startsWith(rest) && !isShort && (rest !== '' || mark !== '');
  return mark + (isFull ? name : shortName(name));
}

/** Returns the first word of a line. */
export function firstWord(line: string): string {
  return line.trim().split(/\s/)[0] ?? '';
}

/** Reports whether a line must be a command, known or unknown. */
export function isMarked(line: string): boolean {
  return /^\s*(?:!|aisec-)/.test(line);
}

/** Completes the name of an invocation. @throws UsageError for an unknown command */
export function withFullName(invocation: Invocation, known: Known): Invocation {
  const name = fullName(invocation.name, known);
  if (name === undefined) throw unknownWord(invocation.name, Object.keys(known));
  return { ...invocation, name };
}

/**
 * Finds the description of a command by its full or short name, with or without an exclamation mark.
 * @param others more names to suggest @throws UsageError for an unknown command
 */
export function describedCommand(catalogue: Catalogue, word: string, others: readonly string[] = []): CommandInfo {
  const found = entryNamed(catalogue, word);
  if (found !== undefined) return found;
  const names = catalogue.map(({ name }) => name);
  throw unknownWord(word, names, others);
}

/** Creates the error for an unknown command. @param others more names to suggest */
function unknownWord(word: string, names: readonly string[], others: readonly string[] = []): UsageError {
  const near = nearestCommand(word, names, others);
  return unknownCommand(word.replace(/^!/, ''), near, 'See all with: aisec commands');
}

/**
 * Suggests commands with a name similar to a word, in the word's spelling. @param names full names of the commands
 * @param others more names to suggest, such as subcommands
 */
export function nearestCommand(word: string, names: readonly string[], others: readonly string[]): string | undefined {
  const typed = word.replace(/^!/, '').toLowerCase();
  const isFull = typed.startsWith(PREFIX);
  const found = spelledLike(typed, isFull ? names : names.map(shortName), others);
  const mark = isFull || word.startsWith('!') ? '!' : '';
  const shown = found.slice(0, MAX_SUGGESTIONS).map((name) => `"${others.includes(name) ? '' : mark}${name}"`);
  const last = shown.length > 1 ? ` or ${shown.pop()}` : '';
  const more = found.length > MAX_SUGGESTIONS ? ` More: aisec commands ${typed}` : '';
  return found.length === 0 ? undefined : `Did you mean ${shown.join(', ')}${last}?${more}`;
}

/** Finds names with the same ending, the nearest name, or names with the same noun. */
function spelledLike(typed: string, names: readonly string[], others: readonly string[]): readonly string[] {
  const about = aboutNoun(typed, names);
  // The plural of a noun asks for its list.
  const lists = typed.endsWith('s') ? about.filter((name) => name.endsWith('-list')) : [];
  const ends = typed === '' ? [] : names.filter((name) => name.endsWith(`-${typed}`));
  if (ends.length > 0) return [...new Set([...lists, ...ends])];
  const near = suggest(typed, [...others, ...names]);
  return near === undefined ? about : [near];
}
