/** A comparison of two red-team scans in a terminal: the difference, a line for each changed attack, the scans of the target. */

import type { Collection } from '../../../client/report-pages.ts';
import { plural } from '../../../core/text/numbers.ts';
import type { SubcommandContext } from '../../../hosts/terminal/line/subcommand.ts';
import { marked } from '../../../hosts/terminal/result/records/record-view.ts';
import { renderPart } from '../../../hosts/terminal/result/table.ts';
import { oneLineCell } from '../../../hosts/terminal/ui/cells.ts';
import { sanitize } from '../../../hosts/terminal/ui/sanitize.ts';
import { cut, type Page, wrapped } from '../../../hosts/terminal/ui/wrap.ts';
import { SIMULATED } from '../../../runtime/output/markdown.ts';
import type { Readable, Table } from '../../../runtime/output/readable.ts';
import { ageOf } from '../../../runtime/select/printed.ts';
import type { ComparisonData } from '../../scans/collect/collect-comparison.ts';
import { type LatestScan, latestScans } from '../../scans/collect/target-history.ts';
import { chanceIn, chanceText, isSuccessful, reasonCounts, remarksOn } from '../comparison-summary.ts';
import { changesTable, historyTable, incomparableTable, numbersTable } from './comparison-tables.ts';

interface ComparisonView {
  /** Show all attacks and columns, and ids in full. */
  readonly wide: boolean;
  /** Lines of the terminal; undefined if the output has no height limit. */
  readonly rows: number | undefined;
  /** Current time in milliseconds since the epoch, to compute ages. */
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
  // Leave room for the shell prompt, the headings of the list, and a blank line for each block.
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
  const target = oneLineCell(sanitize(data.after.job.target_name ?? ''));
  const width = page.width - verdict.length - (data.simulated ? SIMULATED.length + 4 : 2);
  const rest = `  ${cut([target, data.type].filter((part) => part !== '').join('  '), { ...page, width: Math.max(1, width) })}`;
  const paint = data.comparison.new.length > 0 ? style.red : style.green;
  return marked({ plain: verdict + rest, painted: style.bold(paint(verdict)) + rest }, data.simulated, page);
}

/** Shows success rates and scores, and whether their difference may be due to chance. */
function numberLines(data: ComparisonData, { width, measure, style }: Page): string[] {
  const { rows } = numbersTable(data);
  const widest = rows.reduce((most, [name = '']) => Math.max(most, name.length), 0);
  const lines = rows.flatMap(([name = '', first, second, change = '']) => {
    const start = `${name.padEnd(widest)}  ${first || 'not reported'} → ${second || 'not reported'}  `;
    if (measure(start + change) > width) return wrapped(start + change, width, measure);
    return (start + (change.startsWith('+') ? style.red : style.green)(change)).trimEnd();
  });
  const chance = chanceIn(data);
  return [...lines, ...(chance === undefined ? [] : wrapped(chanceText(chance), width, measure))];
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
  return sanitize(oneLineCell(text)).slice(0, 60);
}
