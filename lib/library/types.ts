/** Public types of the library. They use no Node types, so that the declarations are self-contained. */
import type { Effect } from '../command.ts';
import type { CommandEntry } from '../manifest/command-catalogue.ts';
import type { Settings } from '../settings/parameters.ts';
import type { Allow } from './allow.ts';
import type { CommandResult } from './result.ts';
import type { SimulationOptions } from './simulation.ts';

/** The subset of `AbortSignal` that a call uses. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Arguments and outputs by command name, such as the generated `AisecCommands`. */
export type CommandMap = { readonly [Name in string]: { readonly args: object; readonly outputs: object } };

export interface ClientOptions {
  /** Settings by their names in integration.yml. They take precedence over `environment` and `configFile`. */
  readonly settings?: { readonly [Name in keyof Settings]?: Settings[Name] | undefined };
  /** Environment variables such as `AISEC_CLIENT_ID`; `process.env` is read only if it is passed here. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Path of a settings file, as for `--config`. */
  readonly configFile?: string;
  /** The section of the settings file. */
  readonly profile?: string;
  /** Uses the simulated service inside this process in place of a tenant. */
  readonly simulate?: boolean | SimulationOptions;
  /** Limits the commands that may run. Default: all. */
  readonly allow?: Allow;
  /**
   * Calls come from a program that must not read this machine, such as an agent: file arguments name files in
   * `filesDirectory`, and `@env:` in a secret is refused. Default: false.
   */
  readonly confined?: boolean;
  /** Masks secrets that a service returns only once. Default: false. */
  readonly hideSecrets?: boolean;
  /** Log settings; without them nothing is logged. Secrets are never logged. */
  readonly log?: {
    readonly level?: 'trace' | 'debug' | 'info' | 'warn';
    readonly stream: { write(text: string): unknown };
    /** Log prompts and responses too. */
    readonly content?: boolean;
  };
  /** Directory for files of commands; created on demand. Default: the working directory. */
  readonly filesDirectory?: string;
  /** Timeout of one command, including waits and retries, in milliseconds. Default: five minutes. */
  readonly timeoutMs?: number;
  /** Maximum size of one result, in bytes of JSON; a larger one is truncated, and a file has all records. Default: no limit. */
  readonly resultLimit?: number;
}

/** The options that the person who starts a host decides; the host decides the others. */
export type StartOptions = Pick<
  ClientOptions,
  'environment' | 'configFile' | 'profile' | 'settings' | 'simulate' | 'log' | 'filesDirectory' | 'timeoutMs'
>;

export interface CallOptions {
  /** Cancels this call only. */
  readonly signal?: StopSignal | undefined;
  /** Receives progress lines; each replaces the previous one. */
  readonly onProgress?: ((line: string) => void) | undefined;
  /** Shows what would change, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Timeout of this call, in milliseconds; overrides that of the client. */
  readonly timeoutMs?: number | undefined;
}

export interface LineOptions extends CallOptions {
  /** Context for `${...}` references. Default: empty. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** The names of a map. */
type Name<Commands extends object> = Extract<keyof Commands, string>;
type ArgumentsOf<Entry> = Entry extends { args: infer Args } ? Args : never;
type OutputsOf<Entry> = Entry extends { outputs: infer Outputs } ? Outputs : never;
/** Arguments are optional if none is required. */
type Rest<Args> =
  Record<string, never> extends Args ? [args?: Args, options?: CallOptions] : [args: Args, options?: CallOptions];

export interface Runner<Commands extends object> {
  /**
   * Runs a command. Arguments are typed values, or the texts of a war-room line; both pass the same checks.
   * @throws AisecError for every failure; `docs/architecture.md` lists its classes
   */
  run<const N extends Name<Commands>>(
    name: N,
    ...rest: Rest<ArgumentsOf<Commands[N]>>
  ): Promise<CommandResult<OutputsOf<Commands[N]>>>;
}

/** A war room: lines can refer to the outputs of earlier lines. */
export interface Session<Commands extends object> extends Runner<Commands> {
  /** Outputs of earlier calls, by context path. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Runs a line; `${...}` in it refers to the context. */
  line(text: string, options?: CallOptions): Promise<CommandResult>;
}

export interface Client<Commands extends object> extends Runner<Commands> {
  /** Runs a war-room line such as `!aisec-runtime-topics-list limit=2`. */
  line(text: string, options?: LineOptions): Promise<CommandResult>;
  /** Opens a session. @param context the initial context */
  session(context?: Readonly<Record<string, unknown>>): Session<Commands>;
  /** Runs a command whose name is known only at run time. */
  call(name: string, args?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<CommandResult>;
  /** The commands that this client may run. */
  readonly commands: readonly CommandEntry[];
  /** Cancels running calls and closes all connections. */
  close(): Promise<void>;
}

export type { Allow, CommandEntry, CommandResult, Effect, SimulationOptions };
