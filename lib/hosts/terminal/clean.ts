/**
 * Text of others made harmless for a terminal. A prompt under examination may hold anything: sequences that move the
 * cursor, rename the window or hide what follows must not act, and what cannot be seen is made visible.
 */
import { CONTROLS_IN_TEXT, INVISIBLE, nameOf } from '../../redaction/characters.ts';

const ESC = '\u001b';
const END = `\u0007|${ESC}\\\\|\u009c`;
const STRING_START = `(?:${ESC}[\\]PX^_]|[\u0090\u0098\u009d\u009e\u009f])`;

// The end is optional and the body cannot give anything back to it, so a string without an end is read once: an expression
// that fails without it would read the rest of the text again for every introducer.
const STRINGS = new RegExp(`${STRING_START}[^\u0007${ESC}\u009c]*(${END})?`, 'g');
const SEQUENCES = new RegExp(`(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]|${ESC}[ -/]*[0-Z\\\\^-~]`, 'g');
const LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
// The joiner that makes one picture out of several is no trick.
const JOINER = '\u200d';
const JOINED_PICTURE = /(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d\p{Extended_Pictographic}/u;

/** The text without anything that a terminal acts on; characters that are not seen are written as `<U+202E>`. */
export function clean(text: string): string {
  if (/^[\x20-\x7e\n]*$/.test(text)) return text;
  return text
    .replace(LINE_ENDS, '\n')
    .replace(STRINGS, withoutEnded)
    .replace(SEQUENCES, '')
    .replace(/\t/g, '  ')
    .replace(CONTROLS_IN_TEXT, '')
    .replace(INVISIBLE, visible);
}

// Whole strings go; of one that has no end only the introducer goes, so that nothing can hide behind it.
function withoutEnded(found: string, end: string | undefined): string {
  return end === undefined ? found : '';
}

function visible(character: string, at: number, text: string): string {
  const joins = character === JOINER && JOINED_PICTURE.test(text.slice(Math.max(0, at - 2), at + 3));
  return joins ? character : nameOf(character);
}
