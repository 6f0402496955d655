/** What went wrong, for people or for programs. */
import { type AisecError, CancelledError, type Problem, toAisecError, ValidationError } from '../../errors.ts';
import { tableOf } from '../../output/readable.ts';
import { clean } from './clean.ts';
import { jsonText } from './json.ts';
import { measureFor } from './measure.ts';
import { type Format, isForPrograms } from './options.ts';
import type { Screen } from './screen.ts';

/** Says what went wrong. @param place such as `line 3`, for people @returns the exit code */
export type Report = (thrown: unknown, place?: string) => Promise<number>;

/** Reports on stderr in the manner of a format. */
export function reporter(format: Format, screen: Screen): Report {
  return async (thrown, place) => {
    const error = toAisecError(thrown);
    const forPrograms = isForPrograms(format);
    screen.note(forPrograms ? machineFailure(error) : await humanFailure(error, screen, place));
    return error.exitCode;
  };
}

/** One JSON object for a program that reads stderr. Members that are not known are left out. */
function machineFailure({ code, message, hint, command, argument, status, requestId }: AisecError): string {
  return jsonText({ error: { code, message, hint, command, argument, status, requestId } });
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
