/** Splits the line before the cursor as bash does, and quotes a candidate for the place that bash replaces. */

type Quote = '' | "'" | '"';

interface Scan {
  readonly words: string[];
  text: string;
  quote: Quote;
  inWord: boolean;
  /** The text up to the place from which bash replaces. */
  kept: string;
}

/**
 * Splits a line; the first word is the program.
 * @param breaks the characters of `COMP_WORDBREAKS`
 * @returns complete words and the word at the cursor, without their quotes, and `written`, which writes a candidate for
 * the latter: undefined if it does not fit, or cannot be written in the open quote
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
  // In double quotes nothing keeps an interactive shell from reading the mark as its history.
  if (quote === '"') return text.includes('!') ? undefined : text.replace(/["\\$`]/g, '\\$&');
  return text.replace(/[^\w@%+=:,./\u0080-\uffff-]/g, '\\$&');
}
