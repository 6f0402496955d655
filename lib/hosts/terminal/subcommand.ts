/** Contexts of the command line and its subcommands. */

import type { TerminalHost } from './host.ts';
import type { StandardInput } from './input/standard-input.ts';
import type { Ask } from './modes/confirm.ts';
import type { Session } from './modes/session.ts';
import type { Options } from './options/cli-options.ts';
import type { Format } from './options/options.ts';
import type { Screen } from './render/screen.ts';
import type { Report } from './views/failure.ts';

/** Context of one run of the command line. */
export interface CliContext {
  readonly host: TerminalHost;
  readonly options: Options;
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
  /** Asks the person in a war room. Default: a question of its own. */
  readonly ask?: Ask;
}

/** Context of a subcommand. */
export interface SubcommandContext extends CliContext {
  /** All subcommands, for help. */
  readonly subcommands: Subcommands;
  /** Words after the subcommand's name. */
  readonly words: readonly string[];
  /** Aborted by signals such as Ctrl-C, and when stdout is closed. */
  readonly signal: AbortSignal;
}

/** The line of a subcommand, as far as it decides on a dry run. */
export interface SubcommandLine {
  readonly words: readonly string[];
  readonly options: Options;
}

/**
 * What a subcommand does with `--dry-run`. `honours`: it shows what it would do, and neither sends a change nor writes a
 * file. `reads`: it has nothing to change. A refusal has its reason, and a hint.
 */
export type DryRun = 'honours' | 'reads' | { readonly refused: string; readonly hint: string };

export interface Subcommand {
  /** Usage without the program's name. */
  readonly usage: string;
  readonly summary: string;
  /** Listed in the first screen of help. */
  readonly everyday?: boolean;
  /** Maximum number of positional words. */
  readonly words: number;
  /** Required, so that no subcommand accepts `--dry-run` and ignores it. */
  readonly dryRun: DryRun | ((line: SubcommandLine) => DryRun);
  /** Runs until it is stopped; a stop is not a failure. */
  readonly untilStopped?: boolean;
  /** For scripts of this program; help does not list it. */
  readonly hidden?: boolean;
  /** Loads the subcommand. @returns a function that resolves to the exit code */
  readonly load: () => Promise<(context: SubcommandContext) => Promise<number>>;
}

export type Subcommands = Readonly<Record<string, Subcommand>>;
