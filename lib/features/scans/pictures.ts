/** Charts in command results, for people at a terminal; JSON, markdown and context contain only the numbers. */
import { objectOf, objectsOf } from '../../core/json.ts';
import { list, numberOf, object, textOf } from '../../core/received.ts';
import { plural } from '../../core/text/numbers.ts';
import { meter, shades, sparkline } from '../../hosts/terminal/ui/cells.ts';
import { type Readable, type Table, tableOf } from '../../runtime/output/readable.ts';
import type { Result } from '../../runtime/output/result.ts';
import { byTime, latestRun, pointOf, readScans } from './collect/target-history.ts';

const METER_WIDTH = 20;

/**
 * Draws the numbers of a result, passed as the value of its output. @returns the same text if there is nothing to draw
 */
type Draw = (readable: Readable, value: unknown, raw: unknown) => Readable;

const DRAWN: Readonly<Record<string, Draw>> = {
  'aisec-redteam-metering-quota': withMeters,
  'aisec-runtime-customer-apps-violations': withHeat,
  'aisec-redteam-dashboard-score-trend': withTrend,
  'aisec-redteam-scans-list': withHistory,
};

/** Adds a command's charts to its result. */
export function pictured(result: Result): Result {
  const draw = Object.hasOwn(DRAWN, result.command) ? DRAWN[result.command] : undefined;
  if (draw === undefined || result.planned || result.showRaw) return result;
  return { ...result, readable: draw(result.readable, result.writes[0]?.value, result.raw) };
}

/** Draws each quota as a bar. */
function withMeters(readable: Readable, value: unknown): Readable {
  const rows = Object.entries(objectOf(value)).flatMap(([type, quota]) => {
    const { consumed, allocated, unlimited } = objectOf(quota);
    if (typeof consumed !== 'number') return [];
    if (unlimited === true) return [{ scans: type, used: `${consumed}, unlimited`, quota: '' }];
    if (typeof allocated !== 'number') return [{ scans: type, used: String(consumed), quota: '' }];
    return [{ scans: type, used: `${consumed} of ${allocated}`, quota: meter(consumed, allocated, METER_WIDTH) }];
  });
  if (rows.length === 0) return readable;
  return { ...readable, tables: [tableOf(rows), ...readable.tables.slice(1)] };
}

const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
/** Initials of the severities; each heads a column of two characters. */
const HEAT = 'C H M L';

/** Shades the violations of each detector by severity. */
function withHeat(readable: Readable, value: unknown): Readable {
  const detectors = objectsOf(objectOf(value)['detectors']);
  // The first table is the record.
  const at = readable.tables.findIndex(({ rows }, index) => index > 0 && rows.length === detectors.length);
  const table = readable.tables[at];
  if (table === undefined || detectors.length === 0) return readable;
  const lines = shades(detectors.map((detector) => SEVERITIES.map((name) => numberOf(detector[name]) ?? 0)));
  const rows = table.rows.map(([name = '', ...counts], index) => [name, lines[index] ?? '', ...counts]);
  const [name = '', ...columns] = table.columns;
  const drawn: Table = { ...table, columns: [name, HEAT, ...columns], rows };
  return { ...readable, tables: readable.tables.with(at, drawn) };
}

const readTrend = object({
  series: list({ label: textOf, data: (value: unknown) => (Array.isArray(value) ? value.map(numberOf) : []) }),
});

/** Draws the scores of each type as a line above the table. */
function withTrend(readable: Readable, value: unknown): Readable {
  const rows = readTrend(value).series.flatMap(({ label = '', data }) => {
    const latest = data.findLast((score) => score !== undefined);
    return latest === undefined ? [] : [{ type: label, score: sparkline(data), latest }];
  });
  if (rows.length === 0) return readable;
  const [record, ...others] = readable.tables;
  const trend = tableOf(rows, { title: 'Trend' });
  return { ...readable, tables: [...(record === undefined ? [] : [record]), trend, ...others] };
}

/** Draws the scores of a list of scans of one type against one target, in any order. */
function withHistory(readable: Readable, _value: unknown, raw: unknown): Readable {
  const scans = readScans(raw);
  const kinds = new Set(
    scans.map(({ target_id, target, job_type }) => JSON.stringify([target_id ?? target.uuid, job_type])),
  );
  const points = byTime(scans.filter(({ status }) => status === 'COMPLETED').map((scan) => pointOf(scan)));
  const scores = latestRun(points).flatMap(({ score }) => score ?? []);
  const [oldest] = scores;
  const newest = scores.at(-1);
  if (kinds.size !== 1 || scores.length < 2 || newest === undefined || oldest === undefined) return readable;
  const line = `Score  ${sparkline(scores)}  ${oldest} → ${newest} in ${plural(scores.length, 'scan')}`;
  return { ...readable, notes: [...readable.notes, line] };
}
