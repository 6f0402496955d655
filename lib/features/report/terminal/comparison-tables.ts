/** The tables of a comparison of two red-team scans. */

import { listOf, type Table, tableOf } from '../../../runtime/output/readable.ts';
import { intervalText, scanInterval } from '../../scans/chance.ts';
import type { ComparisonData } from '../../scans/collect/collect-comparison.ts';
import type { History, HistoryPoint } from '../../scans/collect/target-history.ts';
import { type Comparison, type Pair, type Reason, recordOf, shownOf } from '../../scans/compare.ts';
import { figure, share } from '../../scans/format.ts';
import { changeOf, commonOf, isSuccessful } from '../comparison-summary.ts';

const MAX_BAR_LENGTH = 10;

/** Shows success rates, with their intervals, and scores of both scans. */
export function numbersTable({ before, after, comparison }: ComparisonData): Table {
  const row = (name: string, [first, second]: readonly (number | undefined)[], bounds: readonly string[] = []) => ({
    number: name,
    first: shown(first) + (bounds[0] ?? ''),
    second: shown(second) + (bounds[1] ?? ''),
    change: signed(changeOf(first, second)),
  });
  const intervals = [before, after].map(({ job, asr }) => {
    const interval = scanInterval({ ...job, asr });
    return interval === undefined ? '' : ` (${intervalText(interval)})`;
  });
  const { attacks, ...common } = commonOf(comparison);
  const rates = [share(common.before, attacks), share(common.after, attacks)];
  const isPart = comparison.incomparable.length > 0 && attacks > 0;
  return tableOf([
    row('ASR %', [before.asr, after.asr], intervals),
    ...(isPart ? [row(`${attacks} in both`, rates)] : []),
    row('risk score', [before.score, after.score]),
  ]);
}

/** Minimum lines for fixed and for open attacks on a small screen. */
const LEAST = 2;

/** Lists new, fixed and open attacks, the worst of each first. @param room maximum number of lines */
export function changesTable({ new: added, fixed, open }: Comparison, room = Number.POSITIVE_INFINITY): Table {
  const reserved = Math.min(LEAST, fixed.length) + Math.min(LEAST, open.length);
  const first = added.slice(0, Math.max(1, room - reserved));
  const second = fixed.slice(0, Math.max(1, room - first.length - Math.min(LEAST, open.length)));
  const third = open.slice(0, Math.max(1, room - first.length - second.length));
  return attacksTable([...labelled('new', first), ...labelled('fixed', second), ...labelled('open', third)]);
}

/** Lists attacks that cannot be compared, but were successful in one of the scans. */
export function incomparableTable({ incomparable }: Comparison): Table {
  const rows = incomparable.filter(isSuccessful).map((pair) => [LABELS[pair.reason], pair] as const);
  return { ...attacksTable(rows), title: 'Successful, and not comparable' };
}

const LABELS: Readonly<Record<Reason, string>> = {
  'only-before': 'first only',
  'only-after': 'second only',
  changed: 'changed',
  unanswered: 'no answer',
};

function labelled(label: string, pairs: readonly Pair[]): (readonly [string, Pair])[] {
  return pairs.map((pair) => [label, pair] as const);
}

function attacksTable(rows: readonly (readonly [label: string, pair: Pair])[]): Table {
  const records = rows.map(([label, pair]) => {
    const { severity, where = [], text } = shownOf(pair) ?? {};
    const [before, after] = [recordOf(pair.before), recordOf(pair.after)];
    return {
      outcome: label,
      severity,
      kind: where.at(-1),
      before: rate(before?.asr),
      after: rate(after?.asr),
      attack: text,
      first_attack_id: before?.id,
      second_attack_id: after?.id,
    };
  });
  return listOf(records, { columns: ATTACK_COLUMNS }, FIRST_ATTACK_COLUMNS);
}

const FIRST_ATTACK_COLUMNS = ['outcome', 'severity', 'kind', 'before', 'after', 'attack'];
const ATTACK_COLUMNS = [...FIRST_ATTACK_COLUMNS, 'first_attack_id', 'second_attack_id'];

/** Lists the scans of a target, oldest first. */
export function historyTable({ points }: History, { before, after }: ComparisonData): Table {
  const [first, second] = [before.job.uuid, after.job.uuid];
  const roleOf = (id: string) => [id === first ? 'first' : '', id === second ? 'second' : ''].join(' ').trim();
  const records = points.map(({ id, name, finishedAt, asr, isWrong, score }: HistoryPoint) => ({
    scan_id: id,
    name,
    finished_at: finishedAt,
    asr: isWrong ? 'contradicted' : shown(asr),
    rate: '█'.repeat(Math.round(((asr ?? 0) / 100) * MAX_BAR_LENGTH)),
    score: shown(score),
    compared: roleOf(id),
  }));
  return listOf(records, { columns: SCAN_COLUMNS });
}

const SCAN_COLUMNS = ['scan_id', 'name', 'finished_at', 'asr', 'rate', 'score', 'compared'];

function shown(value: number | undefined): string {
  return value === undefined ? '' : figure(value);
}

/** Formats a difference with its sign. */
function signed(change: number | undefined): string {
  if (change === undefined) return '';
  return change > 0 ? `+${figure(change)}` : figure(change).replace('-', '−');
}

function rate(percent: number | undefined): string {
  return percent === undefined ? '' : `${Math.round(percent)} %`;
}
