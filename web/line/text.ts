/** Writes and reads lines as text. Knows nothing of the page, so that tests need no browser. */
import { quotedValue } from '../../lib/runtime/arguments/quoted-value.ts';
import { wordsOf } from '../entries/order.ts';

/** An argument; without a name, a word that belongs to no argument. */
export interface Pair {
  readonly name: string;
  readonly value: string;
}

export interface Offer {
  readonly text: string;
  readonly description?: string;
}

/** Stands in the line for a secret that a field of the form holds. */
export const MASK = '••••••';

export function lineOf(command: string, pairs: readonly Pair[]): string {
  return [`!${command}`, ...pairs.map(({ name, value }) => (name && `${name}=`) + quotedValue(value))].join(' ');
}

/** Sets an argument in its place, or adds it at the end; an empty value removes it. */
export function withPair(pairs: readonly Pair[], name: string, value: string): readonly Pair[] {
  const at = pairs.findIndex((pair) => pair.name === name);
  const all = at < 0 ? [...pairs, { name, value }] : pairs.with(at, { name, value });
  return all.filter((pair) => pair.value !== '');
}

/**
 * Puts the secrets of the form into a line. A mask in another argument is a text like any other.
 * @param names the secret arguments of its command
 * @param secrets by `secretKey`, so that no other line receives them
 * @returns undefined if a hidden secret is unknown
 */
export function withSecrets(
  line: string,
  names: readonly string[],
  secrets: ReadonlyMap<string, string>,
): string | undefined {
  let full = line;
  for (const name of names) {
    const hidden = ` ${name}=${MASK}`;
    if (!full.includes(hidden)) continue;
    const secret = secrets.get(secretKey(commandIn(line), name));
    if (secret === undefined) return undefined;
    full = full.replace(hidden, () => ` ${name}=${quotedValue(secret)}`);
  }
  return full;
}

export function secretKey(command: string, name: string): string {
  return `${command} ${name}`;
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

/** Returns the words about which a line asks for help, as in a terminal; undefined for any other line. */
export function helpWanted(line: string): string | undefined {
  return /^!?(?:help|commands|\?)(?:$|\s+(.*))/s.exec(line.trim())?.slice(1).join('');
}

/** Shortens a line for a list, where what differs must be seen: longer texts need no names. */
export function shortLine(line: string): string {
  return line.replace(/^!?aisec-/, '').replace(/(\s)\w+=(`[^`]*`|"(?:\\.|[^"\\])*")/g, '$1$2');
}

/** Returns the offers that have all words, first those that have them in their text. */
export function withWords(offers: readonly Offer[], words: string): readonly Offer[] {
  const all = wordsOf(words);
  const has = (text: string) => all.every((word) => text.toLowerCase().includes(word));
  const found = offers.filter(({ text, description = '' }) => has(`${text} ${description}`));
  return [...found.filter(({ text }) => has(text)), ...found.filter(({ text }) => !has(text))];
}

const COMMAND =
  /(!?\baisec-[a-z0-9-]*[a-z0-9](?: +[a-z_][a-z0-9_]*=(?:"[^"\n]*"|`[^`\n]*`|[^\s"`.,;]+(?:[.,;][^\s"`.,;]+)*))*)/;

export type HintPart = { readonly text: string } | { readonly line: string };

/** Splits a hint into text and the lines of its commands. */
export function hintParts(hint: string, isKnown: (command: string) => boolean): readonly HintPart[] {
  const parts = hint.split(COMMAND).map((part) => {
    const isLine = /^!?aisec-/.test(part) && isKnown(commandIn(part));
    return isLine ? { line: part.replace(/^!?/, '!') } : { text: part };
  });
  return parts.filter((part) => part.text !== '');
}

const MEMBER = /^[A-Za-z_][\w-]*$/;

/** Returns the path of a member, such as `AiSec.Topic.[0]`; undefined if no reference can name it. @param path of the value around it, empty for the context */
export function pathTo(path: string | undefined, step: string | number): string | undefined {
  if (path === undefined) return undefined;
  if (typeof step === 'number') return path === '' ? undefined : `${path}.[${step}]`;
  if (!MEMBER.test(step)) return undefined;
  return path === '' ? step : `${path}.${step}`;
}
