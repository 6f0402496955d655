/** The results of a target's scans in order: two lines, and a table with the same values. */
import { intervalText } from '../../scans/chance.ts';
import { type History, type HistoryPoint, pathOf } from '../../scans/collect/target-history.ts';
import { type Html, html } from '../../scans/escape.ts';
import { counted, figure, MISSING, moment, name, rate, shortDay } from '../../scans/format.ts';
import { htmlTable } from './page.ts';

const SIZE = { width: 520, height: 232 };
const PLOT = { left: 38, right: 500, top: 14, bottom: 182 };
const GRID = [0, 25, 50, 75, 100];
/** Minimum distance between labels; closer labels would overlap. */
const MIN_DISTANCE = 64;

export interface Compared {
  readonly first: string;
  readonly second: string;
}

export function historyOf(history: History, compared: Compared): Html {
  return html`<div class="history">${chart(history.points, compared)}${scanTable(history.points, compared)}</div>`;
}

function chart(points: readonly HistoryPoint[], compared: Compared): Html {
  const label = `Attack success rate and risk score of ${counted(points.length, 'scan')}; the table has the values`;
  const roles = points.map(({ id }) => rolesOf(id, compared));
  const lineOf = (read: (point: HistoryPoint) => number | undefined) =>
    pathOf(
      points.map((point, index) => {
        const value = read(point);
        return {
          x: across(index, points.length),
          y: value === undefined ? value : down(value),
          attacks: point.attacks,
        };
      }),
    );
  const marks = points.map((point, index) => dots(point, across(index, points.length), roles[index] !== ''));
  return html`<div><svg class="trend" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-label="${label}">
${GRID.map(gridLine)}
${roles.map((role, index) => (role === '' ? undefined : html`<path class="compared" d="M ${across(index, points.length)} ${PLOT.top} V ${PLOT.bottom}"/>`))}
<path class="line score" d="${lineOf(({ score }) => score)}"/>
<path class="line asr" d="${lineOf(({ asr }) => asr)}"/>
${marks}${labels(points, roles)}</svg>
<p class="small"><span class="stroke asr"></span> attack success rate in % <span class="stroke score"></span> risk score: higher is worse in both</p></div>`;
}

function gridLine(value: number): Html {
  return html`<path class="rule" d="M ${PLOT.left} ${down(value)} H ${PLOT.right}"/><text class="end" x="${PLOT.left - 8}" y="${down(value) + 4}" text-anchor="end">${value}</text>`;
}

function dots({ asr, score }: HistoryPoint, x: number, isCompared: boolean): Html {
  const dot = (value: number | undefined, kind: string) =>
    value === undefined
      ? undefined
      : html`<circle class="${kind}" cx="${x}" cy="${down(value)}" r="${isCompared ? 5 : 3}"/>`;
  return html`${dot(score, 'score')}${dot(asr, 'asr')}`;
}

/** Labels the compared scans, and adds dates to as many other scans as fit. */
function labels(points: readonly HistoryPoint[], roles: readonly string[]): readonly Html[] {
  const order = points.map((_, index) => index).sort((a, b) => Number(roles[b] !== '') - Number(roles[a] !== ''));
  const taken: number[] = [];
  const shown = order.filter((index) => {
    const x = across(index, points.length);
    if (taken.some((other) => Math.abs(other - x) < MIN_DISTANCE)) return false;
    taken.push(x);
    return true;
  });
  return shown.map((index) => {
    const x = across(index, points.length);
    const role = roles[index] ?? '';
    const anchor = x < PLOT.left + MIN_DISTANCE / 2 ? 'start' : x > PLOT.right - MIN_DISTANCE / 2 ? 'end' : 'middle';
    return html`<text class="end" x="${x}" y="${PLOT.bottom + 20}" text-anchor="${anchor}">${shortDay(points[index]?.finishedAt)}</text>
${role === '' ? undefined : html`<text class="role" x="${x}" y="${PLOT.bottom + 38}" text-anchor="${anchor}">${role}</text>`}`;
  });
}

function across(index: number, count: number): number {
  const width = PLOT.right - PLOT.left - 24;
  const share = count < 2 ? 0.5 : index / (count - 1);
  return Math.round((PLOT.left + 12 + share * width) * 100) / 100;
}

function down(value: number): number {
  const share = Math.min(100, Math.max(0, value)) / 100;
  return Math.round((PLOT.bottom - share * (PLOT.bottom - PLOT.top)) * 100) / 100;
}

function rolesOf(id: string, { first, second }: Compared): string {
  return [id === first ? 'first' : '', id === second ? 'second' : ''].filter((role) => role !== '').join(', ');
}

function scanTable(points: readonly HistoryPoint[], compared: Compared): Html {
  const row = ({ id, name: title, finishedAt, asr, isWrong, interval, score }: HistoryPoint) => {
    const role = rolesOf(id, compared);
    return html`<tr><td>${name(title)}${role === '' ? undefined : html` <span class="pill other">${role}</span>`}</td><td>${moment(finishedAt)}</td>
<td class="tries"><i class="label">Success rate: </i>${rate(isWrong ? 'contradicted' : asr)}${interval === undefined ? undefined : html` <i>${intervalText(interval)}</i>`}</td><td class="tries"><i class="label">Risk score: </i>${score === undefined ? MISSING : figure(score)}</td></tr>`;
  };
  return htmlTable(['Scan', 'Finished', 'Success rate', 'Risk score'], points.toReversed().map(row));
}
