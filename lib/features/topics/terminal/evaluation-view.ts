/** Shows the evaluation of a topic. */
import type { AisecError } from '../../../core/errors.ts';
import { plural } from '../../../core/text/numbers.ts';
import { isForPrograms } from '../../../hosts/terminal/line/options.ts';
import { readableText } from '../../../hosts/terminal/result/page.ts';
import { printLong } from '../../../hosts/terminal/result/print-long.ts';
import { jsonText } from '../../../hosts/terminal/ui/json.ts';
import { listOf, type Readable, type Table, tableOf } from '../../../runtime/output/readable.ts';
import type { Hit } from '../hits.ts';
import type { TopicInForce } from '../in-force.ts';
import type { Labelled } from '../labelled.ts';
import { type Counts, METRICS, type Measured, type Metric } from '../metrics.ts';
import type { TopicsContext } from './flags.ts';
import { type Limit, percent, TITLES } from './limits.ts';

export interface Evaluation {
  readonly topic: TopicInForce;
  readonly rows: readonly Labelled[];
  /** One answer for each row. */
  readonly hits: readonly Hit[];
  readonly counts: Counts;
  readonly metrics: Readonly<Record<Metric, Measured>>;
  readonly limits: readonly Limit[];
  readonly simulated: boolean;
  /** The failure of the bulk scan. */
  readonly failure: AisecError | undefined;
}

/** Maximum number of prompts without an answer that a table lists. */
const MAX_OPEN = 20;

/** A prompt whose answer differs from its label. */
interface Miss extends Labelled {
  readonly kind: 'false negative' | 'false positive';
}

type Planned = Pick<Evaluation, 'topic' | 'rows' | 'simulated'>;

/** Prints metrics, misses, and prompts without an answer. */
export async function showEvaluation(evaluation: Evaluation, cli: TopicsContext): Promise<void> {
  if (isForPrograms(cli.format)) return cli.screen.result(jsonText(evaluationJson(evaluation), cli.screen.terminal));
  await printLong(await readableText(evaluationReadable(evaluation), cli), cli);
}

/** Prints what would be scanned. */
export async function showPlan({ topic, rows, simulated }: Planned, cli: TopicsContext): Promise<void> {
  const positive = rows.filter(({ expected }) => expected).length;
  if (isForPrograms(cli.format)) {
    const planned = { ...about(topic), rows: rows.length, positive, negative: rows.length - positive, dry_run: true };
    return cli.screen.result(jsonText({ ...planned, ...(simulated ? { simulated } : {}) }, cli.screen.terminal));
  }
  const notes = [
    `${plural(rows.length, 'prompt')} would be scanned against the profile ${topic.profile}: ${positive} on the topic, ${rows.length - positive} off it.`,
    `It would use up ${plural(rows.length, 'scan')} of the runtime licence. Nothing was scanned.`,
    ...remarksOn(topic),
  ];
  await printLong(await readableText({ title: titleOf(topic), simulated, tables: [], notes }, cli), cli);
}

function titleOf({ topic, action, profile, revision }: TopicInForce): string {
  return `${topic} (${action})  profile ${profile}${revision === undefined ? '' : `, revision ${revision}`}`;
}

function about({ topic, action, profile, revision, pinned }: TopicInForce) {
  return { topic, action, topic_revision: pinned ?? null, profile_name: profile, profile_revision: revision ?? null };
}

function remarksOn({ pinned, newest }: TopicInForce): string[] {
  return pinned === undefined || newest === undefined || pinned === newest
    ? []
    : [`The profile has revision ${pinned} of the topic, and the newest one is ${newest}: the profile decides.`];
}

function evaluationReadable({ topic, rows, hits, counts, metrics, limits, simulated }: Evaluation): Readable {
  const misses = missesIn(rows, hits);
  const tables = [
    metricsTable(metrics, limits),
    missesTable('Missed: on the topic, and not matched', misses, 'false negative'),
    missesTable('False alarms: off the topic, and matched', misses, 'false positive'),
    unscannedTable(rows, hits),
  ];
  return {
    title: titleOf(topic),
    simulated,
    tables: tables.filter((table) => table.rows.length > 0),
    notes: [...missingNotes(metrics), ...remarksOn(topic), summaryOf(counts, rows.length)],
  };
}

function summaryOf(counts: Counts, rows: number): string {
  const { truePositives, falseNegatives, trueNegatives, falsePositives, unscanned } = counts;
  const open = unscanned === 0 ? '' : `, ${unscanned} without an answer`;
  return `${plural(rows, 'prompt')}: ${truePositives} matched and ${falseNegatives} missed on the topic, ${trueNegatives} clear and ${plural(falsePositives, 'false alarm')} off it${open}.`;
}

function metricsTable(metrics: Evaluation['metrics'], limits: readonly Limit[]): Table {
  const rows = METRICS.flatMap((metric) => {
    const measured = metrics[metric];
    if ('missing' in measured) return [];
    const { value, interval } = measured;
    const limit = limits.find((each) => each.metric === metric);
    const state = limit === undefined ? '' : value >= limit.least ? 'passed' : 'failed';
    return [
      {
        metric: TITLES[metric],
        value: percent(value),
        '95 %': `${percent(interval.low)} to ${percent(interval.high)}`,
        of: metric === 'f1' ? '' : `${measured.part} of ${measured.whole}`,
        ...(limits.length === 0 ? {} : { minimum: limit === undefined ? '' : percent(limit.least), verdict: state }),
      },
    ];
  });
  return tableOf(rows);
}

function missingNotes(metrics: Evaluation['metrics']): string[] {
  const reasons = new Map<string, string[]>();
  for (const metric of METRICS) {
    const measured = metrics[metric];
    if ('missing' in measured)
      reasons.set(measured.missing, [...(reasons.get(measured.missing) ?? []), TITLES[metric]]);
  }
  return [...reasons].map(([why, names]) => `Not computed: ${names.join(', ')}. ${why}`);
}

function missesIn(rows: readonly Labelled[], hits: readonly Hit[]): readonly Miss[] {
  return rows.flatMap((row, at) =>
    typeof hits[at] !== 'boolean' || hits[at] === row.expected
      ? []
      : [{ ...row, kind: row.expected ? ('false negative' as const) : ('false positive' as const) }],
  );
}

function missesTable(title: string, misses: readonly Miss[], wanted: Miss['kind']): Table {
  const rows = misses.filter(({ kind }) => kind === wanted).map(({ line, prompt }) => ({ line, prompt }));
  return listOf(rows, { title, columns: ['line', 'prompt'] });
}

function unscannedTable(rows: readonly Labelled[], hits: readonly Hit[]): Table {
  const open = rows.flatMap(({ line, prompt }, at) => {
    const hit = hits[at];
    return typeof hit === 'object' ? [{ line, why: hit.unknown, prompt }] : [];
  });
  const title =
    open.length > MAX_OPEN ? `Without an answer: the first ${MAX_OPEN} of ${open.length}` : 'Without an answer';
  return listOf(open.slice(0, MAX_OPEN), { title, columns: ['line', 'why', 'prompt'] });
}

function evaluationJson({ topic, rows, hits, counts, metrics, limits, simulated }: Evaluation) {
  const unscanned = rows.flatMap(({ line }, at) => {
    const hit = hits[at];
    return typeof hit === 'object' ? [{ line, why: hit.unknown }] : [];
  });
  return {
    ...about(topic),
    rows: rows.length,
    complete: unscanned.length === 0,
    counts: {
      true_positives: counts.truePositives,
      false_negatives: counts.falseNegatives,
      true_negatives: counts.trueNegatives,
      false_positives: counts.falsePositives,
      unscanned: counts.unscanned,
    },
    metrics: Object.fromEntries(METRICS.map((metric) => [metric, measuredJson(metrics[metric])])),
    limits: limits.map(({ metric, least }) => ({ metric, minimum: least, passed: passes(metrics[metric], least) })),
    misses: missesIn(rows, hits).map(({ line, kind, prompt }) => ({ line, kind, prompt })),
    unscanned,
    ...(simulated ? { simulated } : {}),
  };
}

function passes(measured: Measured, least: number): boolean {
  return !('missing' in measured) && measured.value >= least;
}

function measuredJson(measured: Measured) {
  return 'missing' in measured
    ? { value: null, why: measured.missing }
    : { value: measured.value, low: measured.interval.low, high: measured.interval.high };
}
