/** A comparison of two red-team scans in a terminal: the difference, a line for each changed attack, the scans of the target. */
import { stripVTControlCharacters } from 'node:util';
import { intervalText, scanInterval } from '../../features/report/chance.ts';
import type { ComparisonData, Side } from '../../features/report/collect/collect-comparison.ts';
import { type LatestScan, latestRun, latestScans } from '../../features/report/collect/target-history.ts';
import {
  chanceIn,
  chanceText,
  changeOf,
  commonOf,
  isSuccessful,
  nounOf,
  reasonCounts,
  remarksOn,
  type ScanChance,
  shortChanceText,
} from '../../features/report/comparison-summary.ts';
import { figure, share } from '../../features/report/page/format.ts';
import { oneLine, sparkline } from '../../hosts/terminal/render/cells.ts';
import { marked } from '../../hosts/terminal/render/records/record-view.ts';
import { sanitize } from '../../hosts/terminal/render/sanitize.ts';
import { renderPart } from '../../hosts/terminal/render/table.ts';
import { cut, type Page, wrapped } from '../../hosts/terminal/render/wrap.ts';
import type { SubcommandContext } from '../../hosts/terminal/subcommand.ts';
import { SIMULATED } from '../../output/markdown.ts';
import type { Readable, Table } from '../../output/readable.ts';
import { ageOf } from '../../project/printed.ts';
import { plural } from '../../text/numbers.ts';
import type { Collection } from '../tools/scans.ts';
import { changesTable, historyTable, incomparableTable, numbersTable, signed } from './tables.ts';

interface ComparisonView {
  /** Show all attacks and columns, and ids in full. */
  readonly wide: boolean;
  /** Lines of the terminal; undefined where the output has no end. */
  readonly rows: number | undefined;
  /** For ages; in milliseconds since the epoch. */
  readonly now: number;
}

const FEWEST_CHANGES = 3;
const MAX_SCANS = 4;

/** The parts of a comparison, for markdown. */
export function comparisonReadable(data: ComparisonData): Readable {
  const { comparison, histories, simulated } = data;
  const incomparable = incomparableTable(comparison);
  const scans = histories.map((history) => ({
    ...historyTable(history, data),
    title: `${data.type} scans of ${history.target ?? 'the target'}`,
  }));
  return {
    title: `Comparison: ${verdictOf(data)}`,
    simulated,
    tables: [
      numbersTable(data),
      changesTable(comparison),
      ...(incomparable.rows.length === 0 ? [] : [incomparable]),
      ...scans,
    ],
    notes: [...chanceNotes(data), ...remarksOn(data), summaryOf(data)],
  };
}

/** Renders the comparison; without `wide` it fits the terminal. */
export async function renderComparison(data: ComparisonData, page: Page, view: ComparisonView): Promise<string> {
  const { comparison, histories } = data;
  const { wide, rows } = view;
  const head = [...headOf(data, page), ...numberLines(data, page)];
  const scans = await Promise.all(
    histories.map((history) => listed(lastOf(historyTable(history, data), wide), page, view)),
  );
  const remarks = remarksOn(data).flatMap((text) => wrapped(sanitize(text), page.width, page.measure));
  const blocks = [...scans, remarks].filter(({ length }) => length > 0);
  const { new: added, fixed, open } = comparison;
  const count = added.length + fixed.length + open.length;
  const isCut = !wide && comparison.incomparable.some(isSuccessful);
  const summary = (hidden: number) => {
    const rest = hidden > 0 ? ` ${plural(hidden, 'more change')} and all columns: --wide` : isCut ? ' All: --wide' : '';
    return wrapped(summaryOf(data) + rest, page.width, page.measure);
  };
  // The prompt of the shell needs a line, the list its headings, and each block a blank line.
  const used = 1 + head.length + 2 + blocks.flat().length + blocks.length + summary(count).length + 1;
  const room = wide || rows === undefined ? Number.POSITIVE_INFINITY : Math.max(FEWEST_CHANGES, rows - used);
  const changes = changesTable(comparison, room);
  const incomparable = wide ? incomparableTable(comparison) : undefined;
  const parts = [
    head,
    count === 0 ? [] : await listed(changes, page, view),
    incomparable === undefined || incomparable.rows.length === 0 ? [] : await listed(incomparable, page, view),
    ...blocks,
    summary(count - changes.rows.length),
  ];
  return parts
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

async function listed(table: Table, page: Page, view: ComparisonView): Promise<readonly string[]> {
  return (await renderPart(table, '', page, view)).lines;
}

/** Keeps the newest scans and the compared scans. */
function lastOf(table: Table, wide: boolean): Table {
  if (wide) return table;
  const first = table.rows.length - MAX_SCANS;
  return { ...table, rows: table.rows.filter((row, at) => at >= first || row.at(-1) !== '') };
}

function chanceNotes(data: ComparisonData): string[] {
  const chance = chanceIn(data);
  return chance === undefined ? [] : [`The difference is ${chanceText(chance)}.`];
}

function verdictOf({ comparison: { new: added, fixed, open } }: ComparisonData): string {
  return `${added.length} new, ${fixed.length} fixed, ${open.length} still open`;
}

function headOf(data: ComparisonData, page: Page): string[] {
  const { style } = page;
  const verdict = verdictOf(data);
  const target = oneLine(sanitize(data.after.job.target_name ?? ''));
  const width = page.width - verdict.length - (data.simulated ? SIMULATED.length + 4 : 2);
  const rest = `  ${cut([target, data.type].filter((part) => part !== '').join('  '), { ...page, width: Math.max(1, width) })}`;
  const paint = data.comparison.new.length > 0 ? style.red : style.green;
  return marked({ plain: verdict + rest, painted: style.bold(paint(verdict)) + rest }, data.simulated, page);
}

function numberLines(data: ComparisonData, page: Page): string[] {
  const { before, after, comparison, type } = data;
  const { attacks, before: first, after: second } = commonOf(comparison);
  const rates: Values = [share(first, attacks), share(second, attacks)];
  const more = `  of the ${plural(attacks, nounOf(type))} in both`;
  const chance = chanceIn(data);
  return [
    rateLine([before, after], page),
    ...(chance === undefined ? [] : chanceLines(chance, page)),
    ...(comparison.incomparable.length === 0 || attacks === 0 ? [] : [numberLine('', rates, page, ' %') + more]),
    withRoom(numberLine('score', [before.score, after.score], page), trendOf(data), page),
  ];
}

/** Width of the names of the numbers. */
const INDENT = 7;

function indented(text: string): string {
  return ' '.repeat(INDENT) + text;
}

function chanceLines(chance: ScanChance, page: Page): string[] {
  const long = indented(chanceText(chance));
  if (fits(long, page)) return [long];
  return wrapped(shortChanceText(chance), page.width - INDENT, page.measure).map(indented);
}

type Values = readonly [number | undefined, number | undefined];

function numberLine(name: string, values: Values, { style }: Page, unit = '', hints: readonly string[] = []): string {
  const change = changeOf(...values);
  const paint = (change ?? 0) > 0 ? style.red : style.green;
  const texts = values.map((value, at) =>
    value === undefined ? 'not reported' : figure(value) + unit + (hints[at] ?? ''),
  );
  const shown = change === undefined || change === 0 ? '' : `  ${paint(signed(change))}`;
  return `${name.padEnd(INDENT - 2)}  ${texts.join(' → ')}${shown}`;
}

/** Renders the success rates, with their intervals where there is room. */
function rateLine(sides: readonly [Side, Side], page: Page): string {
  const values: Values = [sides[0].asr, sides[1].asr];
  const intervals = sides.map(({ job, asr }) => scanInterval({ ...job, asr }));
  const short = numberLine('ASR', values, page, ' %');
  if (intervals.every((interval) => interval === undefined)) return short;
  const hints = intervals.map((interval) => (interval === undefined ? '' : ` (${intervalText(interval)})`));
  const long = `${numberLine('ASR', values, page, ' %', hints)}  95 % intervals`;
  return fits(long, page) ? long : short;
}

/** Draws the scores of the target's scans of the same attacks. */
function trendOf({ histories, sameTarget }: ComparisonData): string {
  const [history] = sameTarget ? histories : [];
  const scores = latestRun(history?.points ?? []).map(({ score }) => score);
  return scores.length < 2 ? '' : `  ${sparkline(scores)}  in ${plural(scores.length, 'scan')} of the target`;
}

function withRoom(line: string, more: string, page: Page): string {
  return fits(line + more, page) ? line + more : line;
}

function fits(line: string, { width, measure }: Page): boolean {
  return measure(stripVTControlCharacters(line)) <= width;
}

function summaryOf({ comparison }: ComparisonData): string {
  const { withstood, incomparable } = comparison;
  const reasons = reasonCounts(comparison).map(({ text, count, successful }) => {
    const hits = successful === 0 ? '' : ` (${successful} successful)`;
    return `${count} ${text}${hits}`;
  });
  const rest = incomparable.length === 0 ? '' : `, ${incomparable.length} not comparable: ${reasons.join(', ')}`;
  return `${withstood.length} withstood in both${rest}.`;
}

const SHORT_ID = 8;

/** @returns the ids, the earlier scan first @throws AisecError as `latestScans` does */
export async function latestIds(
  typed: string,
  { options, screen }: Pick<SubcommandContext, 'options' | 'screen'>,
  { run, createdAt }: Pick<Collection, 'run' | 'createdAt'>,
): Promise<readonly [before: string, after: string]> {
  const { target, before, after, passedOver } = await latestScans(typed, run);
  const shown = (scan: LatestScan) => described(scan, createdAt);
  if (!options.quiet) {
    screen.note(`note: the latest two complete scans of ${label(target)}: ${shown(before)}, then ${shown(after)}.`);
    const newer = passedOver.map(shown).join(', ');
    if (newer !== '') screen.note(`note: newer scans without an earlier one of their type: ${newer}.`);
  }
  return [before.id, after.id];
}

function described({ id, name, type, finishedAt }: LatestScan, now: number): string {
  const age = finishedAt === undefined ? 'of unknown age' : `${ageOf(finishedAt, now)} old`;
  const words = [name === undefined ? undefined : label(name), type, age].filter((word) => word !== undefined);
  return `${id.slice(0, SHORT_ID)} (${words.join(', ')})`;
}

function label(text: string): string {
  return sanitize(oneLine(text)).slice(0, 60);
}
