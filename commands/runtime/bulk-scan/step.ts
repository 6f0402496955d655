/** Runs one step of a bulk scan: all of it, or one time slice if the host limits the time of a command. */
import { Planned } from '../../../lib/api/planned.ts';
import { runPool } from '../../../lib/bulk/run-pool.ts';
import { SHARDS } from '../../../lib/bulk/shards.ts';
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
import type { Tools } from '../../../lib/engine/command.ts';
import type { Step } from '../../../lib/engine/job.ts';
import { grouped, plural } from '../../../lib/text/numbers.ts';
import { keepPrompts, readCheckpoint, writeCheckpoint } from './checkpoint.ts';
import { type Input, type InputArguments, openSource, type Source } from './input.ts';
import { type Notes, notesIn, RESUME } from './journal.ts';
import { noteRepeatedScans, noteResume, noteTruncation } from './notes.ts';
import { type Output, openOutput } from './output.ts';
import { fromJournal } from './restore.ts';
import type { Finished } from './restored.ts';
import { createRun, FEW, type Run, type RunIo, type RunOptions } from './run.ts';
import { spreadRun } from './spread.ts';
import { progressLine, showTables } from './tables.ts';

export interface BulkArgs extends InputArguments {
  readonly options: RunOptions;
  readonly resume: boolean;
  readonly output_file: string | undefined;
}

/** Continues from a position. @throws AisecError when the run produced no result */
export async function bulkStep(position: JsonObject, args: BulkArgs, tools: Tools): Promise<Step> {
  const start = tools.clock.elapsed();
  const source = await openSource(args.options.subject, args, tools, Object.keys(position).length === 0);
  let journal: Journal | undefined;
  let run: Run | undefined;
  try {
    // An unwritable journal must fail before a prompt is sent and billed.
    journal = tools.dryRun ? undefined : await tools.files.journal(source.name, args.resume);
    const restored = journal?.continued === true ? await fromJournal(journal) : await readCheckpoint(position, tools);
    noteResume(args, journal, restored, tools);
    const output = openOutput(tools, journal, restored, args.output_file);
    const report = reporting(output, source, tools);
    const notes = notesIn(journal);
    run = await openRun(args.options, tools, { source, restored, notes, output, report });
    const left = { journal, notes, output, finished: restored.finished };
    const failure = restored.lost ?? (await runScans(run, source, args, tools));
    if (failure !== undefined) return await stopRun(failure, run, left, tools);
    if (tools.deadline === undefined && run.isComplete()) return await complete(run, left, tools, start);
    if (tools.deadline === undefined) throw new Error('the bulk scan has prompts left and nothing to do with them');
    return await endSlice(run, source, args, left, tools);
  } finally {
    await source.column.close();
    await run?.close();
    await journal?.suspend();
  }
}

/** Opens the run: in this process, or spread over others. */
async function openRun(options: RunOptions, tools: Tools, io: RunIo): Promise<Run> {
  const shards = tools.port(SHARDS);
  if (shards !== undefined && !tools.dryRun) return spreadRun(shards, options, tools, io);
  await io.notes.again(io.restored.uncertain);
  return createRun(options, tools, io);
}

/** Runs all scans, or as many as the time allows. @returns the error that stopped it early */
async function runScans(run: Run, source: Source, args: BulkArgs, tools: Tools): Promise<AisecError | undefined> {
  try {
    await runPool({ next: run.next, concurrency: run.concurrency, clock: tools.clock });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Planned)) return toAisecError(thrown);
    tools.note(await plannedUsage(run, source, args));
    throw thrown;
  }
}

/** Describes the quota that a run would use. */
async function plannedUsage(run: Run, { column }: Source, { options }: BulkArgs): Promise<string> {
  let count = run.prompts();
  for (let items = await column.next(); items !== undefined; items = await column.next()) count += items.length;
  const requests = count < FEW ? count : Math.ceil(count / options.batchSize);
  return `${plural(count, 'prompt')} would be scanned, sent in ${plural(requests, 'request')}.`;
}

/** Ends a time slice. If the host cannot keep the checkpoint, the run ends in this slice. */
async function endSlice(run: Run, source: Source, args: BulkArgs, left: Left, tools: Tools): Promise<Step> {
  const { output } = left;
  try {
    if (!run.isComplete()) {
      const step = await suspend(run, args, left, tools).catch(onlyNotKept);
      if (!(step instanceof ConfigurationError)) return step;
      const failure = await endHere(step, run, source, args, tools);
      if (failure !== undefined) return await stopRun(failure, run, left, tools);
    }
    const lost = await output.gather();
    return lost === undefined
      ? await complete(run, left, tools, tools.clock.elapsed())
      : await stopRun(lost, run, left, tools);
  } catch (thrown) {
    return stopRun(toAisecError(thrown), run, left, tools);
  }
}

function onlyNotKept(thrown: unknown): ConfigurationError {
  if (thrown instanceof ConfigurationError) return thrown;
  throw thrown;
}

/**
 * Uses the rest of the host's time, because there is no later run. Prompts that do not fit get a row with the reason.
 * @returns the error that stopped the run early
 */
async function endHere(
  { message }: ConfigurationError,
  run: Run,
  source: Source,
  args: BulkArgs,
  tools: Tools,
): Promise<AisecError | undefined> {
  tools.note(`${message} So all prompts were scanned in one run of the command, as far as its time allowed.`);
  run.extend(tools.lastDeadline ?? tools.clock.elapsed());
  const failure = await runScans(run, source, args, tools);
  if (failure !== undefined || run.isComplete()) return failure;
  await run.giveUp(
    new TimeoutError('The time of the platform ran out before this prompt had a verdict.', {
      hint: 'Scan fewer prompts at once.',
    }),
  );
  return runScans(run, source, args, tools);
}

async function complete(run: Run, left: Left, tools: Tools, start: number): Promise<Step> {
  const { output } = left;
  const { summary } = output;
  if (summary.counts().total === 0) return stopRun(new UsageError(NO_PROMPTS, NO_PROMPTS_HINT), run, left, tools);
  const file = await savedBy(() => output.finish(run.facts()), tools);
  if (file !== undefined) tools.addFile(file);
  const wire = presented(output, file, tools);
  noteRepeatedScans(run.again(), tools);
  const { profile } = run.facts();
  tools.tally(output.tally.result(summary.counts(), tools.clock.elapsed() - start, profile, file));
  return { wire, raw: briefly(wire, file, output, tools), failure: summary.failure() ?? partly(summary) };
}

const NO_PROMPTS = 'There are no prompts in the input: nothing was scanned.';
const NO_PROMPTS_HINT = { hint: 'A line, or a row below the names of the columns, is a prompt.' };

function partly(summary: Output['summary']): PartialError | undefined {
  const failed = summary.failed();
  if (failed === 0) return undefined;
  return new PartialError(`No verdict for ${grouped(failed)} of ${plural(summary.counts().total, 'prompt')}.`, {
    hint: 'See error in each result for the reason.',
  });
}

interface Left {
  readonly journal: Journal | undefined;
  readonly notes: Notes;
  readonly output: Output;
  /** Rows that earlier slices have saved in files. */
  readonly finished: Finished;
}

/** Ends a run after a failure, and keeps its results so that it can be resumed. */
async function stopRun(failure: AisecError, run: Run, { journal, notes, output }: Left, tools: Tools): Promise<Step> {
  const lost = await output.gather();
  if (lost !== undefined && lost !== failure) tools.note(lost.message);
  const { summary } = output;
  const { total } = summary.counts();
  const isContinued = journal?.continued === true;
  const mayBeScanned = run.pending().length + notes.open() + run.again().length > 0 || summary.unscanned() < total;
  const isKept = isContinued || mayBeScanned;
  const kept = isKept ? await savedBy(output.leave, tools) : undefined;
  if (!isKept) await output.discard();
  if (!isKept && total === 0) throw failure;
  // The input differs from the earlier run's input, so the counts would be wrong.
  if (isContinued && failure instanceof UsageError) throw failure;
  const wire = presented(output, kept, tools);
  tools.note(`The run stopped after ${plural(total, 'prompt')}: the counts cover the results so far.`);
  if (kept !== undefined) tools.addFile(kept);
  const resume = isKept && journal !== undefined ? RESUME : undefined;
  if (resume !== undefined) tools.note(resume);
  noteRepeatedScans(run.again(), tools);
  const stop =
    failure instanceof CancelledError
      ? new CancelledError(`Stopped after ${plural(total, 'prompt')}.`, { hint: resume })
      : failure;
  return { wire, raw: briefly(wire, kept, output, tools), failure: stop };
}

/** Saves the file of results. A host with time slices has another place for the rows if it saves no file. */
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

/** Reduces the raw result of a time slice to counts and file, because the context or the file has the rows. */
function briefly(
  { results: _, ...counts }: JsonObject,
  file: SavedFile | undefined,
  output: Output,
  { deadline }: Tools,
) {
  if (deadline === undefined) return undefined;
  if (file !== undefined) return counts;
  return output.summary.isWhole() ? counts : { ...counts, rows: output.written() };
}

/** Shows tables and notes. @returns counts, and the rows that fit into the context */
function presented(output: Output, file: SavedFile | undefined, tools: Tools): JsonObject {
  const results = output.summary.results();
  showTables(tools, output.summary);
  noteTruncation(output, results.length, file, tools);
  const { summary } = output;
  const { total } = summary.counts();
  if (file !== undefined && summary.isWhole() && summary.inTables() < total)
    tools.note(
      `The tables show ${grouped(summary.inTables())} of ${grouped(total)} rows; all rows are in ${file.name}.`,
    );
  const found = { uncertain: summary.uncertain(), cause: summary.cause(), file: file?.name };
  return { ...summary.counts(), ...found, results };
}

async function suspend(
  run: Run,
  { entry_id, prompts_csv }: BulkArgs,
  { output, finished }: Left,
  tools: Tools,
): Promise<Step> {
  const { clock } = tools;
  const accepted = run
    .pending()
    .map(({ id, prompts, since }) => ({ scan: id, rows: Array.from(prompts.keys()), since }));
  const args = entry_id === undefined ? await keepPrompts(prompts_csv ?? '', tools) : undefined;
  const position = await writeCheckpoint(
    {
      finished,
      counts: output.counts(),
      rows: output.lines(),
      completed: output.waiting(),
      accepted,
      batch: run.batchSize(),
      again: run.again(),
      simulated: run.simulated() ?? null,
    },
    tools,
  );
  const pollAt = run
    .pending()
    .reduce((least, scan) => Math.min(least, scan.pollAt), clock.elapsed() + MAX_SUSPENSION_MS);
  const progress = progressLine(output.counts());
  return { position, args, waitMs: Math.max(0, pollAt - clock.elapsed()), progress };
}

const MAX_SUSPENSION_MS = 5000;

/** Reports progress a few times a second. */
function reporting({ counts }: Output, source: Source, { clock, progress }: Tools) {
  let reportedAt = clock.elapsed();
  return (input: Pick<Input, 'count' | 'isOver'>) => {
    const now = clock.elapsed();
    if (now - reportedAt < BETWEEN_MS) return;
    reportedAt = now;
    const done = counts();
    const total = totalOf(input, source);
    const about = input.isOver() ? '' : 'about ';
    progress(progressLine(done, total === undefined ? '' : ` of ${about}${grouped(total)}`), {
      done: done.total,
      total,
    });
  };
}

/** Returns the number of all prompts; before the end of the input, an estimate from its size. */
function totalOf(input: Pick<Input, 'count' | 'isOver'>, { column, size }: Source): number | undefined {
  const count = input.count();
  if (input.isOver()) return count;
  const read = column.bytes();
  if (size === undefined || count === 0 || read === 0) return undefined;
  return Math.max(count, Number(((count * size) / read).toPrecision(2)));
}

/** Time between two reports. */
const BETWEEN_MS = 250;
