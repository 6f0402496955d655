import fc from 'fast-check';
import { hasHalf } from '../../../lib/text/utf8.ts';
import { anyCharacter } from '../../support/characters.ts';

const escaped = (found: string) => (found.startsWith('\\') ? found + found : `\\${found}`);

/** A value as a person would have to write it, in each quoting; undefined where the quoting cannot carry it. */
export const QUOTINGS = {
  bare: (value: string) => (/\s/.test(value) || /^["'`]/.test(value) ? undefined : value),
  backticks: (value: string) => (value.includes('`') ? undefined : `\`${value}\``),
  'double quotes': (value: string) => `"${value.replace(/\\+(?!\\|\$\{)|"/g, escaped)}"`,
  'single quotes': (value: string) => `'${value.replace(/\\+(?!\\|\$\{)|'/g, escaped)}'`,
} as const;

export type Quoting = keyof typeof QUOTINGS;
export const quotings = Object.keys(QUOTINGS) as Quoting[];

/** The value in the quoting that is asked for, or in double quotes, which carry any. */
export function quoted(value: string, quoting: Quoting): string {
  return QUOTINGS[quoting](value) ?? QUOTINGS['double quotes'](value);
}

/** A value written so that nothing in it is a reference. */
export function withoutReferences(value: string): string {
  return value.replace(/(\\*)\$\{/g, '$1$1\\${');
}

const SIGNS = [
  ...['"', "'", '`', '\\', '=', ' ', '\n', '\t', '\u2028', ',', '!', '#', '--', 'n', '$', '{', '}', '${', '${AiSec.X}'],
  ...['😀', '\ud800', '\0', '__proto__'],
];
const pieces = fc.array(fc.oneof(fc.constantFrom(...SIGNS), fc.string()), { maxLength: 12 });

/** Any text at all, and texts made of what means something to a lexer. */
export const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  pieces.map((parts) => parts.join('')),
);
/** Text that an argument takes: a line may have half of a surrogate pair, an argument may not. */
export const wholeText = anyText.filter((text) => !hasHalf(text));
