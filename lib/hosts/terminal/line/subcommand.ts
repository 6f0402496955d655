/** Subcommands as the terminal and its war room see them. */
import type { ReportPages } from '../../../client/report-pages.ts';
import { UsageError } from '../../../core/errors.ts';
import type { Runtime } from '../../../core/runtime.ts';
import type { RunCommand } from '../../../runtime/engine/command-port.ts';
import type { Result } from '../../../runtime/output/result.ts';
import type { TerminalHost } from '../ui/host.ts';
import type { Screen } from '../ui/screen.ts';
import type { Options } from './cli-options.ts';
import type { Ask } from './confirm.ts';
import type { Mode } from './content.ts';
import type { Flags, Format, Values } from './options.ts';
import type { Session } from './session.ts';
import type { StandardInput } from './standard-input.ts';

/** Reports a failure. @param location such as `line 3`, only shown in text @returns the exit code */
export type Report = (thrown: unknown, location?: string) => Promise<number>;

/**
 * What features add to human-readable results, loaded on first use. The program passes them in, because hosts import no features.
 */
export interface ResultViews {
  /** Shows the findings behind a command's result, and names the commands that have findings. */
  explain(): Promise<{
    readonly EXPLAINED: readonly string[];
    explained(result: Result, runtime: Runtime, run: RunCommand): Promise<Result>;
  }>;
  /** Draws the numbers of a result. */
  pictures(): Promise<{ pictured(result: Result): Result }>;
}

/** Context of one run of the command line. */
export interface CliContext<Own extends object = object> {
  readonly host: TerminalHost;
  /** All subcommands of the program. */
  readonly subcommands: Subcommands;
  readonly views: ResultViews;
  /** Features' pages, for the service. */
  readonly reportPages: ReportPages;
  readonly options: Options & Values<Own>;
  /** The requested format, or the default. */
  readonly format: Format;
  readonly screen: Screen;
  readonly report: Report;
  /** Standard input, for its only reader. */
  readonly input: StandardInput;
  /** Called with the name of a signal that stops the program. */
  readonly onSignal?: (name: NodeJS.Signals) => void;
  /** The open session of a war room. */
  readonly session?: Session;
  /** Asks the user in a war room. Default: a separate question on the terminal. */
  readonly ask?: Ask;
}

/** Context shared by the lines of one program run. */
export interface Execution extends CliContext {
  readonly session: Session;
  readonly mode: Mode;
}

/** No later line can refer to the records of a one-shot command, so printed records are not kept. */
export function isLast({ mode }: Execution): boolean {
  return mode === 'one-shot';
}

/** Context of a subcommand. @typeParam Own its flags */
export interface SubcommandContext<Own extends object = object> extends CliContext<Own> {
  /** Words after the subcommand's name. */
  readonly words: readonly string[];
  /** Aborted by signals such as Ctrl-C, and when stdout is closed, unless the exit code is a verdict. */
  readonly signal: AbortSignal;
}

/**
 * Effect of `--dry-run` on a subcommand. `honours`: it shows what it would do, but sends no change and writes no file.
 * `reads`: it never changes anything. Otherwise it is refused, with a reason and a hint.
 */
export type DryRun = 'honours' | 'reads' | { readonly refused: string; readonly hint: string };

/**
 * Candidates for a word: strings, paths, names of commands and subcommands, groups of commands, scans of the war room, or ids and
 * names that the service lists.
 */
export type Candidates =
  | readonly string[]
  | 'paths'
  | 'commands'
  | 'groups'
  | 'scans'
  | 'red-team scans'
  | 'red-team targets and scans'
  | 'model scans'
  | 'scans and files';

/** A subcommand: everything that help, completion, the manual page and the war room need to know about it. */
export interface Subcommand<Own extends object = object> {
  /** Usage without the program's name. */
  readonly usage: string;
  readonly summary: string;
  /** Listed on the first screen of help. */
  readonly everyday?: boolean;
  /** Maximum number of positional words. */
  readonly words: number;
  /** Options in addition to the options of commands. Flags with the same name share one declaration. */
  readonly flags?: Own & Flags;
  /** Required, so that no subcommand accepts `--dry-run` and ignores it. */
  dryRun(line: Pick<SubcommandContext<Own>, 'words' | 'options'>): DryRun;
  /** Whether it runs until it is stopped; a stop is then not a failure. */
  readonly untilStopped?: boolean;
  /**
   * Reports whether the exit code is a verdict, with or without `--exit-code`; then a closed reader does not change it.
   */
  decides?(options: Partial<Values<Own>>): boolean;
  /** For this program's scripts; not listed in help. */
  readonly hidden?: boolean;
  /** Makes it a built-in command of the war room. */
  readonly inRoom?: { readonly usage: string; readonly summary: string; readonly isAlias?: boolean };
  /** Completes the next word. @param typed the words before it */
  completes?(typed: readonly string[]): Candidates;
  /** Runs the subcommand. Import modules here that `--version` and help do not need. @returns the exit code */
  run(cli: SubcommandContext<Own>): Promise<number>;
}

export type Subcommands = Readonly<Record<string, Subcommand>>;

/** Creates the error for a line that a subcommand does not accept. @param usage without the program's name */
export function usageError(message: string, usage: string): UsageError {
  return new UsageError(message, { hint: `Usage: aisec ${usage}` });
}

/**
 * Checks the line of a subcommand.
 * @param options as typed on it
 * @throws UsageError for too many words, or a refused dry run
 */
export function checkSubcommandLine(
  name: string,
  subcommand: Subcommand,
  { words, options }: Pick<SubcommandContext, 'words' | 'options'>,
): void {
  if (words.length > subcommand.words) {
    const surplus = words.slice(subcommand.words).join(' ').slice(0, 60);
    throw usageError(`Too many arguments for aisec ${name}: "${surplus}".`, subcommand.usage);
  }
  const use = options.dryRun ? subcommand.dryRun({ words, options }) : 'honours';
  if (use === 'honours') return;
  const { refused, hint } =
    use === 'reads' ? { refused: 'It has nothing to change.', hint: 'Leave out --dry-run.' } : use;
  throw new UsageError(`Option --dry-run means nothing for aisec ${name}. ${refused}`, { hint });
}
