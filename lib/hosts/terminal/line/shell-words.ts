/**
 * Splits the line before the cursor as bash or PowerShell does, and quotes a candidate for the part of the line that
 * bash replaces.
 */

type Quote = '' | "'" | '"';

interface Scan {
  readonly words: string[];
  text: string;
  quote: Quote;
  inWord: boolean;
  /** The text before the part that bash replaces. */
  kept: string;
}

/**
 * Splits a line; the first word is the program.
 * @param breaks the characters of `COMP_WORDBREAKS`
 * @returns complete words and the word at the cursor, without their quotes, and `written`, which writes a candidate for
 * the latter, or undefined if it does not match, or cannot be written in the open quote
 */
export function typedLine(line: string, breaks: string) {
  const scan: Scan = { words: [], text: '', quote: '', inWord: false, kept: '' };
  for (let at = 0; at < line.length; at += 1) {
    const next = line.charAt(at + 1);
    const escapes = line.charAt(at) === '\\' && next !== '' && (scan.quote === '' || /["\\$`]/.test(next));
    if (escapes && scan.quote !== "'") {
      scan.text += next;
      scan.inWord = true;
      at += 1;
    } else take(scan, line.charAt(at), breaks);
  }
  const { words, text, quote, kept } = scan;
  const written = (candidate: string) =>
    candidate.startsWith(kept) ? quoted(candidate.slice(kept.length), quote) : undefined;
  return { words, current: text, written };
}

/** Splits a text into words as a shell does. */
export function shellWords(text: string): readonly string[] {
  const { words, current } = typedLine(text, '');
  return current === '' ? words : [...words, current];
}

function take(scan: Scan, character: string, breaks: string): void {
  if (scan.quote !== '') {
    if (character !== scan.quote) scan.text += character;
    else scan.quote = '';
    if (scan.quote === '' && breaks.includes(character)) scan.kept = scan.text;
  } else if (character === "'" || character === '"') {
    scan.quote = character;
    scan.inWord = true;
    scan.kept = scan.text;
  } else if (/\s/.test(character)) {
    if (scan.inWord) scan.words.push(scan.text);
    scan.text = '';
    scan.kept = '';
    scan.inWord = false;
  } else {
    scan.text += character;
    scan.inWord = true;
    if (breaks.includes(character)) scan.kept = scan.text;
  }
}

function quoted(text: string, quote: Quote): string | undefined {
  if (quote === "'") return text.replace(/'/g, "'\\''");
  // Even in double quotes, an interactive shell reads the exclamation mark as a history reference.
  if (quote === '"') return text.includes('!') ? undefined : text.replace(/["\\$`]/g, '\\$&');
  return text.replace(/[^\w@%+=:,./\u0080-\uffff-]/g, '\\$&');
}

const [SINGLE, DOUBLE] = ["['‘’‚‛]", '["“”„]'];
const [NOT_SINGLE, NOT_DOUBLE] = ["[^'‘’‚‛]", '[^`"“”„]'];
const LITERAL = `${SINGLE}(?:${NOT_SINGLE}|${SINGLE}{2})*(?:${SINGLE}|$)`;
const EXPANDED = `${DOUBLE}(?:\`[\\s\\S]?|${DOUBLE}{2}|${NOT_DOUBLE})*(?:${DOUBLE}|$)`;
const BARE = '(?:`[\\s\\S]?|[^\\s`\'‘’‚‛"“”„])+';

const PIECE = new RegExp(`${LITERAL}|${EXPANDED}|${BARE}`, 'g');
/** A word that begins with a quote ends at the closing quote; the text after it is the next word. */
const WORD = new RegExp(`${LITERAL}|${EXPANDED}|(?:${BARE})(?:${LITERAL}|${EXPANDED}|${BARE})*`, 'g');

const [IS_LITERAL, IS_EXPANDED] = [new RegExp(`^${SINGLE}`), new RegExp(`^${DOUBLE}`)];
/** A doubled quote is a literal quote; a single quote ends the piece. */
const CLOSING_SINGLE = new RegExp(`(${SINGLE})${SINGLE}|${SINGLE}`, 'g');
const ESCAPED = new RegExp(`\`([\\s\\S]?)|(${DOUBLE})${DOUBLE}|${DOUBLE}`, 'g');
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** The words before the cursor. */
export interface PowerShellLine {
  /** Complete words without quotes; the first is the program. */
  readonly words: readonly string[];
  /** The word at the cursor without quotes; undefined if PowerShell computes it, for example from a variable. */
  readonly current: string | undefined;
}

/** Splits a line. Words that PowerShell computes stay as typed. */
export function powerShellLine(line: string): PowerShellLine {
  const found = Array.from(line.matchAll(WORD), ([word]) => word);
  const typed = /^\s|^$/.test(line.slice(-1)) && !isOpen(found.at(-1)) ? '' : (found.pop() ?? '');
  // The call operator comes before a path.
  if (/^[&.]$/.test(found[0] ?? '')) found.shift();
  return { words: found.map(unquoted), current: isComputed(typed) ? undefined : unquoted(typed) };
}

/** Reports whether a space at the end of the line is part of the word. */
function isOpen(word = ''): boolean {
  return /\s$/.test(word);
}

function unquoted(word: string): string {
  return word.replace(PIECE, (piece) => {
    if (IS_LITERAL.test(piece)) return piece.slice(1).replace(CLOSING_SINGLE, '$1');
    const text = IS_EXPANDED.test(piece) ? piece.slice(1) : piece;
    return text.replace(ESCAPED, (_, escaped: string | undefined, quote: string | undefined) =>
      escaped === undefined ? (quote ?? '') : (ESCAPES[escaped] ?? escaped),
    );
  });
}

function isComputed(word: string): boolean {
  // An unquoted @ passes the members of a variable.
  if (word.startsWith('@')) return true;
  return (word.match(PIECE) ?? []).some((piece) => {
    if (IS_LITERAL.test(piece)) return false;
    const plain = piece.replace(/`[\s\S]?/g, '');
    return IS_EXPANDED.test(piece) ? /\$[\w{(:?^$]/.test(plain) : /[$(){},;|&<>]/.test(plain);
  });
}
