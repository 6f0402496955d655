/** Renders a result as safe markdown: cells are escaped, images do not load, links are not clickable. */
import { CONTROLS_IN_TEXT, INVISIBLE, nameOf, UNSEEN_IN_TEXT } from '../../core/redaction/characters.ts';
import type { Readable, Table } from './readable.ts';

/** The mark of results from the simulated service. */
export const SIMULATED = 'SIMULATED';

/** Renders heading, tables and notes. */
export function markdown(readable: Readable): string {
  const mark = readable.simulated
    ? `**${SIMULATED}** - answered by the simulated service, not by a tenant.`
    : undefined;
  const { summary, tables, notes } = readable;
  const all = summary === undefined ? tables : [summary, ...tables];
  const parts = [`### ${inline(readable.title)}`, mark, ...all.map(table), ...notes.map(inline)];
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`;
}

function table({ title, columns, rows }: Table): string {
  const heading = title === undefined ? [] : [`**${inline(title)}**`, ''];
  if (rows.length === 0) return [...heading, 'No entries.'].join('\n');
  const lines = [line(columns), `|${columns.map(() => '---').join('|')}|`, ...rows.map(line)];
  return [...heading, ...lines].join('\n');
}

function line(texts: readonly string[]): string {
  return `| ${texts.map(cell).join(' | ')} |`;
}

function cell(text: string): string {
  return escaped(text, '<br>');
}

/** Escapes inline text. */
export function inline(text: string): string {
  return escaped(text, '\n');
}

// Characters that may need escaping, except line ends; a text without any of them is scanned only once.
const SUSPECT = /[^\n !"#$%'()+,\-./0-9:;=?@A-Za-z{}^]|:\/\/|www\./i;
const NOT_VISIBLE = new RegExp(`\\t|${UNSEEN_IN_TEXT.source}`);
// Renderers turn bare addresses into links; an escaped slash or dot prevents that.
const SPECIAL = /\r\n?|[\n\\`|[\]*~<>_]|&(?=#|\w+;)|:\/\/|www\./gi;
const WRITTEN: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '://': ':\\/\\/' };

function escaped(text: string, lineEnd: string): string {
  if (!SUSPECT.test(text)) return text.split('\n').join(lineEnd);
  const seen = NOT_VISIBLE.test(text) ? visible(text) : text;
  return seen.replace(SPECIAL, (found, at: number) => {
    const written = WRITTEN[found];
    if (written !== undefined) return written;
    if (found.charAt(0) === '\r' || found === '\n') return lineEnd;
    if (found.length > 1) return `${found.slice(0, -1)}\\.`;
    return found === '_' && isInWord(at, seen) ? found : `\\${found}`;
  });
}

// An underscore inside a word is not emphasis, so field names stay readable.
function isInWord(at: number, text: string): boolean {
  return LETTER_OR_DIGIT.test(text.charAt(at - 1)) && LETTER_OR_DIGIT.test(text.charAt(at + 1));
}

const LETTER_OR_DIGIT = /[A-Za-z0-9]/;

// Spell out characters that reorder or hide text, and drop control characters.
function visible(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for them
      .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g, '')
      .replace(CONTROLS_IN_TEXT, '')
      .replace(INVISIBLE, nameOf)
      .replace(/\t/g, ' ')
  );
}
