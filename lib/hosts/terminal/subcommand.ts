/** What subcommands, and the modes without one, are handed. */

import type { Options } from './cli-options.ts';
import type { Report } from './failure.ts';
import type { TerminalHost } from './host.ts';
import type { Format } from './options.ts';
import type { Screen } from './screen.ts';

/** What the program was started with. */
export interface Started {
  readonly host: TerminalHost;
  readonly options: Options;
  /** The format in force: the one asked for, or the default. */
  readonly format: Format;
  readonly screen: Screen;
  readonly report: Report;
}

/** What a subcommand works with. */
export interface Invoked extends Started {
  /** All there are, for help. */
  readonly subcommands: Subcommands;
  /** Words after the subcommand's name. */
  readonly words: readonly string[];
  /** Aborted by Ctrl-C and its like, and when nobody reads the results any more. */
  readonly signal: AbortSignal;
}

export interface Subcommand {
  /** As it is typed, without the program's name. */
  readonly usage: string;
  readonly summary: string;
  /** How many words it takes. */
  readonly words: number;
  /** It goes on until it is stopped, which is then no failure. */
  readonly untilStopped?: boolean;
  /** @returns a function that answers with the exit code */
  readonly load: () => Promise<(invoked: Invoked) => Promise<number>>;
}

export type Subcommands = Readonly<Record<string, Subcommand>>;
