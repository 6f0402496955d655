/** What went wrong, for people or for programs. */
import {
  type AisecError,
  CancelledError,
  type Problem,
  toAisecError,
  UnexpectedError,
  ValidationError,
} from '../../errors.ts';
import { tableOf } from '../../output/readable.ts';
import { clean } from './clean.ts';
import type { FaultReport, Program } from './fault-report.ts';
import { jsonText } from './json.ts';
import { measureFor } from './measure.ts';
import { type Format, isForPrograms } from './options.ts';
import type { Screen } from './screen.ts';

/** Says what went wrong. @param place such as `line 3`, for people @returns the exit code */
export type Report = (thrown: unknown, place?: string) => Promise<number>;

/** Reports on stderr in the manner of a format. @param program what a fault of the program itself is reported with */
export function reporter(format: Format, screen: Screen, program: Program): Report {
  return async (thrown, place) => {
    const { error, report } = await explained(toAisecError(thrown), program);
    const forPrograms = isForPrograms(format);
    screen.note(forPrograms ? machineFailure(error, report) : await humanFailure(error, screen, place));
    if (report !== undefined && !forPrograms) screen.note(reportLines(report));
    return error.exitCode;
  };
}

interface Explained {
  readonly error: AisecError;
  /** Where it was asked for. */
  readonly report?: FaultReport;
}

const REPORT = 'This is a fault of aisec itself: report all of this.';
const HOW_TO_REPORT =
  'This is a fault of aisec itself; run the line again with --log-level debug and report what it prints.';

/** A fault of the program says what to report, or how to get that. Any other error says what to do as it is. */
async function explained(error: AisecError, program: Program): Promise<Explained> {
  if (!(error instanceof UnexpectedError)) return { error };
  const { faultMessage, faultReport } = await import('./fault-report.ts');
  const { command, argument } = error;
  const hint = program.debug ? REPORT : HOW_TO_REPORT;
  const shown = new UnexpectedError(faultMessage(error, program), [], { hint, command, argument });
  return program.debug ? { error: shown, report: faultReport(error, program) } : { error: shown };
}

function reportLines({ version, node, platform, stack }: FaultReport): string {
  const frames = stack.map((frame) => `  ${clean(frame)}`);
  return [`report: aisec ${version}, Node ${node}, ${platform}`, ...frames].join('\n');
}

/** One JSON object for a program that reads stderr. Members that are not known are left out. */
function machineFailure(
  { code, message, hint, command, argument, status, requestId }: AisecError,
  report: FaultReport | undefined,
): string {
  return jsonText({ error: { code, message, hint, command, argument, status, requestId, report } });
}

/** Lines for a person: what happened, what to do next, and the rows that belong to it. */
async function humanFailure(error: AisecError, screen: Screen, place?: string): Promise<string> {
  const { width, noteStyle: style } = screen;
  const start = place === undefined ? '' : `${place}: `;
  if (error instanceof CancelledError) {
    return clean([`${start}cancelled: ${error.message}`, error.hint].filter((part) => part !== undefined).join(' '));
  }
  const problems: readonly Problem[] =
    error instanceof ValidationError ? error.problems : [{ message: error.message, hint: error.hint }];
  const lines = problems.flatMap(({ message, hint }) => [
    `${style.bold(style.red('error:'))} ${start}${clean(message)}`,
    ...(hint === undefined ? [] : [`${style.bold('hint:')} ${clean(hint)}`]),
  ]);
  const reference = error.requestId === undefined ? [] : [style.dim(`request id: ${clean(error.requestId)}`)];
  if (error.rows.length === 0) return [...lines, ...reference].join('\n');
  const { renderTable } = await import('./table.ts');
  const rows = await renderTable(tableOf(error.rows), { width, style, measure: await measureFor(error.rows) });
  return [...lines, ...reference, '', ...rows].join('\n');
}
