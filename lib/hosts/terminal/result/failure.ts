/** Reports failures as text or JSON. */
import {
  type AisecError,
  CancelledError,
  type Problem,
  toAisecError,
  UnexpectedError,
  ValidationError,
} from '../../../core/errors.ts';
import { tableOf } from '../../../runtime/output/readable.ts';
import { type Format, isForPrograms } from '../line/options.ts';
import type { Report } from '../line/subcommand.ts';
import { jsonText } from '../ui/json.ts';
import { measureFor } from '../ui/measure.ts';
import { plainText, sanitize } from '../ui/sanitize.ts';
import type { Screen } from '../ui/screen.ts';
import type { Shell } from '../ui/shell.ts';
import { UNBROKEN } from '../ui/wrap.ts';
import type { BugReport, Program } from './bug-report.ts';
import type { Writing } from './paste.ts';

/**
 * Creates a reporter that writes to stderr. @param asked the format that the user requested by name: errors are JSON if
 * programs read it @param program details for bug reports about aisec
 */
export function reporter(
  asked: Format | undefined,
  screen: Pick<Screen, 'note' | 'report' | 'width' | 'noteStyle' | 'noteTerminal' | 'shell'>,
  program: Program & { readonly stoppedBy?: () => NodeJS.Signals | undefined },
): Report {
  return async (thrown, location) => {
    const { error, report } = await explained(toAisecError(thrown), program);
    const forPrograms = asked !== undefined && isForPrograms(asked);
    if (forPrograms) screen.report(await machineFailure(error, report, screen.shell));
    else screen.note(await humanFailure(error, screen, { location, stoppedBy: program.stoppedBy?.() }));
    if (report !== undefined && !forPrograms) screen.report(reportLines(report));
    return error.exitCode;
  };
}

const REPORT = 'This is a bug in aisec: report all of this.';
const HOW_TO_REPORT = 'This is a bug in aisec: run the line again with --log-level debug and report what it prints.';

/**
 * Adds a hint to an error caused by a bug in aisec: the report to send, or the option that prints it. Other errors have
 * their own hints.
 */
async function explained(error: AisecError, program: Program): Promise<{ error: AisecError; report?: BugReport }> {
  if (!(error instanceof UnexpectedError)) return { error };
  const { bugMessage, bugReport } = await import('./bug-report.ts');
  const { command, argument } = error;
  const hint = program.debug ? REPORT : HOW_TO_REPORT;
  const shown = new UnexpectedError(bugMessage(error, program), [], { hint, command, argument });
  return program.debug ? { error: shown, report: bugReport(error, program) } : { error: shown };
}

function reportLines({ version, node, platform, stack }: BugReport): string {
  const frames = stack.map((frame) => `  ${sanitize(frame)}`);
  return [`report: aisec ${version}, Node ${node}, ${platform}`, ...frames].join('\n');
}

/** Writes one JSON object for programs that read stderr; unset members are omitted. */
async function machineFailure(error: AisecError, report: BugReport | undefined, shell: Shell): Promise<string> {
  const { hint, problems, ...rest } = error.toJSON();
  const written = problems && (await Promise.all(problems.map((problem) => withCommands(problem, shell))));
  const { code, message, ...others } = rest;
  const shown = await withCommands({ hint }, shell);
  return jsonText({ error: { code, message, ...shown, ...others, problems: written, report } });
}

/** Writes the commands of a hint for the shell. */
async function withCommands<Hinted extends { hint?: string | undefined }>(
  hinted: Hinted,
  shell: Shell,
  writing: Writing = {},
): Promise<Hinted> {
  const { hint } = hinted;
  if (hint === undefined || !/!(?:help )?aisec-/.test(hint)) return hinted;
  const { pasteable } = await import('./paste.ts');
  return { ...hinted, hint: pasteable(hint, shell, writing) };
}

interface Circumstances {
  readonly location: string | undefined;
  /** The signal that stopped the program. */
  readonly stoppedBy: NodeJS.Signals | undefined;
}

/** Writes text for people: the message, the hint, and the related rows. */
async function humanFailure(
  error: AisecError,
  screen: Pick<Screen, 'width' | 'noteStyle' | 'noteTerminal' | 'shell'>,
  { location, stoppedBy }: Circumstances,
): Promise<string> {
  const { width, noteStyle: style, noteTerminal: isTerminal } = screen;
  const start = location === undefined ? '' : `${location}: `;
  if (error instanceof CancelledError) {
    const { hint } = await withCommands({ hint: error.hint && sanitize(error.hint) }, screen.shell, {
      space: UNBROKEN,
    });
    // The user pressed Ctrl-C, so there is nothing to report.
    const by = stoppedBy === undefined || stoppedBy === 'SIGINT' ? '' : ` by ${stoppedBy}`;
    const message = sanitize(`${start}cancelled${by}: ${error.message}`);
    return hint === undefined ? message : `${message} ${hint}`;
  }
  const problems: readonly Problem[] =
    error instanceof ValidationError ? error.problems : [{ message: error.message, hint: error.hint }];
  const shown = await Promise.all(
    problems.map(({ message, hint }) =>
      withCommands({ message: plainText(message), hint: hint && sanitize(plainText(hint)) }, screen.shell, {
        space: UNBROKEN,
        emphasis: style.bold,
        isOwnLine: isTerminal,
      }),
    ),
  );
  const lines = shown.flatMap(({ message, hint }) => [
    `${style.bold(style.red('error:'))} ${start}${sanitize(message)}`,
    ...(hint === undefined ? [] : [`${style.bold('hint:')} ${hint}`]),
  ]);
  const reference = error.requestId === undefined ? [] : [style.dim(`request id: ${sanitize(error.requestId)}`)];
  if (error.rows.length === 0) return [...lines, ...reference].join('\n');
  const { renderTable } = await import('./table.ts');
  const rows = await renderTable(tableOf(error.rows), { width, style, measure: await measureFor(error.rows) });
  return [...lines, ...reference, '', ...rows].join('\n');
}
