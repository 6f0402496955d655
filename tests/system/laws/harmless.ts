/** Checks of displayed text: each returns its findings, which are empty for harmless text. */
import type { Readable } from '../../../lib/output/readable.ts';

/** Characters that act on a screen, reorder text, or hide it. */
const UNSEEN =
  /[^\P{Cc}\n]|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e03ff}]/u;
/** Characters that a terminal interprets; the tests of `clean` cover the emoji joiner. */
const ACTIVE = /[^\P{Cc}\n]|(?!\u200d)\p{Cf}|[\u2028\u2029]/u;

const complain = (what: string, text: string, pattern: RegExp): string[] => {
  const found = pattern.exec(text);
  if (found === null) return [];
  const around = text.slice(Math.max(0, found.index - 40), found.index + 40);
  return [`${what}: ${JSON.stringify(around)}`];
};

/** Markdown: every table in one piece, and nothing in it live. */
export function markdownComplaints(rendered: string, readable: Readable): string[] {
  return [...tornTables(rendered, readable), ...liveMarkup(rendered)];
}

/** A bar that follows an odd number of backslashes belongs to the text. */
const bars = (line: string) => line.replace(/\\[\s\S]/g, '').split('|').length - 1;

function tornTables(rendered: string, { summary, tables }: Readable): string[] {
  const lines = rendered.split('\n').filter((line) => line.startsWith('|'));
  const wanted = [...(summary === undefined ? [] : [summary]), ...tables]
    .filter(({ rows }) => rows.length > 0)
    .flatMap(({ columns, rows }) => Array.from({ length: rows.length + 2 }, () => columns.length + 1));
  const found = lines.map(bars);
  return JSON.stringify(found) === JSON.stringify(wanted) ? [] : [`a torn table: ${lines.join('\n').slice(0, 500)}`];
}

function liveMarkup(rendered: string): string[] {
  // Our own marks, then all that is escaped; what is left must mean nothing.
  const text = rendered
    .replace(/^\*\*(.*)\*\*/gm, '$1')
    .replace(/^### /, '')
    .replace(/\\[^\n]/g, '·')
    .replace(/<br>/g, ' ');
  return [
    ...complain('live markup', text, /[[\]<>`*~]/),
    ...complain('a live address', text, /:\/\/|\bwww\./i),
    ...complain('a live entity', text, /&(?!(?:amp|lt|gt);)(?:#|\w+;)/),
    ...complain('an unseen character', text, UNSEEN),
  ];
}

/** Text for a terminal. */
export function terminalComplaints(text: string): string[] {
  return complain('an escape for a terminal', text, ACTIVE);
}

/** A JSON value, or a JSON value on each line, that is safe to display. */
export function jsonComplaints(text: string, what: string): string[] {
  try {
    JSON.parse(text);
  } catch {
    return [`${what} is no JSON: ${text.slice(0, 200)}`];
  }
  return complain(`${what} with an escape for a terminal`, text, ACTIVE);
}
