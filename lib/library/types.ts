/** The types of the library's face. They name no type of Node, so that they stand alone. */
import type { Effect } from '../command.ts';
import type { CommandEntry } from '../manifest/command-catalogue.ts';
import type { Settings } from '../settings/parameters.ts';
import type { Allow } from './allow.ts';
import type { CommandResult } from './result.ts';
import type { SimulationOptions } from './simulation.ts';

/** An `AbortSignal`, as far as a call needs one. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Arguments and outputs by command name; the written `AisecCommands` is one. */
export type CommandMap = { readonly [Name in string]: { readonly args: object; readonly outputs: object } };

export interface ClientOptions {
  /** Settings by their names in integration.yml. They come before `environment` and `configFile`. */
  readonly settings?: { readonly [Name in keyof Settings]?: Settings[Name] | undefined };
  /** Environment variables such as `AISEC_CLIENT_ID`; `process.env` is read only when it is handed in here. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** A settings file, as `--config` names it. */
  readonly configFile?: string;
  /** The section of the settings file. */
  readonly profile?: string;
  /** Answers from the simulated service inside this process, in place of a tenant. */
  readonly simulate?: boolean | SimulationOptions;
  readonly allow?: Allow;
  /** Receives log lines without secrets; without it nothing is logged. */
  readonly log?: {
    readonly level?: 'trace' | 'debug' | 'info' | 'warn';
    readonly stream: { write(text: string): unknown };
    /** Log prompts and responses too. */
    readonly content?: boolean;
  };
  /** Where commands put files; it is created when needed. Default: the working directory. */
  readonly filesDirectory?: string;
  /** Time for one command, waiting and retries included, in milliseconds. Default: five minutes. */
  readonly timeoutMs?: number;
  /** Most that one result holds, in bytes of JSON; above it, a file has all records. Default: no limit. */
  readonly resultLimit?: number;
}

export interface CallOptions {
  /** Stops this call, and no other one. */
  readonly signal?: StopSignal | undefined;
  /** Receives one line about work in progress; it replaces the line before. */
  readonly onProgress?: ((line: string) => void) | undefined;
  /** Shows what would be changed, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface LineOptions extends CallOptions {
  /** What `${...}` refers to. Default: an empty context. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** The names of a map. */
type Name<Commands extends object> = Extract<keyof Commands, string>;
type ArgumentsOf<Entry> = Entry extends { args: infer Args } ? Args : never;
type OutputsOf<Entry> = Entry extends { outputs: infer Outputs } ? Outputs : never;
/** Arguments may be left out where none is required. */
type Rest<Args> =
  Record<string, never> extends Args ? [args?: Args, options?: CallOptions] : [args: Args, options?: CallOptions];

export interface Runner<Commands extends object> {
  /**
   * Runs a command. Arguments are typed values, or the texts of a war-room line; both pass the same checks.
   * @throws AisecError of every kind
   */
  run<const N extends Name<Commands>>(
    name: N,
    ...rest: Rest<ArgumentsOf<Commands[N]>>
  ): Promise<CommandResult<OutputsOf<Commands[N]>>>;
}

/** A war room: what one line leaves in the context, the next can refer to. */
export interface Session<Commands extends object> extends Runner<Commands> {
  readonly context: Readonly<Record<string, unknown>>;
  line(text: string, options?: CallOptions): Promise<CommandResult>;
}

export interface Client<Commands extends object> extends Runner<Commands> {
  /** Runs a war-room line such as `!aisec-runtime-topics-list limit=2`. */
  line(text: string, options?: LineOptions): Promise<CommandResult>;
  /** Opens a session. @param context what it starts with */
  session(context?: Readonly<Record<string, unknown>>): Session<Commands>;
  /** Runs a command whose name is known only at run time. */
  call(name: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<CommandResult>;
  /** The commands that this client may run. */
  readonly commands: readonly CommandEntry[];
  /** Stops what still runs and closes all connections. */
  close(): Promise<void>;
}

export type { Allow, CommandEntry, CommandResult, Effect, SimulationOptions };
