/** Charts as inline SVG: no scripts, colours from the style sheet, and a text alternative for each. */
import { type Html, html } from '../../scans/escape.ts';
import { counted, figure, percentage } from '../../scans/format.ts';

const RADIUS = 96;
const CENTRE = { x: 120, y: 116 };
const ARC = `M ${CENTRE.x - RADIUS} ${CENTRE.y} A ${RADIUS} ${RADIUS} 0 0 1 ${CENTRE.x + RADIUS} ${CENTRE.y}`;

const GRADIENT = html`<defs><linearGradient id="risk" gradientUnits="userSpaceOnUse" x1="24" y1="0" x2="216" y2="0"><stop offset="0" class="low"/><stop offset="0.5" class="middle"/><stop offset="1" class="high"/></linearGradient></defs>`;

/**
 * Renders a gauge from 0 to 100, empty if there is no value. @param isFirst the first gauge of the page defines the
 * colours of all gauges
 */
export function gauge(title: string, value: number | undefined, isFirst = true): Html {
  const reading = value === undefined ? 'not reported' : `${figure(value)} of 100, higher is worse`;
  return html`<svg class="gauge" viewBox="0 0 240 146" role="img" aria-label="${title}: ${reading}">
${isFirst ? GRADIENT : undefined}
<path class="track" d="${ARC}"/>${value === undefined ? undefined : needle(between(value))}
<text class="number" x="${CENTRE.x}" y="104" text-anchor="middle">${value === undefined ? '–' : figure(value)}</text>
<text class="end" x="4" y="140">0: best</text>
<text class="end" x="${CENTRE.x}" y="128" text-anchor="middle">${value === undefined ? 'not reported' : 'of 100'}</text>
<text class="end" x="236" y="140" text-anchor="end">100: worst</text>
</svg>`;
}

function needle(value: number): Html {
  const angle = Math.PI * (1 - value / 100);
  const [x, y] = [CENTRE.x + RADIUS * Math.cos(angle), CENTRE.y - RADIUS * Math.sin(angle)].map(rounded);
  return html`<path class="value" d="${ARC}" pathLength="100" stroke-dasharray="${rounded(value)} 200"/>
<circle class="mark" cx="${x}" cy="${y}" r="13"/>`;
}

const ACROSS = 20;
const MAX_SQUARES = 100;
const PITCH = 12;

/** Renders a square for each attack, or for each percent above a hundred attacks; successful ones are filled. */
export function squares(successful: number, total: number, noun: string): Html {
  const each = total <= MAX_SQUARES;
  const count = each ? total : MAX_SQUARES;
  const filled = each ? successful : atLeastOne(successful, (successful / total) * MAX_SQUARES, count);
  const rows = Math.ceil(count / ACROSS);
  const one = (_: unknown, index: number) => {
    const [x, y] = [(index % ACROSS) * PITCH, Math.floor(index / ACROSS) * PITCH];
    return html`<rect class="${index < filled ? 'hit' : 'held'}" x="${x}" y="${y}" width="10" height="10" rx="2"/>`;
  };
  return html`<svg class="squares" viewBox="0 0 ${ACROSS * PITCH - 2} ${rows * PITCH - 2}" role="img" aria-label="${figure(successful)} of ${counted(total, noun)} were successful">${Array.from({ length: count }, one)}</svg>
<p class="small">${each ? `Each square is one ${noun}.` : 'Each square is one percent.'} Filled: successful.</p>`;
}

/** Rounds so that a non-zero part is visible and an incomplete part does not look complete. */
function atLeastOne(part: number, exact: number, whole: number): number {
  return part === 0 ? 0 : Math.min(Math.max(1, Math.round(exact)), exact < whole ? whole - 1 : whole);
}

export interface Bar {
  readonly name: Html;
  /** Percent of the width; undefined if unknown. */
  readonly rate: number | undefined;
  /** Such as `9 of 20`. */
  readonly counts: string | undefined;
}

export function bars(what: string, rows: readonly Bar[]): Html {
  return html`<ul class="bars">${rows.map((row) => bar(what, row))}</ul>`;
}

function bar(what: string, { name, rate, counts }: Bar): Html {
  const reading = rate === undefined ? 'not reported' : percentage(rate);
  const label = [`${what}: ${reading}`, counts].filter((part) => part !== undefined).join(', ');
  return html`<li><span class="name">${name}</span>
<svg class="bar" width="100%" height="14" role="img" aria-label="${label}"><rect class="held" width="100%" height="14" rx="4"/>${filling(rate)}</svg>
<span class="figures" aria-hidden="true"><b>${reading}</b>${counts === undefined ? undefined : html` <i>${counts}</i>`}</span></li>`;
}

function filling(rate: number | undefined): Html | undefined {
  if (rate === undefined || rate <= 0) return undefined;
  return html`<rect class="hit" width="${rounded(Math.max(0.6, between(rate)))}%" height="14" rx="4"/>`;
}

export interface Split {
  readonly mark: Html | undefined;
  readonly name: string;
  readonly hit: number;
  readonly held: number;
}

/** Renders stacked bars of successful and withstood attacks. */
export function splits(rows: readonly Split[]): Html {
  const longest = rows.reduce((most, { hit, held }) => Math.max(most, hit + held), 1);
  return html`<ul class="bars splits">${rows.map((row) => split(row, longest))}</ul>`;
}

function split({ mark, name, hit, held }: Split, longest: number): Html {
  const width = (part: number) => rounded((part / longest) * 100);
  const counts = `${figure(hit)} of ${figure(hit + held)}`;
  return html`<li><span class="name">${mark}</span>
<svg class="bar" width="100%" height="22" role="img" aria-label="${name}: ${counts} attacks were successful"><rect class="held" width="${width(hit + held)}%" height="22" rx="4"/>${hit > 0 ? html`<rect class="hit" width="${width(hit)}%" height="22" rx="4"/>` : undefined}</svg>
<span class="figures" aria-hidden="true"><b>${figure(hit)}</b> <i>of ${figure(hit + held)}</i></span></li>`;
}

export interface StreamRow {
  /** Such as `Stream 2`. */
  readonly name: string;
  readonly turns: number;
  readonly hit: boolean;
}

const MAX_TURNS = 60;

/** Renders a row of turns for each stream; the last turn is filled if the target gave in. */
export function streamRows(rows: readonly StreamRow[]): Html {
  return html`<ul class="streams">${rows.map(streamRow)}</ul>`;
}

function streamRow({ name, turns, hit }: StreamRow): Html {
  const shown = Math.min(Math.max(1, turns), MAX_TURNS);
  const label = `${name}: ${hit ? 'the target gave in after' : 'the target withstood'} ${counted(turns, 'turn')}`;
  const one = (_: unknown, index: number) =>
    html`<circle class="${hit && index === shown - 1 ? 'hit' : 'held'}" cx="${index * PITCH + 6}" cy="7" r="${hit && index === shown - 1 ? 6 : 4}"/>`;
  return html`<li><svg width="${shown * PITCH + 2}" height="14" role="img" aria-label="${label}">${Array.from({ length: shown }, one)}</svg></li>`;
}

function between(value: number): number {
  return Math.min(100, Math.max(0, value));
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
