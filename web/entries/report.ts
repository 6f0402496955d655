/** Writes entries as one HTML page without scripts, to keep, to mail and to print. */

import { heading } from '../../lib/runtime/output/readable.ts';
import { memberAt } from '../../lib/runtime/select/result-tables.ts';
import type { EntryDetail, ResultTable, TableColumn } from '../types.ts';
import { cut, isNumeric, lineText, markedState, spentTime, textOf, visible } from './cells.ts';

/** An entry with its tables. */
export interface Reported {
  readonly detail: EntryDetail;
  readonly tables: readonly ResultTable[];
}

const [MAX_ROWS, MAX_TEXT] = [1000, 20_000];
const NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };

/** Writes a text for HTML: nothing in it is markup, and hidden characters are spelled out. */
function escaped(text: string): string {
  return visible(cut(text, MAX_TEXT)).replace(/[&<>"']/g, (found) => `&${NAMES[found]};`);
}

/** A text of the service, kept apart from the direction of the text around it. */
function isolated(text: string): string {
  return `<bdi>${escaped(text)}</bdi>`;
}

/** Writes the report. @param made when, as people read it @param where such as the tenant */
export function reportOf(entries: readonly Reported[], made: string, where: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Report of the war room</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Report of the war room</h1>
<p>${isolated(where)}, ${escaped(made)}, ${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}</p>
${entries.map(entryPart).join('\n')}
</body>
</html>
`;
}

function entryPart({ detail, tables }: Reported): string {
  const { number, line, time, ms, state, verdict, summary, simulated, dryRun, stale, problem, result } = detail;
  const { sign = '', word } = markedState(verdict ?? state);
  const facts = [
    `${sign} ${word.toUpperCase()}`.trim(),
    ...(summary === '' ? [] : [summary]),
    ...[time, spentTime(ms)],
    ...(simulated ? ['simulated'] : []),
    ...(dryRun ? ['dry run'] : []),
    ...(stale ? ['ran on older context'] : []),
  ];
  const failure = problem ?? result?.failure;
  const parts = [
    `<h2>${number}. <code>${isolated(line)}</code></h2>`,
    `<p class="facts">${facts.map(isolated).join(' · ')}</p>`,
    ...(failure === undefined ? [] : [`<p class="problem">${isolated(`${failure.detail} ${failure.hint ?? ''}`)}</p>`]),
    ...tables.map(tablePart),
    ...(result?.notes ?? []).map((note) => `<p>${isolated(note)}</p>`),
  ];
  return `<section>${parts.join('\n')}</section>`;
}

function tablePart({ title, many, rows, first, columns: all }: ResultTable): string {
  const caption = `<h3>${isolated(title)}</h3>`;
  if (!many) return caption + recordPart(rows[0], all);
  const rowOf = (tag: string, textIn: (column: TableColumn) => string) =>
    `<tr>${all
      .slice(0, first.length)
      .map((column) => `<${tag}${end(column)}>${isolated(textIn(column))}</${tag}>`)
      .join('')}</tr>`;
  const head = rowOf('th', ({ name, title: short }) => heading(name) || short);
  const lines = rows.slice(0, MAX_ROWS).map((row) => rowOf('td', ({ name }) => lineText(textOf(memberAt(row, name)))));
  const rest = rows.length > MAX_ROWS ? `<p>The first ${MAX_ROWS} of ${rows.length} rows.</p>` : '';
  return `${caption}<table><thead>${head}</thead><tbody>${lines.join('\n')}</tbody></table>${rest}`;
}

function recordPart(row: unknown, columns: readonly TableColumn[]): string {
  const filled = columns
    .map(({ name, title }) => [title, textOf(memberAt(row, name))] as const)
    .filter(([, text]) => text !== '');
  return `<dl>${filled.map(([title, text]) => `<dt>${isolated(title)}</dt><dd>${isolated(text)}</dd>`).join('')}</dl>`;
}

function end({ kind }: TableColumn): string {
  return isNumeric(kind) ? ' class="end"' : '';
}

const STYLE = `
body{font:14px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b1f26;background:#fff}
section{border-top:1px solid #d5d9e0;padding-top:.5rem;margin-top:1.5rem}
h2{font-size:1rem;overflow-wrap:anywhere}h3{font-size:.95rem;margin:1rem 0 .3rem}
.facts{color:#545c69}.problem{color:#b3261e}
table{border-collapse:collapse;width:100%;font-size:.9em}
th,td{border:1px solid #d5d9e0;padding:2px 6px;text-align:start;vertical-align:top;overflow-wrap:anywhere}
.end{text-align:end}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 12px}dt{color:#545c69}
dd{margin:0;overflow-wrap:anywhere;white-space:pre-wrap}
@media print{body{margin:0;max-width:none}h2,h3{break-after:avoid}tr{break-inside:avoid}thead{display:table-header-group}}
`;
