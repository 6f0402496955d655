/** Tables, notes and progress lines of a bulk scan. */

import type { Tools } from '../../../lib/engine/command.ts';
import { listOf, type Table } from '../../../lib/output/readable.ts';
import { detectorsOf } from '../../../lib/output/verdict.ts';
import { grouped, plural } from '../../../lib/text/numbers.ts';
import type { Row } from './rows.ts';
import type { Counts, Summary } from './summary.ts';

/** Maximum number of characters of a prompt in a table. */
const SHOWN_CHARACTERS = 80;

/** Shows the first prompts of each kind that needs a review, and notes the rows that the counts omit. */
export function showTables(tools: Pick<Tools, 'show' | 'note'>, summary: Summary): void {
  const { blocked } = summary.counts();
  const kinds = [
    { title: 'Blocked prompts', rows: summary.shown('blocked'), of: blocked, table: blockedTable },
    { title: 'Prompts without a verdict', rows: summary.shown('failed'), of: summary.failed(), table: failedTable },
    {
      title: 'Prompts without a decision',
      rows: summary.shown('undecided'),
      of: summary.undecided(),
      table: openTable,
    },
  ];
  for (const { title, rows, of, table } of kinds) {
    if (rows.length === 0) continue;
    const count = rows.length < of ? ` (the first ${rows.length} of ${grouped(of)})` : '';
    tools.show(table(`${title}${count}`, rows));
  }
  for (const [action, count] of summary.others()) {
    tools.note(
      `${plural(count, 'prompt')} came back with the action ${action}: counted under errors, as neither allowed nor blocked.`,
    );
  }
}

function blockedTable(title: string, rows: readonly Row[]): Table {
  const columns = ['row', 'prompt', 'category', 'detected_by', 'scan_id'];
  // The category is the same in most rows, and a scan id in a whole batch.
  return listOf(rows.map(shown), { title, columns }, ['row', 'prompt', 'detected_by']);
}

function failedTable(title: string, rows: readonly Row[]): Table {
  const columns = ['row', 'prompt', 'status', 'error'];
  return listOf(rows.map(shown), { title, columns }, ['row', 'error', 'prompt']);
}

function openTable(title: string, rows: readonly Row[]): Table {
  const columns = ['row', 'prompt', 'action', 'category', 'decision_cause', 'scan_id'];
  return listOf(rows.map(shown), { title, columns }, ['row', 'prompt', 'decision_cause']);
}

function shown(row: Row) {
  return { ...row, prompt: short(row.prompt), detected_by: detectorsOf(row).join(', ') };
}

function short(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text;
}

/** Formats a progress line. @param of number of prompts, if known, in words */
export function progressLine({ total, blocked, errors }: Counts, of = ''): string {
  const failed = errors === 0 ? '' : `, ${plural(errors, 'error')}`;
  return `${grouped(total)}${of} prompts, ${grouped(blocked)} blocked${failed}`;
}
