/** One step of a bulk scan: all of it where a command may take its time, a slice of it where it may not. */
import { Planned } from '../../lib/api/planned.ts';
import { conduct } from '../../lib/bulk/conduct.ts';
import type { Tools } from '../../lib/command.ts';
import { type AisecError, CancelledError, PartialError, toAisecError, UsageError } from '../../lib/errors.ts';
import type { Step } from '../../lib/job.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Journal } from '../../lib/ports.ts';
import { grouped, plural } from '../../lib/text/numbers.ts';
import { type InputArguments, openSource, type Source } from './bulk-input.ts';
import { fromJournal, fromPosition, notesIn, type Position, type Restored } from './bulk-journal.ts';
import { type Output, openOutput } from './bulk-output.ts';
import { createRun, FEW, type Plan, type Run } from './bulk-run.ts';
import { progressLine, tell } from './bulk-tables.ts';

export interface Asked extends InputArguments {
  readonly plan: Plan;
  readonly resume: boolean;
}

/** Goes on from a position. @throws AisecError when nothing came of it, least of all a verdict */
export async function bulkStep(position: JsonObject, asked: Asked, tools: Tools): Promise<Step> {
  const source = await openSource(asked.plan.subject, asked, tools);
  let journal: Journal | undefined;
  try {
    // Where it cannot be written, that is found before a prompt is sent and counted.
    journal = tools.dryRun ? undefined : await tools.files.journal(source.name, asked.resume);
    const restored = journal?.continued === true ? await fromJournal(journal) : fromPosition(position);
    sayWhereItBegins(asked, journal, restored, tools);
    const output = openOutput(tools, journal);
    const report = reporting(source, output, tools);
    const place = { source, restored, notes: notesIn(journal), output, report };
    const run = createRun(asked.plan, tools, place);
    const failure = await played(run, source, asked, tools);
    if (failure !== undefined) return await stopped(failure, run, journal, output, tools);
    if (run.isComplete()) return await complete(output, tools);
    if (tools.until === undefined) throw new Error('the bulk scan has prompts left and nothing to do with them');
    return paused(run, output, tools);
  } finally {
    await source.column.close();
    await journal?.leave();
  }
}

function sayWhereItBegins(
  { resume }: Asked,
  journal: Journal | undefined,
  { uncertain }: Restored,
  tools: Tools,
): void {
  if (resume && journal?.continued === false) tools.note('There was nothing to resume: the run began anew.');
  if (journal?.aside !== undefined) {
    const { name } = journal.aside;
    tools.note(
      `An earlier run of these prompts did not end; its results are in ${name}. resume=true goes on with one.`,
    );
  }
  if (uncertain > 0) {
    const prompts = plural(uncertain, 'prompt');
    tools.note(`${prompts} were being sent when the run stopped: they are scanned again, and may count twice.`);
  }
}

/** Plays the run as far as it goes. @returns what ended it before its time */
async function played(run: Run, source: Source, asked: Asked, tools: Tools): Promise<AisecError | undefined> {
  try {
    await conduct({ next: run.next, lanes: run.lanes, clock: tools.clock });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Planned)) return toAisecError(thrown);
    tools.note(await planOf(run, source, asked));
    throw thrown;
  }
}

/** What a run would take of a quota. */
async function planOf(run: Run, { column }: Source, { plan }: Asked): Promise<string> {
  let count = run.prompts();
  for (let items = await column.next(); items !== undefined; items = await column.next()) count += items.length;
  const requests = count < FEW ? count : Math.ceil(count / plan.batchSize);
  return `${plural(count, 'prompt')} would be scanned, sent in ${plural(requests, 'request')}.`;
}

async function complete(output: Output, tools: Tools): Promise<Step> {
  const { summary } = output;
  const failure = summary.failure();
  const file = await output.finish(failure === undefined);
  if (failure !== undefined) throw failure;
  if (file !== undefined) tools.saved(file);
  tell(tools, summary, file);
  const failed = summary.failed();
  const partly =
    failed === 0
      ? undefined
      : new PartialError(`${grouped(failed)} of ${plural(summary.counts().total, 'prompt')} have no verdict.`, {
          hint: 'Each of them says why, under error in its result.',
        });
  return { wire: wireOf(output), failure: partly };
}

/** Something ended the run. What it has is kept, if it has anything, and can be gone on with. */
async function stopped(
  failure: AisecError,
  run: Run,
  journal: Journal | undefined,
  output: Output,
  tools: Tools,
): Promise<Step> {
  const { summary } = output;
  const { total } = summary.counts();
  const isContinued = journal?.continued === true;
  if (!isContinued && total === summary.failed() && run.pending().length === 0) {
    await output.finish(false);
    throw failure;
  }
  const kept = await output.leave();
  // Another input than the earlier run had: its counts would be those of other prompts.
  if (isContinued && failure instanceof UsageError) throw failure;
  tell(tools, summary, undefined);
  tools.note(`The run stopped after ${plural(total, 'prompt')}: the counts are those of the results so far.`);
  if (kept !== undefined) tools.saved(kept);
  if (journal !== undefined)
    tools.note('Go on with the same line and resume=true: nothing that has a result is scanned again.');
  const stop =
    failure instanceof CancelledError ? new CancelledError(`Stopped after ${plural(total, 'prompt')}.`) : failure;
  return { wire: wireOf(output), failure: stop };
}

function paused(run: Run, output: Output, tools: Tools): Step {
  const { clock } = tools;
  const waiting = output.waiting().map((row) => ({ ...row, prompt: undefined }));
  const taken = run.pending().map(({ id, prompts, since }) => ({ scan: id, rows: Array.from(prompts.keys()), since }));
  const position: Position = { rows: output.done(), found: waiting, taken, batch: run.batchSize() };
  const lookAt = run
    .pending()
    .reduce((least, scan) => Math.min(least, scan.lookAt), clock.elapsed() + LONGEST_PAUSE_MS);
  const progress = progressLine(output.summary, 0, undefined);
  return { position: { ...position }, waitMs: Math.max(0, lookAt - clock.elapsed()), progress };
}

const LONGEST_PAUSE_MS = 5000;

function wireOf({ summary }: Output) {
  return { ...summary.counts(), results: summary.results() };
}

/** Tells how far it is, a few times a second. */
function reporting({ column, size }: Source, { summary }: Output, { clock, progress }: Tools) {
  const start = clock.elapsed();
  let toldAt = start;
  return (prompts: number) => {
    const now = clock.elapsed();
    if (now - toldAt < BETWEEN_MS) return;
    toldAt = now;
    const share = size === undefined || size === 0 ? 0 : Math.min(1, column.bytes() / size);
    const of = share === 0 ? undefined : Math.max(prompts, Math.round(prompts / share));
    progress(progressLine(summary, (now - start) / 1000, of));
  };
}

const BETWEEN_MS = 250;
