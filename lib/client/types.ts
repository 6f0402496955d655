/** Public types of the library. They use no Node types, so that the declarations are self-contained. */

import type { AisecError } from '../core/errors.ts';
import type { Settings } from '../core/parameters.ts';
import type { Effect, Runtime, SeenRequest } from '../core/runtime.ts';
import type { CommandEntry } from '../manifest/command-catalogue.ts';
import type { stepJson } from '../playbook/trace.ts';
import type { Invocation } from '../runtime/arguments/lexer.ts';
import type { CheckState } from '../runtime/engine/checks.ts';
import type { Command } from '../runtime/engine/command.ts';
import type { Result } from '../runtime/output/result.ts';
import type { Allow } from './allow.ts';
import type { Collection, TenantTitle } from './report-pages.ts';
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
  /** Uses the simulated service inside this process instead of a tenant. */
  readonly simulate?: boolean | SimulationOptions;
  /** Limits the commands that may run. Default: all. */
  readonly allow?: Allow;
  /**
   * Calls come from a program that must not read files of this machine, such as an agent: file arguments name files in
   * `filesDirectory`, and `@env:` in a secret is rejected. Default: false.
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
  /** Timeout of one command, including waits and retries, in milliseconds, at most 24 days. Default: five minutes. */
  readonly timeoutMs?: number;
  /**
   * Sends bulk scans through the queue on Redis to the workers of this profile. `key` is the value of AISEC_QUEUE_KEY.
   * Default: this process runs them.
   */
  readonly queue?: { readonly url: string; readonly key?: string | undefined };
  /**
   * Maximum size of one result, in bytes of JSON; a larger result is truncated, and a file has all records. Default: no
   * limit.
   */
  readonly resultLimit?: number;
}

/** The options that the person who starts a host sets; the host sets all other options. */
export type StartOptions = Pick<
  ClientOptions,
  'environment' | 'configFile' | 'profile' | 'settings' | 'simulate' | 'log' | 'filesDirectory' | 'timeoutMs' | 'queue'
>;

export interface CallOptions {
  /** Cancels this call only. */
  readonly signal?: StopSignal | undefined;
  /** Receives progress lines; each replaces the previous line. */
  readonly onProgress?: ((line: string) => void) | undefined;
  /** Shows the change instead of making it. */
  readonly dryRun?: boolean | undefined;
  /** Timeout of this call, in milliseconds; overrides the client's timeout. */
  readonly timeoutMs?: number | undefined;
}

/** For hosts: overrides of the environment for one call. */
export interface HostCallOptions extends CallOptions {
  readonly host?: Partial<Pick<Runtime, 'timeSlice' | 'clock' | 'files' | 'ports' | 'contextLimit'>> & {
    /** Receives each request of the command after its response, without secrets. */
    readonly observe?: (request: SeenRequest) => void;
  };
  /** Returns what a session's line means in its context. Default: as it is parsed. @throws AisecError to refuse the line */
  readonly meaning?: ((context: Readonly<Record<string, unknown>>) => Promise<Invocation>) | undefined;
  /** Receives the result of a session's line before it changes the context. */
  readonly onResult?: ((result: Result) => void) | undefined;
  /** The declaration, if the host has already loaded it. */
  readonly command?: Command | undefined;
}

/** Limits of a client's rights. Limits add up: each further limit only removes rights. */
export interface Limits {
  /** Limits the commands that may run. */
  readonly allow?: Allow | undefined;
  /** Masks secrets that a service returns only once. */
  readonly hideSecrets?: boolean | undefined;
  /** Called before each attempt that `retry-count` adds. @throws AisecError if the caller may not make it */
  readonly beforeRetry?: (() => void) | undefined;
  /** Returns the path of a file for the name in an argument. @throws AisecError if there is no such file */
  readonly findFile?: ((name: string) => string) | undefined;
  /** For hosts: wraps each command, for example to record it; throws to reject the command. */
  readonly watch?: Watch | undefined;
}

/** A command as a host sees it before it runs. */
export interface WatchedCall {
  readonly name: string;
  /** Undefined for an unknown name, which is rejected when the command runs. */
  readonly command?: Command | undefined;
  /** As given; references to identifiers are resolved. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  /** True if the command continues a job from its checkpoint. */
  readonly resumes: boolean;
}

/** The part of a result that a host sees. */
export interface WatchedResult {
  readonly failure?: AisecError | undefined;
  readonly suspension?: object | undefined;
}

/** Wraps a command, and returns its result. */
export type Watch = <T extends WatchedResult>(call: WatchedCall, run: () => Promise<T>) => Promise<T>;

export interface RehearsalOptions extends CallOptions {
  /** Strings by the keys of the playbook's inputs. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Called after each task. */
  readonly onTask?: ((task: RehearsedTask) => void) | undefined;
}

/** One task of a rehearsal: inputs, comparisons and outputs, without secrets. */
export type RehearsedTask = ReturnType<typeof stepJson>;

export interface Rehearsal {
  /** Name of the playbook. */
  readonly playbook: string;
  readonly tasks: readonly RehearsedTask[];
  /** Values by declared context path, with secrets masked; null if a path has no value. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** True if the simulated service responded instead of a tenant. */
  readonly simulated: boolean;
  /** True for a dry run, which ends at the first change that later tasks depend on. */
  readonly planned: boolean;
  /** Why the rehearsal stopped early, and at which task. */
  readonly failure?: AisecError;
  readonly failedTask?: string;
}

export interface LineOptions extends HostCallOptions {
  /** Context for `${...}` references. Default: empty. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

/** The names of a map. */
type Name<Commands extends object> = Extract<keyof Commands, string>;
type ArgumentsOf<Entry> = Entry extends { args: infer Args } ? Args : never;
type OutputsOf<Entry> = Entry extends { outputs: infer Outputs } ? Outputs : never;
/** The argument object is optional if no argument is required. */
type Rest<Args> =
  Record<string, never> extends Args ? [args?: Args, options?: CallOptions] : [args: Args, options?: CallOptions];

export interface Runner<Commands extends object> {
  /**
   * Runs a command. Arguments are typed values, or strings as in a war-room line; both pass the same checks.
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
  line(text: string, options?: HostCallOptions): Promise<CommandResult>;
}

/** A client that shares its connections, and so cannot close them. */
export interface LimitedClient<Commands extends object> extends Runner<Commands> {
  /** Runs a war-room line such as `!aisec-runtime-topics-list limit=2`. */
  line(text: string, options?: LineOptions): Promise<CommandResult>;
  /** Opens a session. @param context the initial context */
  session(context?: Readonly<Record<string, unknown>>): Session<Commands>;
  /** Continues a related client's session with this client's limits. */
  join(session: object): Session<Commands>;
  /** Checks rights and arguments of a call, without running it. @throws as `call` does before it sends a request */
  verify(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: Pick<HostCallOptions, 'command'>,
  ): Promise<void>;
  /** Checks a line in the same way. */
  verifyLine(text: string, options?: Pick<LineOptions, 'context' | 'command' | 'meaning'>): Promise<void>;
  /** Runs a command whose name is known only at run time. */
  call(name: string, args?: Readonly<Record<string, unknown>>, options?: HostCallOptions): Promise<CommandResult>;
  /**
   * Rehearses a platform playbook, task by task, on this client's tenant. @param playbook the playbook as YAML
   * @throws ValidationError with all problems of a playbook that cannot be rehearsed
   */
  rehearse(playbook: string, options?: RehearsalOptions): Promise<Rehearsal>;
  /** Returns what pages about the tenant are made from. */
  collection(options: Pick<CallOptions, 'signal'>): Promise<Pick<Collection, 'run' | 'createdAt'>>;
  /** Returns the tenant of the client's settings. */
  title(): Promise<TenantTitle>;
  /** Returns a client with fewer rights on the same connections. */
  limited(limits: Limits): LimitedClient<Commands>;
  /** The commands that this client may run. */
  readonly commands: readonly CommandEntry[];
}

/** The outcome of one check of `Client.check`. */
export interface PlaneCheck {
  /** Such as `management`, or `token` for the access token. */
  readonly plane: string;
  readonly state: CheckState;
  /** The reason, if the check did not pass. */
  readonly detail: string;
  /** True if the service cannot be used without this plane. */
  readonly required: boolean;
}

export interface Client<Commands extends object> extends LimitedClient<Commands> {
  /** Tests the connection with one cheap request per plane; changes, scans and bills nothing. */
  check(options?: Pick<CallOptions, 'signal' | 'timeoutMs'>): Promise<readonly PlaneCheck[]>;
  /** Cancels running calls and closes all connections. */
  close(): Promise<void>;
}

export type { Allow, CommandEntry, CommandResult, Effect, SimulationOptions };
