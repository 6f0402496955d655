/**
 * Sanitizes untrusted text for a terminal. A prompt under test may contain escape sequences that move the cursor,
 * rename the window or hide text. Removes these, and makes invisible characters visible.
 */

import { isJson } from '../../../core/json.ts';
import { CONTROLS_IN_TEXT, INVISIBLE, nameOf } from '../../../core/redaction/characters.ts';
import { idTitle } from '../../../runtime/select/printed.ts';

const ESC = '\u001b';
const END = `\u0007|${ESC}\\\\|\u009c`;
const STRING_START = `(?:${ESC}[\\]PX^_]|[\u0090\u0098\u009d\u009e\u009f])`;

// The end is optional so that matching stays linear: a required end would rescan the rest of the text for every introducer.
const STRINGS = new RegExp(`${STRING_START}[^\u0007${ESC}\u009c]*(${END})?`, 'g');
const SEQUENCES = new RegExp(`(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]|${ESC}[ -/]*[0-Z\\\\^-~]`, 'g');
const LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
// Keep the joiner inside an emoji sequence.
const JOINER = '\u200d';
const JOINED_PICTURE = /(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d\p{Extended_Pictographic}/u;

/** Removes control sequences, and writes invisible characters as `<U+202E>`. */
export function sanitize(text: string): string {
  if (/^[\x20-\x7e\n]*$/.test(text)) return text;
  return text
    .replace(LINE_ENDS, '\n')
    .replace(STRINGS, withoutEnded)
    .replace(SEQUENCES, '')
    .replace(/\t/g, '  ')
    .replace(CONTROLS_IN_TEXT, '')
    .replace(INVISIBLE, visible);
}

// Remove a terminated string whole. Remove only the introducer of an unterminated string, so that it hides no text.
function withoutEnded(found: string, end: string | undefined): string {
  return end === undefined ? found : '';
}

function visible(character: string, at: number, text: string): string {
  const joins = character === JOINER && JOINED_PICTURE.test(text.slice(Math.max(0, at - 2), at + 3));
  return joins ? character : nameOf(character);
}

/** The runner of GitHub Actions skips all white space before a command. */
const MODERN = /(^|[\r\n\u0085\u2028\u2029])([^\S\r\n]*):(?=:)/g;
const OLD = /##(?=\[)/g;

/**
 * Disarms the commands that the GitHub Actions runner executes from a log: `::name ...::` at the start of a line, and
 * `##[name]` anywhere in it. A stop token would not work, because the runner reads stdout and stderr in any order. Each
 * command gets a space; JSON keeps its meaning.
 */
export function withoutRunnerCommands(text: string): string {
  // In a JSON document, only strings can contain `##[`, and no line begins with a colon.
  if (/^\s*[{[]/.test(text) && isJson(text)) return text.replace(/##\[/g, '##\\u005b');
  return text.replace(MODERN, '$1$2: ').replace(OLD, '## ');
}

const HEADINGS: Readonly<Record<string, string>> = { 'Tr ID': 'Correlation ID' };

/** Returns the heading of a field for people at a terminal; JSON, entries and markdown keep the interface's name. */
export function plainHeading(heading: string): string {
  return Object.hasOwn(HEADINGS, heading)
    ? (HEADINGS[heading] ?? heading)
    : idTitle(heading).replace(/^Is (?=[A-Z])/, '');
}

/** Replaces the platform's name for a file argument with the terminal's. */
export function plainText(text: string): string {
  return text.replace(/\bentry_?id\b/gi, 'file');
}
