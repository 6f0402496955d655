/** Runs one step of a bulk scan: all of it, or one time slice if the host limits the time of a command. */

import {
  type AisecError,
  CancelledError,
  ConfigurationError,
  PartialError,
  TimeoutError,
  toAisecError,
  UsageError,
} from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import type { Journal, SavedFile } from '../../../lib/core/ports.ts';
import { grouped, plural } from '../../../lib/core/text/numbers.ts';
import { Planned } from '../../../lib/runtime/api/call.ts';
import { runPool } from '../../../lib/runtime/bulk/run-pool.ts';
import { SHARDS } from '../../../lib/runtime/bulk/shards.ts';
import type { Tools } from '../../../lib/runtime/engine/command.ts';
import type { Step } from '../../../lib/runtime/engine/job.ts';
import { keepPrompts, readCheckpoint, writeCheckpoint } from './checkpoint.ts';
import { type InputArguments, openSource } from './input.ts';
import { Output } from './output.ts';
import { bulkProgressLine, noteRepeatedScans, noteResume, noteTruncation, reporting, showTables } from './report.ts';
import { fromJournal } from './restore.ts';
import { FEW, OwnRun, type Run, type RunOptions, type Work } from './run.ts';
import { spreadRun } from './spread.ts';
import { Notes, RESUME } from './state.ts';

export interface BulkArgs extends InputArguments {
  readonly options: RunOptions;
  readonly resume: boolean;
  readonly output_file: string | undefined;
}

/** Continues the run from a position. @throws AisecError if the run produced no result */
export async function bulkStep(position: JsonObject, args: BulkArgs, tools: Tools): Promise<Step> {
  const start = tools.clock.elapsed();
  const { options } = args;
  const source = await openSource(options.subject, args, tools, Object.keys(position).length === 0);
  let journal: Journal | undefined;
  let run: Run | undefined;
  try {
    // An unwritable journal must fail before a prompt is sent and billed.
    journal = tools.dryRun ? undefined : await tools.files.journal(source.name, args.resume);
    const restored = journal?.continued === true ? await fromJournal(journal) : await readCheckpoint(position, tools);
    noteResume(args.resume, journal, restored, tools);
    const output = new Output(tools, journal, restored, args.output_file);
    const notes = new Notes(journal, restored);
    const report = reporting(output, source, tools);
    const work: Work = { options, source, journal, restored, notes, output, report };
    run = await openRun(work, tools);
    const failure = restored.lost ?? (await runScans(run, work, tools));
    if (failure !== undefined) return await stopRun(failure, run, work, tools);
    if (tools.deadline !== undefined && run instanceof OwnRun) return await endSlice(run, args, work, tools);
    if (run.isComplete()) return await complete(run, work, tools, start);
    throw new Error('the bulk scan has prompts left and nothing to do with them');
  } finally {
    await source.column.close();
    await run?.close?.();
    await journal?.suspend();
  }
}

/** Opens the run: in this process, or spread across others. */
async function openRun(work: Work, tools: Tools): Promise<Run> {
  const shards = tools.port(SHARDS);
  if (shards !== undefined && !tools.dryRun) return spreadRun(shards, work, tools);
  await work.notes.repeats(work.restored.uncertain);
  return new OwnRun(work, tools);
}

/** Runs all scans, or as many as the time allows. @returns the error that stopped it early */
async function runScans(run: Run, work: Work, tools: Tools): Promise<AisecError | undefined> {
  try {
    await runPool({ next: () => run.next(), concurrency: () => run.concurrency(), clock: tools.clock });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Planned)) return toAisecError(thrown);
    tools.note(await plannedUsage(run, work));
    throw thrown;
  }
}

/** Describes the quota that a run would use. */
async function plannedUsage(run: Run, { source, options }: Work): Promise<string> {
  let { count } = run.input;
  const { column } = source;
  for (let items = await column.next(); items !== undefined; items = await column.next()) count += items.length;
  const requests = count < FEW ? count : Math.ceil(count / options.batchSize);
  return `${plural(count, 'prompt')} would be scanned, sent in ${plural(requests, 'request')}.`;
}

/** Ends a time slice. If the host cannot keep the checkpoint, the run ends in this slice. */
async function endSlice(run: OwnRun, args: BulkArgs, work: Work, tools: Tools): Promise<Step> {
  try {
    if (!run.isComplete()) {
      const step = await suspend(run, args, work, tools).catch(onlyNotKept);
      if (!(step instanceof ConfigurationError)) return step;
      const failure = await endHere(step, run, work, tools);
      if (failure !== undefined) return await stopRun(failure, run, work, tools);
    }
    const lost = await work.output.gather();
    return lost === undefined
      ? await complete(run, work, tools, tools.clock.elapsed())
      : await stopRun(lost, run, work, tools);
  } catch (thrown) {
    return stopRun(toAisecError(thrown), run, work, tools);
  }
}

function onlyNotKept(thrown: unknown): ConfigurationError {
  if (thrown instanceof ConfigurationError) return thrown;
  throw thrown;
}

/**
 * Uses the rest of the host's time, because there is no later run. Each remaining prompt gets a row with the reason.
 * @returns the error that stopped the run early
 */
async function endHere(
  { message }: ConfigurationError,
  run: OwnRun,
  work: Work,
  tools: Tools,
): Promise<AisecError | undefined> {
  tools.note(`${message} So all prompts were scanned in one run of the command, as far as its time allowed.`);
  run.extend(tools.lastDeadline ?? tools.clock.elapsed());
  const failure = await runScans(run, work, tools);
  if (failure !== undefined || run.isComplete()) return failure;
  await run.giveUp(
    new TimeoutError('The time of the platform ran out before this prompt had a verdict.', {
      hint: 'Scan fewer prompts at once.',
    }),
  );
  return runScans(run, work, tools);
}

async function complete(run: Run, work: Work, tools: Tools, start: number): Promise<Step> {
  const { output, notes, options } = work;
  const { summary } = output;
  const { counts, more } = summary;
  const { failed } = more;
  if (counts.total === 0)
    return stopRun(
      new UsageError('There are no prompts in the input: nothing was scanned.', {
        hint: 'A line, or a row below the names of the columns, is a prompt.',
      }),
      run,
      work,
      tools,
    );
  const profile = options.subject.profile_name;
  const facts = { profile, simulated: notes.simulated === true, repeated_scans: notes.again.length };
  const file = await savedBy(() => output.finish(facts), tools);
  const end = presented(output, file, tools);
  noteRepeatedScans(notes.again, tools);
  tools.tally(output.tally.result(counts, tools.clock.elapsed() - start, profile, file));
  const partly = () =>
    new PartialError(`No verdict for ${grouped(failed)} of ${plural(counts.total, 'prompt')}.`, {
      hint: 'See error in each result for the reason.',
    });
  return { ...end, failure: summary.failure() ?? (failed === 0 ? undefined : partly()) };
}

/** Ends a run after a failure, and keeps its results so that it can be resumed. */
async function stopRun(failure: AisecError, run: Run, { journal, notes, output }: Work, tools: Tools): Promise<Step> {
  const lost = await output.gather();
  if (lost !== undefined && lost !== failure) tools.note(lost.message);
  const { counts, more } = output.summary;
  const { total } = counts;
  const isContinued = journal?.continued === true;
  const mayBeScanned = run.pending().length + notes.unknown() + notes.again.length > 0 || more.unscanned < total;
  const isKept = isContinued || mayBeScanned;
  const file = isKept ? await savedBy(() => output.leave(), tools) : undefined;
  if (!isKept) await output.discard();
  if (!isKept && total === 0) throw failure;
  // The input differs from the earlier run's input, so the counts would be wrong.
  if (isContinued && failure instanceof UsageError) throw failure;
  const end = presented(output, file, tools);
  tools.note(`The run stopped after ${plural(total, 'prompt')}: the counts cover the results so far.`);
  const resume = isKept && journal !== undefined ? RESUME : undefined;
  if (resume !== undefined) tools.note(resume);
  noteRepeatedScans(notes.again, tools);
  const stop =
    failure instanceof CancelledError
      ? new CancelledError(`Stopped after ${plural(total, 'prompt')}.`, { hint: resume })
      : failure;
  return { ...end, failure: stop };
}

/** Saves the result file. A host with time slices has another place for the rows if it cannot save the file. */
async function savedBy(
  save: () => Promise<SavedFile | undefined>,
  { deadline, note }: Tools,
): Promise<SavedFile | undefined> {
  try {
    return await save();
  } catch (thrown) {
    if (deadline === undefined) throw thrown;
    note(`${toAisecError(thrown).message} So the contents of this entry have every row, under rows.`);
    return undefined;
  }
}

/** Shows tables and notes. @returns counts, and the rows that fit into the context */
function presented(output: Output, file: SavedFile | undefined, tools: Tools) {
  const { summary } = output;
  const results = summary.results();
  if (file !== undefined) tools.addFile(file);
  showTables(tools, summary);
  noteTruncation(summary, results.length, file, tools);
  const counts = { ...summary.counts, uncertain: summary.more.uncertain, cause: summary.cause(), file: file?.name };
  const rows = file === undefined && !summary.isWhole() ? { rows: output.written() } : {};
  // The context or the file has the rows, so the raw result of a time slice has only counts and the file.
  return { wire: { ...counts, results }, raw: tools.deadline === undefined ? undefined : { ...counts, ...rows } };
}

async function suspend(run: OwnRun, { entry_id, prompts_csv }: BulkArgs, work: Work, tools: Tools): Promise<Step> {
  const { output, notes, restored } = work;
  const accepted = run
    .pending()
    .map(({ id, prompts, since }) => ({ scan: id, rows: Array.from(prompts.keys()), since }));
  const args = entry_id === undefined ? await keepPrompts(prompts_csv ?? '', tools) : undefined;
  const checkpoint = {
    ...{ finished: restored.finished, counts: output.counts(), rows: output.lines(), accepted },
    ...{ completed: new Map(output.waiting()), again: notes.again, simulated: notes.simulated },
    batch: run.batchSize(),
  };
  const position = await writeCheckpoint(checkpoint, tools);
  const now = tools.clock.elapsed();
  const pollAt = run.pending().reduce((least, scan) => Math.min(least, scan.pollAt), now + MAX_SUSPENSION_MS);
  return { position, args, waitMs: Math.max(0, pollAt - now), progress: bulkProgressLine(output.counts()) };
}

const MAX_SUSPENSION_MS = 5000;
