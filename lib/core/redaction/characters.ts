/**
 * Lists characters that are invisible, or that change how the text around them is displayed: one table for every
 * output. The expressions use neither the flag `u` nor `\p{}`, because the platform's engine lacks them.
 */

/** C0 and C1 controls except tab and line ends, for use inside a character class. */
const CONTROL = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';

/**
 * Line and paragraph separators, format characters (Unicode category Cf) and letters without a glyph, below U+10000.
 */
const HIDDEN =
  '\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u17b4\\u17b5\\u180e' +
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb';

/**
 * The same characters above U+10000, as surrogate pairs: controls of Kaithi, hieroglyphs, shorthand and music, tags,
 * variation selectors.
 */
const HIDDEN_PAIRS =
  '\\ud804[\\udcbd\\udccd]|\\ud80d[\\udc30-\\udc3f]|\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a]|\\udb40[\\udc00-\\udfff]';

/** Every control character except tab and line ends. */
export const CONTROLS_IN_TEXT = new RegExp(`[${CONTROL}]`, 'g');
/** Every invisible character that is not a control. */
export const INVISIBLE = new RegExp(`[${HIDDEN}]|${HIDDEN_PAIRS}`, 'g');
/** Every control or invisible character, except tab and line ends. */
export const UNSEEN_IN_TEXT = new RegExp(`[${CONTROL}${HIDDEN}]|${HIDDEN_PAIRS}`, 'g');
/** Every control or invisible character, tab and line ends included. */
export const UNSEEN = new RegExp(`[\\t\\n\\r${CONTROL}${HIDDEN}]|${HIDDEN_PAIRS}`, 'g');

/** Cached, because a hostile text may repeat a few characters millions of times. */
const names = new Map<string, string>();

/** Returns the name of a character, as every output shows it: `<U+202E>`. */
export function nameOf(character: string): string {
  const known = names.get(character);
  if (known !== undefined) return known;
  const name = `<U+${codePointOf(character).toString(16).toUpperCase().padStart(4, '0')}>`;
  names.set(character, name);
  return name;
}

function codePointOf(character: string): number {
  const [high, low] = [character.charCodeAt(0), character.charCodeAt(1)] as const;
  return character.length === 1 ? high : 0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00);
}

/** Replaces halves of surrogate pairs and U+FFFE, U+FFFF, which cannot be encoded, with U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(BROKEN, (found) => (found.length === 2 ? found : '\ufffd'));
}

const BROKEN = /[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff\ufffe\uffff]/g;

/** Makes a text safe to show: invisible characters are replaced with their names. */
export function spelledOut(text: string): string {
  return wellFormed(text).replace(UNSEEN_IN_TEXT, nameOf);
}
