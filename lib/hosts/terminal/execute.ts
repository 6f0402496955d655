/** Runs one line and shows what came of it. */
import type { Invocation } from '../../arguments/lexer.ts';
import { CancelledError } from '../../errors.ts';
import type { Result } from '../../result.ts';
import type { Report } from './failure.ts';
import type { TerminalHost } from './host.ts';
import { jsonText } from './json.ts';
import { measureFor } from './measure.ts';
import type { Format } from './options.ts';
import type { Place } from './results.ts';
import type { Screen } from './screen.ts';
import type { Session } from './session.ts';

export interface Execution {
  readonly host: TerminalHost;
  readonly session: Session;
  readonly screen: Screen;
  readonly format: Format;
  readonly quiet: boolean;
  readonly report: Report;
  /** No later line can ask for the records: they are not kept once they are printed. */
  readonly last: boolean;
}

/** So many records in, a list is long work. */
const MANY = 1000;

/**
 * Runs one command. Results go to the screen, failures to the report.
 * @param place where the line stands, for messages
 * @returns the exit code
 */
export async function execute(
  line: string | Invocation,
  execution: Execution,
  signal: AbortSignal,
  place?: string,
): Promise<number> {
  const { host, session, screen, report, last } = execution;
  try {
    const invocation = typeof line === 'string' ? await parsed(line) : line;
    const [{ dispatch }, runtime] = await Promise.all([import('../../dispatch.ts'), session.runtime(signal)]);
    const streaming = execution.format === 'jsonl';
    let streamed = 0;
    const stream = (record: unknown) => {
      streamed += 1;
      if (streamed === MANY) void import('../../node/memory.ts').then(({ staySmall }) => staySmall());
      screen.result(jsonText(record));
    };
    const result = await dispatch(
      invocation,
      host.registry,
      streaming ? { ...runtime, stream, keepsStreamed: !last } : runtime,
    );
    await session.keep(result.writes);
    await show(result, execution, streamed > 0, signal);
    if (result.failure !== undefined) throw result.failure;
    return 0;
  } catch (thrown) {
    // Whoever stopped reading is not told that the run was stopped.
    if (screen.closed.aborted && thrown instanceof CancelledError) return 0;
    return report(thrown, place);
  }
}

async function parsed(line: string): Promise<Invocation> {
  const { parseLine } = await import('../../arguments/argv.ts');
  return parseLine(line);
}

async function placeOf(screen: Screen, format: Format, shown: unknown, signal: AbortSignal): Promise<Place> {
  const { terminal, width, style } = screen;
  return { terminal, width, style, signal, measure: await measureFor(format === 'table' ? shown : '') };
}

async function show(
  result: Result,
  { screen, format, quiet, last }: Execution,
  streamed: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { isBare, renderResult } = await import('./results.ts');
  const place = await placeOf(screen, format, result.readable, signal);
  const text = streamed ? '' : await renderResult(result, format, place);
  if (text !== '') screen.result(text);
  const { simulated, truncated, showRaw } = result;
  const isUnmarked = isBare(format) || showRaw;
  // Marks that such a format leaves no room for are not a matter of being quiet.
  if (simulated && isUnmarked) screen.note('note: answered by the simulated service, not by a tenant.');
  // JSON lines have every record, and the context ends with this command.
  const isPrinted = format === 'jsonl' && last && truncated?.isForRoom === true;
  if (truncated !== undefined && isUnmarked && !isPrinted) screen.note(`note: ${truncated.note}`);
  if (quiet) return;
  if (result.planned && isBare(format)) screen.note('note: a dry run; --output json shows what would be sent.');
  for (const { entry, size } of result.files) screen.note(`note: saved ${entry} (${size ?? 'unknown'} bytes)`);
  for (const warning of result.warnings) screen.note(`warning: ${warning}`);
}
