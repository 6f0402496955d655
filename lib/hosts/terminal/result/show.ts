/** Shows the result of one command. */

import type { Runtime } from '../../../core/runtime.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import type { Readable } from '../../../runtime/output/readable.ts';
import type { Result } from '../../../runtime/output/result.ts';
import { type Format, isForPrograms } from '../line/options.ts';
import type { Choice } from '../line/output-options.ts';
import { type Execution, isLast } from '../line/subcommand.ts';
import { measureFor } from '../ui/measure.ts';
import { plainText } from '../ui/sanitize.ts';
import type { Screen } from '../ui/screen.ts';
import { UNBROKEN } from '../ui/wrap.ts';
import { withAdvice, withNextPage } from './next-steps.ts';
import { printLong } from './print-long.ts';
import type { RenderOptions } from './results.ts';

export interface Showing {
  readonly command: Command;
  /** The line as it ran; every value has its name. */
  readonly invocation: Invocation;
  /** The same line without the arguments that were added for `--filter` and `--sort`. */
  readonly typed: Invocation;
  readonly runtime: Runtime;
  readonly streamed: boolean;
  readonly signal: AbortSignal;
}

/** Prints a result, and the notes that its format cannot contain. */
export async function show(whole: Result, execution: Execution, choice: Choice, showing: Showing): Promise<void> {
  const { screen, format, options } = execution;
  const { isBare, csvWrites } = await import('./results.ts');
  const shaped = format === 'table' ? await inTerminal(whole, showing.command) : whole;
  const explained = await withExplanation(shaped, execution, showing);
  const result = await projected(await withPictures(explained, execution, choice), choice);
  if (!showing.streamed) await printResult(result, execution, choice, showing);
  const others = format === 'csv' && !showing.streamed ? csvWrites(result).slice(0, -1) : [];
  if (others.length > 0) screen.note(`note: ${others.map(({ path }) => path).join(', ')}: see --output json.`);
  const { simulated, truncated, showRaw } = result;
  const isUnmarked = isBare(format) || showRaw;
  // These formats cannot mark simulated or truncated results, so the note is printed even with --quiet.
  if (simulated && isUnmarked) screen.note('note: answered by the simulated service, not by a tenant.');
  // JSON lines contain every record, and no later command uses the context.
  const isPrinted = format === 'jsonl' && isLast(execution) && truncated?.isForSize === true;
  const isNoted = isUnmarked || (truncated?.isForSize === true && isForPrograms(format));
  if (truncated !== undefined && isNoted && !isPrinted) screen.note(`note: ${truncated.note}`);
  if (options.quiet) return;
  if (result.planned && isBare(format)) screen.note('note: a dry run; --output json shows what would be sent.');
  for (const { entry, size } of result.files) screen.note(`note: saved ${entry} (${size ?? 'unknown'} bytes)`);
  for (const warning of result.warnings) screen.note(`warning: ${warning}`);
}

async function inTerminal(result: Result, command: Command): Promise<Result> {
  const { readableInTerminal } = await import('./records/list.ts');
  return { ...result, readable: readableInTerminal(result, command) };
}

/** Draws numbers in a table for people; fields chosen by the user are shown unchanged. */
async function withPictures(result: Result, { format, views }: Execution, { selection }: Choice): Promise<Result> {
  if (format !== 'table' || selection !== undefined) return result;
  return (await views.pictures()).pictured(result);
}

async function projected(result: Result, { selection, records, addsListed }: Choice): Promise<Result> {
  if (selection === undefined) return result;
  const { projectResult, withListed } = await import('../../../runtime/select/result.ts');
  const [record] = records;
  const whole = addsListed && record !== undefined ? withListed(result, record) : result;
  return projectResult(whole, selection, records);
}

async function printResult(result: Result, execution: Execution, choice: Choice, showing: Showing): Promise<void> {
  const { host, screen, format, options } = execution;
  const [{ asJson, recordsIn, renderResult }, { pasteable }] = await Promise.all([
    import('./results.ts'),
    import('./paste.ts'),
  ]);
  if (choice.jq !== undefined) {
    const records = (result.uncut ?? result.writes).flatMap(({ value }) => recordsIn(value));
    await choice.jq.evaluate(format === 'jsonl' ? records : [asJson(result)], (text) => screen.result(text));
    return;
  }
  const text = await renderResult(result, format, {
    ...(await renderOptionsOf(screen, format, result.readable, showing.signal)),
    // Fields chosen by the user are shown in full.
    wide: options.wide || choice.selection !== undefined,
    folds: screen.terminal,
    now: showing.runtime.clock.now(),
    columns: choice.columns,
    commands: (note) => pasteable(plainText(note), screen.shell, { space: UNBROKEN, emphasis: screen.style.bold }),
  });
  if (text === '') return;
  if (execution.mode !== 'pipe') await printLong(text, { host, screen, options });
  else screen.result(text);
}

/** Adds the findings for `--explain`; formats for programs do not change. */
async function withExplanation(
  result: Result,
  execution: Execution,
  { runtime, signal, typed }: Showing,
): Promise<Result> {
  const { host, session, screen, format, options, views } = execution;
  if (isForPrograms(format) || result.showRaw || result.planned) return result;
  if (!options.explain) {
    if (format !== 'table') return result;
    const paged = withNextPage(result, typed, options);
    return options.quiet ? paged : withAdvice(paged, screen.shell, views);
  }
  const [{ EXPLAINED, explained }, { commandRunner }] = await Promise.all([
    views.explain(),
    import('./command-runner.ts'),
  ]);
  if (EXPLAINED.includes(result.command)) return explained(result, runtime, commandRunner(host, session, signal));
  if (isLast(execution) && !options.quiet) screen.note(`note: --explain applies to ${EXPLAINED.join(' and ')}.`);
  return result;
}

async function renderOptionsOf(
  screen: Screen,
  format: Format,
  shown: Readable,
  signal: AbortSignal,
): Promise<Omit<RenderOptions, 'columns'>> {
  const { terminal, width, style, shell } = screen;
  const { dialect } = shell;
  return {
    terminal,
    width,
    style,
    dialect,
    signal,
    measure: await measureFor(format === 'table' ? textsOf(shown) : ''),
  };
}

function textsOf({ title, notes, tables }: Readable) {
  return [title, notes, tables.map((table) => [table.title, table.columns, table.rows])];
}
