/** Makes the page of a war room: the lines that somebody starred, with their results. */
import type { Collection, ReportedLine, TenantTitle } from '../../client/report-pages.ts';
import { duration } from '../../core/progress.ts';
import { cell } from '../../runtime/output/readable.ts';
import { stateWord } from '../../runtime/select/printed.ts';
import { memberAt, type ResultTable } from '../../runtime/select/result-tables.ts';
import { type Html, html } from '../scans/escape.ts';
import { counted, moment, name, shortenedHtml } from '../scans/format.ts';
import { facts, header, htmlTable, notesSection, pageOf, panel } from './page/page.ts';

/** How much the page shows: rows of a table, and characters of a title, a cell, a field and a line. */
const [MAX_ROWS, MAX_TITLE, MAX_CELL, MAX_FIELD] = [1000, 80, 300, 20_000];

const KIND = 'War room report';
const STYLE = html`
h3 { margin: 18px 0 8px; }
.panel > p, .panel > .facts { margin-top: 8px; overflow-wrap: anywhere; }
.panel > .facts { flex-direction: column; }
.facts dd { white-space: pre-wrap; }
td.end, th.end { text-align: right; font-variant-numeric: tabular-nums; }`;

/** Makes the page. @param lines the starred lines, oldest first */
export function roomPage(
  lines: readonly ReportedLine[],
  { tenant, profile, production }: TenantTitle,
  { createdAt, version }: Pick<Collection, 'createdAt' | 'version'>,
): string {
  const simulated = lines.some((line) => line.simulated);
  const where = name([profile, tenant].filter((part) => part !== undefined).join(', ') || 'the default tenant');
  const rows = [
    ['Tenant', html`${where}${production ? ' (production)' : undefined}`],
    ['Starred lines', html`${lines.length}`],
  ] as const;
  return pageOf({
    ...{ title: 'War room', kind: KIND, simulated, style: STYLE, banners: [] },
    main: html`${header(KIND, html`Starred lines of the war room`, rows)}
<div class="grid">${lines.map(linePanel)}</div>
${notesSection({ missing: [], createdAt, version, simulated }, [], where)}`,
  });
}

function linePanel(line: ReportedLine): Html {
  const { number, time, ms, state, verdict, summary, simulated, dryRun, stale, failure, notes, tables } = line;
  const marks = [simulated ? 'simulated' : '', dryRun ? 'dry run' : '', stale ? 'ran on older context' : ''];
  const took = ms < 1000 ? `${ms} ms` : duration(ms);
  const content = html`<p><b>${shortened(stateWord(verdict ?? state).toUpperCase(), MAX_CELL)}</b> ${shortened(summary, MAX_FIELD)}</p>
<p class="small">${moment(time)}, took ${took}${marks.filter((mark) => mark !== '').map((mark) => html`, ${mark}`)}</p>
${failure === undefined ? undefined : html`<p>${shortened(`${failure.detail} ${failure.hint ?? ''}`, MAX_FIELD)}</p>`}
${tables.map(tablePart)}
${notes.map((note) => html`<p class="small">${shortened(note, MAX_FIELD)}</p>`)}`;
  return panel(`line-${number}`, html`${number}. <code>${shortened(line.line, MAX_FIELD)}</code>`, content, 'wide');
}

function tablePart({ title, many, first, columns, rows }: ResultTable): Html {
  const heading = html`<h3>${shortened(title, MAX_CELL)}</h3>`;
  if (!many) {
    const filled = columns
      .map((column) => [column.title.slice(0, MAX_TITLE), cell(memberAt(rows[0], column.name))] as const)
      .filter(([, text]) => text !== '');
    return html`${heading}${facts(filled.map(([term, text]) => [term, shortened(text, MAX_FIELD)]))}`;
  }
  const shown = columns.slice(0, first.length);
  const rowOf = (row: unknown) =>
    html`<tr>${shown.map((column) => html`<td class="${column.kind === 'number' ? 'end' : ''}">${shortened(cell(memberAt(row, column.name)), MAX_CELL)}</td>`)}</tr>`;
  const rest = html`<p class="small">The first ${counted(MAX_ROWS, 'row')} of ${rows.length}.</p>`;
  const titles = shown.map((column) => column.title.slice(0, MAX_TITLE));
  return html`${heading}${htmlTable(titles, rows.slice(0, MAX_ROWS).map(rowOf), rows.length > MAX_ROWS ? rest : undefined)}`;
}

/** A text of the service, kept apart from the direction of the text around it. */
function shortened(text: string, most: number): Html {
  return html`<bdi>${shortenedHtml(text, most)}</bdi>`;
}
