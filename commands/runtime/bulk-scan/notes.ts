/** Notes of a bulk scan: resume, repeated scans, truncation. */
import { SHARDS } from '../../../lib/bulk/shards.ts';
import type { Journal, SavedFile } from '../../../lib/core/ports.ts';
import type { Tools } from '../../../lib/engine/command.ts';
import { grouped, plural } from '../../../lib/text/numbers.ts';
import type { Output } from './output.ts';
import { resumeNote } from './restore.ts';
import type { Restored } from './restored.ts';

/** Notes whether the run continues an earlier one. */
export function noteResume(
  { resume }: { resume: boolean },
  journal: Journal | undefined,
  restored: Restored,
  tools: Tools,
): void {
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
  'This is a rehearsal. The simulated service of --simulate ends with its process, and prompts that it was scanning are missing then; `aisec simulate`, a process of its own, still has them.';

/** Notes how many prompts may have been scanned twice, in the result and as a warning in every output format. */
export function noteRepeatedScans(again: readonly number[], { note, warn }: Tools): void {
  if (again.length === 0) return;
  const prompts = new Set(again).size;
  const ones = prompts === again.length ? '' : ` (${grouped(prompts)} different ones)`;
  const sentence = `${plural(again.length, 'prompt')}${ones} were being sent when the run stopped, or lost its connection: they are scanned again, and may count twice.`;
  note(sentence);
  warn(sentence);
}

/** Notes how many rows the context has. @param file file with all rows */
export function noteTruncation({ summary }: Output, kept: number, file: SavedFile | undefined, tools: Tools): void {
  if (summary.isWhole()) return;
  const { total } = summary.counts();
  const where = file === undefined ? '' : `; all of them are in ${file.name}`;
  const note = `The context holds ${grouped(kept)} of ${grouped(total)} results${where}.`;
  if (file !== undefined || tools.stream === undefined) tools.note(note);
  if (kept < total) tools.truncated({ kept, total, file, note, isForSize: true });
}
