/** Renders a result as markdown that no cell can break out of: no table is torn, no image loads, no link is live. */
import type { Readable, Table } from './readable.ts';

/** The heading of everything that the simulated service answered. */
export const SIMULATED = 'SIMULATED';

/** The whole text: heading, tables, notes. */
export function markdown(readable: Readable): string {
  const mark = readable.simulated
    ? `**${SIMULATED}** - answered by the simulated service, not by a tenant.`
    : undefined;
  const parts = [`### ${inline(readable.title)}`, mark, ...readable.tables.map(table), ...readable.notes.map(inline)];
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`;
}

function table({ title, columns, rows }: Table): string {
  const heading = title === undefined ? [] : [`**${inline(title)}**`, ''];
  if (rows.length === 0) return [...heading, 'No entries.'].join('\n');
  const lines = [
    `| ${columns.map(cell).join(' | ')} |`,
    `|${columns.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ];
  return [...heading, ...lines].join('\n');
}

function cell(text: string): string {
  return inline(text).replace(/\n/g, '<br>');
}

/** Text that means itself and nothing else. */
function inline(text: string): string {
  return (
    visible(text)
      .replace(/\r\n?/g, '\n')
      .replace(/[\\`|[\]*~]/g, '\\$&')
      .replace(/&(?=#|\w+;)/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/_/g, emphasisFree)
      // Renderers turn bare addresses into links; an escaped slash or dot reads the same and is none.
      .replace(/:\/\//g, ':\\/\\/')
      .replace(/\bwww\./gi, (match) => match.replace('.', '\\.'))
  );
}

// Inside a word it is no emphasis, and names of fields stay readable.
function emphasisFree(mark: string, at: number, text: string): string {
  const inWord = /[A-Za-z0-9]/.test(text.charAt(at - 1)) && /[A-Za-z0-9]/.test(text.charAt(at + 1));
  return inWord ? mark : `\\${mark}`;
}

// Characters that reorder or hide text are written out, and control characters are dropped.
function visible(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '')
      .replace(
        /[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u061c]/g,
        (c) => `[U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
      )
      .replace(/\t/g, ' ')
  );
}
