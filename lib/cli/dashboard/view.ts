/** The dashboard in a terminal. */
import type { DashboardData, Quota, Series } from '../../features/dashboard/model.ts';
import { intervalText } from '../../features/report/chance.ts';
import { figure } from '../../features/report/page/format.ts';
import { meter, sparkline } from '../../hosts/terminal/render/pictures.ts';
import { listOf, type Readable } from '../../output/readable.ts';
import { plural } from '../../text/numbers.ts';

/** Lines of the first list; --html has more, and JSON has all. */
const MAX_ITEMS = 12;
const METER_WIDTH = 20;

/** Shows what needs attention, the success rates and the quota. */
export function dashboardReadable(data: DashboardData): Readable {
  const { tenant, profile, attention, series, quota = [], bounds, missing, simulated } = data;
  const urgent = attention.slice(0, MAX_ITEMS).map(({ urgency, kind, subject, state, command }) => ({
    ...{ severity: urgency, kind, subject, state, command },
  }));
  const title = tenant === undefined ? 'Tenant' : `Tenant ${tenant}`;
  const tables = [
    listOf(urgent, { columns: ['severity', 'kind', 'subject', 'state', 'command'] }, ['severity', 'subject', 'state']),
    listOf(series.map(rateRow), { title: 'Attack success rates', columns: RATES }),
    listOf(quota.map(quotaRow), { title: 'Quota', columns: QUOTA }),
  ];
  return {
    title: profile === undefined ? title : `${title} (${profile})`,
    simulated,
    tables: tables.filter(({ rows }) => rows.length > 0),
    notes: [
      ...bounds,
      ...missing.map(({ what, why }) => `${what} could not be read: ${why}`),
      attentionText(
        attention.length,
        missing.some(({ failed }) => failed),
      ),
    ],
  };
}

function attentionText(count: number, isIncomplete: boolean): string {
  const more = count > MAX_ITEMS ? '; all of them: --output json' : '';
  if (count > 0)
    return `${plural(count, 'item')} need${count === 1 ? 's' : ''} attention${more}. As a page: --html FILE`;
  return isIncomplete ? 'Nothing was found in what could be read.' : 'Nothing needs attention.';
}

const RATES = ['target', 'type', 'asr', 'interval_95', 'history', 'scans'];

function rateRow({ target, type, points }: Series) {
  const { asr, interval } = points.at(-1) ?? {};
  return {
    ...{ target, type },
    asr: asr === undefined ? '' : `${figure(asr)} %`,
    interval_95: interval === undefined ? '' : intervalText(interval),
    history: sparkline(points.map((point) => point.asr)),
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
