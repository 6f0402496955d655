/** What one command runs with. A host makes it and passes it in; nothing is global. */
import type { Shared } from './api/shared.ts';
import type { JsonObject } from './json.ts';
import type { Clock, Files, Log, Stop, TokenStore, Transport } from './ports.ts';
import type { Settings } from './settings/parameters.ts';

/** What one command may put into the context where nobody says otherwise, in bytes of JSON. */
export const CONTEXT_LIMIT = 1_000_000;

/** Everything that a job knows between two of its steps. */
export type Position = JsonObject;

/** Where a job stands between two runs of the same command, on a host that limits how long one run may take. */
export interface Standing {
  readonly position: Position;
  /** When it began, by the elapsed time of its clock. */
  readonly started: number;
  /** What that clock reads when the next run begins: a process that goes on with the job starts its own clock there. */
  readonly elapsed: number;
  /** What the last run showed of it: a run that finds nothing else shows nothing. */
  readonly progress?: string;
}

/** A host's limit on one run, and where the run before it stopped. */
export interface Slice {
  readonly standing?: Standing;
  /** When this run has to return, by the clock's elapsed time. */
  readonly until: number;
}

/** Sentences that differ by host. */
export interface Advice {
  /** Where settings are made. */
  readonly settings: string;
  /** How a command is given more time. */
  readonly time: string;
  /** Where all commands are listed. */
  readonly commands: string;
}

export interface Runtime {
  readonly settings: Settings;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
  readonly tokens: TokenStore;
  /** What the commands of one program share; every runtime of the program has the same. */
  readonly shared: Shared;
  /** Ends this command and nothing else; absent where nobody can. */
  readonly stop?: Stop | undefined;
  /** Time for one command, waiting and repeats included, in milliseconds. */
  readonly budgetMs: number;
  /** Most pages of one list to ask for at once; one where it is not said, because a host may wait for each answer. */
  readonly pagesAtOnce?: number;
  /** Show what would be changed, and change nothing. */
  readonly dryRun: boolean;
  readonly files: Files;
  /** Most that one command may put into the context, in bytes of JSON; above it, a file has everything. */
  readonly contextLimit: number;
  /** The host limits one run: a job goes as far as the slice goes, and is called again. */
  readonly slice?: Slice;
  /** A line about work in progress, for a person who waits; it replaces the one before. */
  readonly progress?: (line: string) => void;
  /** What earlier commands left behind; references look here. Absent where the host has replaced them already. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** How this host's users go about it; ends the hints of errors. */
  readonly advice: Advice;
  /** The value of an environment variable or the text of a file, for arguments such as `@env:NAME`; absent where a host has neither. */
  readonly secretSource?: (kind: 'env' | 'file', name: string) => string | undefined;
  /** Takes shaped records as they arrive; the result does not keep them then, unless `keepsStreamed` says so. */
  readonly stream?: (record: unknown) => void;
  /** The result keeps streamed records as well, because a later command may refer to them. */
  readonly keepsStreamed?: boolean;
}
