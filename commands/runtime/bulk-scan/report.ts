/** The reports of a bulk scan: progress, tables, and notes on resuming, repeated scans and truncation. */

import type { Journal, SavedFile } from '../../../lib/core/ports.ts';
import { grouped, plural } from '../../../lib/core/text/numbers.ts';
import { SHARDS } from '../../../lib/runtime/bulk/shards.ts';
import type { Tools } from '../../../lib/runtime/engine/command.ts';
import { listOf } from '../../../lib/runtime/output/readable.ts';
import { detectorsOf } from '../../../lib/runtime/output/verdict.ts';
import type { Source } from './input.ts';
import type { Output } from './output.ts';
import type { Input } from './replay.ts';
import { resumeNote } from './restore.ts';
import type { Counts, Row } from './rows.ts';
import type { Restored } from './state.ts';
import type { Summary } from './summary.ts';

/** Maximum number of characters of a prompt in a table. */
const SHOWN_CHARACTERS = 80;
/** Time between two reports of progress, in milliseconds. */
const BETWEEN_MS = 250;

/** Notes whether the run continues an earlier run. */
export function noteResume(resume: boolean, journal: Journal | undefined, restored: Restored, tools: Tools): void {
  const { simulated, accepted } = restored;
  if (resume && journal?.continued === false) tools.note('There was nothing to resume: the run began again.');
  if (resume && journal?.continued === true) {
    const note = resumeNote(restored, tools.port(SHARDS) !== undefined);
    tools.note(note);
    tools.progress(note);
  }
  if (journal?.previous !== undefined) {
    const { name } = journal.previous;
    tools.note(
      `An earlier run of these prompts did not end; its results are in ${name}. resume=true continues such a run.`,
    );
  }
  if (journal?.continued === true && simulated === true && accepted.length > 0) tools.note(SIMULATION_LOST);
}

const SIMULATION_LOST =
  'This is a rehearsal. The simulated service of --simulate ends with its process, and loses the prompts that it was scanning; `aisec simulate` runs as a separate process and still has them.';

/** Notes how many prompts may have been scanned twice, in the result and as a warning in every output format. */
export function noteRepeatedScans(again: readonly number[], { note, warn }: Tools): void {
  if (again.length === 0) return;
  const prompts = new Set(again).size;
  const ones = prompts === again.length ? '' : ` (${grouped(prompts)} different ones)`;
  const sentence = `${plural(again.length, 'prompt')}${ones} were being sent when the run stopped, or lost its connection: they are scanned again, and may count twice.`;
  note(sentence);
  warn(sentence);
}

/** Notes how many rows the context and the tables have. @param file file with all rows */
export function noteTruncation(summary: Summary, kept: number, file: SavedFile | undefined, tools: Tools): void {
  const { total } = summary.counts;
  if (summary.isWhole()) {
    const shown = summary.inTables();
    if (file !== undefined && shown < total)
      tools.note(`The tables show ${grouped(shown)} of ${grouped(total)} rows; all rows are in ${file.name}.`);
    return;
  }
  const where = file === undefined ? '' : `; all of them are in ${file.name}`;
  const note = `The context holds ${grouped(kept)} of ${grouped(total)} results${where}.`;
  if (file !== undefined || tools.stream === undefined) tools.note(note);
  if (kept < total) tools.truncated({ kept, total, file, note, isForSize: true });
}

/** Tables of prompts that need a review. If there is no room for all columns, a table has the `main` columns. */
const TABLES = [
  {
    title: 'Blocked prompts',
    kind: 'blocked',
    columns: ['row', 'prompt', 'category', 'detected_by', 'scan_id'],
    // Most rows have the same category, and all rows of a batch the same scan id.
    main: ['row', 'prompt', 'detected_by'],
  },
  {
    title: 'Prompts without a verdict',
    kind: 'failed',
    columns: ['row', 'prompt', 'status', 'error'],
    main: ['row', 'error', 'prompt'],
  },
  {
    title: 'Prompts without a decision',
    kind: 'undecided',
    columns: ['row', 'prompt', 'action', 'category', 'decision_cause', 'scan_id'],
    main: ['row', 'prompt', 'decision_cause'],
  },
] as const;

/** Shows the first prompts of each kind that needs a review, and adds notes about rows that the counts omit. */
export function showTables({ show, note }: Pick<Tools, 'show' | 'note'>, summary: Summary): void {
  const { counts, more, others } = summary;
  const all = { ...more, blocked: counts.blocked };
  for (const { title, kind, columns, main } of TABLES) {
    const rows = summary.shown[kind];
    if (rows.length === 0) continue;
    const count = rows.length < all[kind] ? ` (the first ${rows.length} of ${grouped(all[kind])})` : '';
    show(listOf(rows.map(shownRow), { title: `${title}${count}`, columns }, main));
  }
  others.forEach((count, action) => {
    note(
      `${plural(count, 'prompt')} came back with the action ${action}: counted under errors, as neither allowed nor blocked.`,
    );
  });
}

function shownRow(row: Row) {
  const { prompt } = row;
  const short = prompt.length > SHOWN_CHARACTERS ? `${prompt.slice(0, SHOWN_CHARACTERS)}...` : prompt;
  return { ...row, prompt: short, detected_by: detectorsOf(row).join(', ') };
}

/** Formats a progress line. @param of the total number of prompts in words, if it is known */
export function bulkProgressLine({ total, blocked, errors }: Counts, of = ''): string {
  const failed = errors === 0 ? '' : `, ${plural(errors, 'error')}`;
  return `${grouped(total)}${of} prompts, ${grouped(blocked)} blocked${failed}`;
}

/** Creates a function that reports progress a few times a second. */
export function reporting(output: Output, source: Source, { clock, progress }: Tools) {
  let reportedAt = clock.elapsed();
  return (input: Pick<Input, 'count' | 'isOver'>) => {
    const now = clock.elapsed();
    if (now - reportedAt < BETWEEN_MS) return;
    reportedAt = now;
    const done = output.counts();
    const total = totalOf(input, source);
    const of = total === undefined ? '' : ` of ${input.isOver ? '' : 'about '}${grouped(total)}`;
    progress(bulkProgressLine(done, of), { done: done.total, total });
  };
}

/** Returns the number of all prompts; before the end of the input, an estimate from its size. */
function totalOf({ count, isOver }: Pick<Input, 'count' | 'isOver'>, { column, size }: Source): number | undefined {
  if (isOver) return count;
  const read = column.bytes();
  if (size === undefined || count === 0 || read === 0) return undefined;
  return Math.max(count, Number(((count * size) / read).toPrecision(2)));
}
