/** The dashboard in a terminal. */

import { plural } from '../../../core/text/numbers.ts';
import { meter, sparkline } from '../../../hosts/terminal/ui/cells.ts';
import { listOf, type Readable } from '../../../runtime/output/readable.ts';
import { intervalText } from '../../scans/chance.ts';
import { latestRun } from '../../scans/collect/target-history.ts';
import { figure } from '../../scans/format.ts';
import type { DashboardData, Quota, Series } from '../model.ts';

/** Number of lines in the first list if the screen height is unknown; --wide, --html and JSON show more. */
const MAX_ITEMS = 12;
/** Minimum number of lines for each list on a short screen. */
const FEWEST = 3;
const METER_WIDTH = 20;

/** The space on the screen. */
export interface Room {
  readonly width: number;
  /** Undefined if the output is not a terminal. */
  readonly rows: number | undefined;
  /** Show everything, whatever the height. */
  readonly wide: boolean;
}

/** Shows what needs attention, the success rates and the quota. */
export function dashboardReadable(data: DashboardData, room: Room): Readable {
  const { tenant, profile, attention, series, quota = [], bounds, missing, simulated } = data;
  const remarks = [...bounds, ...missing.map(({ what, why }) => `${what} could not be read: ${why}`)];
  const shown = shares(data, remarks, room);
  const urgent = attention.slice(0, shown.items).map(({ urgency, kind, subject, state, command }) => ({
    ...{ severity: urgency, kind, subject, state, command },
  }));
  const title = tenant === undefined ? 'Tenant' : `Tenant ${tenant}`;
  const rates = series.slice(0, shown.rates).map(rateRow);
  const tables = [
    listOf(urgent, { columns: ['severity', 'kind', 'subject', 'state', 'command'] }, ['severity', 'subject', 'state']),
    listOf(rates, { title: 'Attack success rates', columns: RATES }),
    listOf(quota.map(quotaRow), { columns: QUOTA }),
  ];
  const isIncomplete = missing.some(({ failed }) => failed);
  return {
    title: profile === undefined ? title : `${title} (${profile})`,
    simulated,
    tables: tables.filter(({ rows }) => rows.length > 0),
    notes: [
      ...remarks,
      `${attentionText(attention.length, isIncomplete)} ${HOW_TO_SEE_MORE[room.wide ? 'wide' : 'usual']}`,
    ],
  };
}

const HOW_TO_SEE_MORE = { usual: 'All of it: --wide; as a page: --html FILE', wide: 'As a page: --html FILE' };

/** Splits the screen height between the two lists that may be long. The quota is never cut. */
function shares(
  { attention, series, quota = [] }: DashboardData,
  remarks: readonly string[],
  { width, rows, wide }: Room,
): { readonly items: number; readonly rates: number } {
  if (wide) return { items: attention.length, rates: series.length };
  if (rows === undefined) return { items: MAX_ITEMS, rates: series.length };
  const noted = remarks.reduce((sum, text) => sum + Math.ceil(text.length / width), 0);
  const headings = 2 + (series.length === 0 ? 0 : 3) + (quota.length === 0 ? 0 : 2 + quota.length);
  // Leave room for a blank line before the last note, and for the prompt after it.
  const last = `${attentionText(attention.length, true)} ${HOW_TO_SEE_MORE.usual}`;
  const room = rows - headings - noted - 2 - Math.ceil(last.length / width);
  const rates = Math.min(series.length, Math.max(FEWEST, room - attention.length));
  return { items: Math.max(FEWEST, room - rates), rates };
}

function attentionText(count: number, isIncomplete: boolean): string {
  if (count > 0) return `${plural(count, 'item')} need${count === 1 ? 's' : ''} attention.`;
  return isIncomplete ? 'Nothing was found in what could be read.' : 'Nothing needs attention.';
}

const RATES = ['target', 'type', 'asr', 'interval_95', 'history', 'scans'];

function rateRow({ target, type, points }: Series) {
  const { asr, isWrong = false, interval } = points.at(-1) ?? {};
  return {
    ...{ target, type },
    asr: isWrong ? 'contradicted' : asr === undefined ? '' : `${figure(asr)} %`,
    interval_95: interval === undefined ? '' : intervalText(interval),
    history: sparkline(latestRun(points).map((point) => point.asr)),
    scans: points.length,
  };
}

const QUOTA = ['quota', 'used', 'bar'];

function quotaRow({ type, consumed, allocated, unlimited }: Quota) {
  const used = consumed === undefined ? 'not reported' : figure(consumed);
  if (unlimited) return { quota: type, used: `${used}, unlimited`, bar: '' };
  if (consumed === undefined || allocated === undefined) return { quota: type, used, bar: '' };
  return { quota: type, used: `${used} of ${figure(allocated)}`, bar: meter(consumed, allocated, METER_WIDTH) };
}
