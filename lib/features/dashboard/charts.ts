/** Charts of a dashboard as inline SVG and tables: no scripts, and a text alternative for each. */

import { intervalText } from '../scans/chance.ts';
import { type HistoryPoint, pathOf } from '../scans/collect/target-history.ts';
import { type Html, html } from '../scans/escape.ts';
import { counted, figure, name, percentage, rate, shortDay, timeOf } from '../scans/format.ts';
import type { HeatCell, HeatColumn, Quota } from './model.ts';

const SIZE = { width: 320, height: 132 };
const PLOT = { left: 28, right: 308, top: 10, bottom: 106 };
const GRID = [0, 50, 100];
/** Widest space between two scans, so that a target with few scans has no long empty line. */
const CAP = 3;

/** Renders the success rates of a target over time, each with its interval. */
export function rateChart(points: readonly HistoryPoint[]): Html {
  const places = placesOf(points);
  const label = `Attack success rates of ${counted(points.length, 'scan')}: ${points.map(reading).join('; ')}`;
  const drawn = points.map(({ asr, attacks }, at) => ({
    ...{ x: places[at] ?? 0, attacks },
    y: asr === undefined ? asr : down(asr),
  }));
  const dots = drawn.flatMap(({ x, y }) =>
    y === undefined ? [] : html`<circle class="hit" cx="${x}" cy="${y}" r="4"/>`,
  );
  return html`<svg class="rates" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-label="${label}">
${GRID.map(gridLine)}${points.map((point, at) => bounds(point, places[at] ?? 0))}
<path class="line" d="${pathOf(drawn)}"/>${dots}
${days(points, places)}</svg>`;
}

function reading({ asr, isWrong, finishedAt }: HistoryPoint): string {
  const text = isWrong ? 'contradicted' : asr === undefined ? 'not reported' : percentage(asr);
  return `${shortDay(finishedAt)} ${text}`.trim();
}

function gridLine(value: number): Html {
  return html`<path class="rule" d="M ${PLOT.left} ${down(value)} H ${PLOT.right}"/><text class="end" x="${PLOT.left - 6}" y="${down(value) + 4}" text-anchor="end">${value}</text>`;
}

function bounds({ interval }: HistoryPoint, x: number): Html | undefined {
  if (interval === undefined) return undefined;
  const [top, bottom] = [down(interval.high), down(interval.low)];
  return html`<path class="bound" d="M ${x} ${top} V ${bottom} M ${x - CAP} ${top} h ${2 * CAP} M ${x - CAP} ${bottom} h ${2 * CAP}"/>`;
}

/** Labels the axis with the dates of the first and the last scan. */
function days(points: readonly HistoryPoint[], places: readonly number[]): readonly Html[] {
  const last = points.length - 1;
  const ends = last === 0 ? [0] : [0, last];
  return ends.map((at) => {
    const anchor = last === 0 ? 'middle' : at === 0 ? 'start' : 'end';
    return html`<text class="end" x="${places[at] ?? 0}" y="${SIZE.height - 6}" text-anchor="${anchor}">${shortDay(points[at]?.finishedAt)}</text>`;
  });
}

/** Places scans by their time, or by their order if any time is missing. */
function placesOf(points: readonly HistoryPoint[]): readonly number[] {
  const times = points.map(({ finishedAt }) => timeOf(finishedAt));
  const [from = Number.NaN, to = Number.NaN] = [times[0], times.at(-1)];
  const isTimed = times.every((time) => time !== undefined) && to > from;
  return points.map((_, at) => {
    const share =
      points.length < 2 ? 0.5 : isTimed ? ((times[at] ?? 0) - from) / (to - from) : at / (points.length - 1);
    return Math.round((PLOT.left + 10 + share * (PLOT.right - PLOT.left - 20)) * 10) / 10;
  });
}

function down(value: number): number {
  const share = Math.min(100, Math.max(0, value)) / 100;
  return Math.round((PLOT.bottom - share * (PLOT.bottom - PLOT.top)) * 10) / 10;
}

const HEAT_STEPS = 5;
const MAX_ROWS = 60;

/** Renders a table of success rates by attack category and target. */
export function heatMap(columns: readonly HeatColumn[]): Html {
  const rows = rowsOf(columns);
  // The table of a single target is narrow, so its categories are laid out side by side.
  if (columns.length === 1) return categoriesOf(columns, rows.slice(0, MAX_ROWS), cutOf(rows.length));
  const heads = columns.map(({ target }) => html`<th scope="col">${name(target)}</th>`);
  const body = rows.slice(0, MAX_ROWS).map(({ category, kind }, at) => {
    const group = rows[at - 1]?.category === category ? undefined : groupRow(category, columns.length);
    const cells = columns.map(({ cells }) =>
      heatCell(cells.find((each) => each.category === category && each.kind === kind)),
    );
    return html`${group}<tr><th scope="row">${name(kind)}</th>${cells}</tr>`;
  });
  return html`<div class="scroll"><table class="heat"><thead><tr><th scope="col">Kind of attack</th>${heads}</tr></thead><tbody>${body}</tbody></table></div>${cutOf(rows.length)}`;
}

function cutOf(count: number): Html | undefined {
  return count > MAX_ROWS
    ? html`<p class="small">The table has ${MAX_ROWS} of ${figure(count)} kinds of attacks.</p>`
    : undefined;
}

function categoriesOf(
  [column]: readonly HeatColumn[],
  rows: readonly Pick<HeatCell, 'category' | 'kind'>[],
  cut: Html | undefined,
): Html {
  const tables = [...new Set(rows.map(({ category }) => category))].map((category) => {
    const own = rows.filter((row) => row.category === category);
    const cells = own.map(
      ({ kind }) =>
        html`<tr><th scope="row">${name(kind)}</th>${heatCell(column?.cells.find((each) => each.category === category && each.kind === kind))}</tr>`,
    );
    return html`<table class="heat"><caption>${name(category)}</caption><tbody>${cells}</tbody></table>`;
  });
  return html`<p class="small">${name(column?.target)}</p><div class="heats">${tables}</div>${cut}`;
}

function groupRow(category: string, count: number): Html {
  return html`<tr><th class="group-head" scope="rowgroup" colspan="${count + 1}">${name(category)}</th></tr>`;
}

/** Lists the kinds of attacks in the order of the reports, grouped by category. */
function rowsOf(columns: readonly HeatColumn[]): readonly Pick<HeatCell, 'category' | 'kind'>[] {
  const all = columns.flatMap(({ cells }) => cells);
  const categories = [...new Set(all.map(({ category }) => category))];
  return categories.flatMap((category) => {
    const kinds = new Set(all.filter((cell) => cell.category === category).map(({ kind }) => kind));
    return [...kinds].map((kind) => ({ category, kind }));
  });
}

function heatCell(cell: HeatCell | undefined): Html {
  if (cell === undefined) return html`<td class="none">not run</td>`;
  const { hit, total } = cell;
  const rate = (hit / total) * 100;
  const step = hit === 0 ? 0 : Math.max(1, Math.min(HEAT_STEPS, Math.ceil((rate / 100) * HEAT_STEPS)));
  return html`<td class="h${step}">${percentage(rate)} <i>${figure(hit)}/${figure(total)}</i></td>`;
}

/** Renders a bar for each quota. */
export function quotaBars(quotas: readonly Quota[]): Html {
  return html`<ul class="bars quota">${quotas.map(quotaBar)}</ul>`;
}

function quotaBar({ type, consumed, allocated, unlimited }: Quota): Html {
  const counts = quotaText({ consumed, allocated, unlimited });
  const share =
    unlimited || consumed === undefined || !allocated ? undefined : Math.min(100, (consumed / allocated) * 100);
  const fill =
    share === undefined || share <= 0
      ? undefined
      : html`<rect class="used" width="${Math.round(share * 10) / 10}%" height="14" rx="4"/>`;
  return html`<li><span class="name">${type}</span>
<svg class="bar" width="100%" height="14" role="img" aria-label="${type}: ${counts}"><rect class="held" width="100%" height="14" rx="4"/>${fill}</svg>
<span class="figures" aria-hidden="true">${counts}</span></li>`;
}

function quotaText({ consumed, allocated, unlimited }: Omit<Quota, 'type'>): string {
  const used = consumed === undefined ? 'not reported' : figure(consumed);
  if (unlimited) return `${used}, unlimited`;
  return allocated === undefined ? used : `${used} of ${figure(allocated)}`;
}

/** Renders a rate with its interval. */
export function rateText({ asr, isWrong, interval }: Pick<HistoryPoint, 'asr' | 'isWrong' | 'interval'>): Html {
  const bounds = interval === undefined ? undefined : html` <i>${intervalText(interval)}</i>`;
  return html`<b>${rate(isWrong ? 'contradicted' : asr)}</b>${bounds}`;
}
