/** Names of commands as they are typed: `!` and `aisec-` are optional in the terminal. */
import type { Invocation } from '../../../arguments/lexer.ts';
import { aboutNoun, suggest } from '../../../arguments/suggest.ts';
import type { UsageError } from '../../../core/errors.ts';
import { unknownCommand } from '../../../engine/command.ts';
import type { Catalogue, CommandInfo } from '../../../manifest/catalogue.ts';
import { isOwn } from '../../../text/own.ts';

const PREFIX = 'aisec-';
const MAX_SUGGESTIONS = 6;

/** Anything whose members are named after the commands, such as the registry. */
type Known = Readonly<Record<string, unknown>>;

/** Returns the full name of the command that a word names, or undefined. */
export function fullName(word: string, known: Known): string | undefined {
  const name = word.replace(/^!/, '');
  return [name, PREFIX + name].find((candidate) => isOwn(known, candidate));
}

/** Returns the name without the prefix that all commands share. */
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

/** Returns the name in the spelling that was begun: with `!`, with the common prefix, or without both. */
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

/** Reports whether a line can only be a command, known or not. */
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
 * @param others further names to suggest
 * @throws UsageError for an unknown command
 */
export function describedCommand(catalogue: Catalogue, word: string, others: readonly string[] = []): CommandInfo {
  const found = entryNamed(catalogue, word);
  if (found !== undefined) return found;
  const names = catalogue.map(({ name }) => name);
  throw unknownWord(word, names, others);
}

/** Creates the error of a word that names no command. @param others further names to suggest */
function unknownWord(word: string, names: readonly string[], others: readonly string[] = []): UsageError {
  return unknownCommand(word.replace(/^!/, ''), nearest(word, names, others), 'See all with: aisec commands');
}

/**
 * Suggests commands in the spelling of the word, those first whose names end with it.
 * @param others further names to suggest
 */
export function nearest(word: string, names: readonly string[], others: readonly string[]): string | undefined {
  const typed = word.replace(/^!/, '').toLowerCase();
  const isFull = typed.startsWith(PREFIX);
  const spelled = names.map((name) => (isFull ? name : shortName(name)));
  const ends = typed === '' ? [] : spelled.filter((name) => name.endsWith(`-${typed}`));
  const near = suggest(typed, [...others, ...spelled]);
  const about = ends.length > 0 || near !== undefined ? [] : aboutNoun(typed, spelled);
  const found = ends.length > 0 ? ends : near === undefined ? about : [near];
  if (found.length === 0) return undefined;
  const mark = isFull || word.startsWith('!') ? '!' : '';
  const shown = found.slice(0, MAX_SUGGESTIONS).map((name) => `"${others.includes(name) ? '' : mark}${name}"`);
  const last = shown.length > 1 ? ` or ${shown.pop()}` : '';
  const more = found.length - Math.min(found.length, MAX_SUGGESTIONS);
  return `Did you mean ${shown.join(', ')}${last}?${more === 0 ? '' : ` ${more} more ${ends.length > 0 ? 'end so' : 'are near'}: aisec commands`}`;
}
