/** The environment of one command. The host creates it and passes it in; there is no global state. */
import type { JsonObject } from './json.ts';
import type { SettingName, Settings } from './parameters.ts';
import type {
  Clock,
  Files,
  HttpRequest,
  HttpResponse,
  Log,
  SecretSource,
  Stop,
  TokenStore,
  Transport,
} from './ports.ts';
import type { ShowProgress } from './progress.ts';
import type { Shared } from './shared.ts';

/** Default limit of the JSON that one command adds to the context, in bytes. */
export const CONTEXT_LIMIT = 1_000_000;

/** The state of a job between two steps. */
export type Position = JsonObject;

/** The state of a job between two runs of the same command, on a host that limits the time of a run. */
export interface Checkpoint {
  readonly position: Position;
  /** Start of the job, by the clock's elapsed time. */
  readonly started: number;
  /** The clock's elapsed time at the start of the next run, whose process continues counting from there. */
  readonly elapsed: number;
  /** The last progress shown: a run without progress shows nothing new. */
  readonly progress?: string;
}

/** The time limit of one run, and the checkpoint of the previous run. */
export interface TimeSlice {
  readonly checkpoint?: Checkpoint;
  /** When this run must return, by the clock's elapsed time. */
  readonly deadline: number;
  /** When a run must return if no later run can continue it. Default: at its deadline. */
  readonly lastDeadline?: number;
}

/** Sentences that each host words differently. */
export interface Advice {
  /** Where to change settings. */
  readonly settings: string;
  /** How to give a command more time. */
  readonly time: string;
  /** Where to list all commands. */
  readonly commands: string;
  /** Returns the name by which users of the host know a setting. Default: its title and its environment variable. */
  readonly settingName?: (name: SettingName) => string;
}

/** A request that a command sent, as a host may show it: without secrets, and with shortened bodies. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  /** Null if there was no response. */
  readonly status: number | null;
  /** Duration in milliseconds. */
  readonly ms: number;
  /** Start, as an ISO date. */
  readonly at: string;
  /** The body as JSON, or as text if it is long or no JSON; absent if there was none. */
  readonly sent?: unknown;
  readonly received?: unknown;
}

/** Watches a request. @returns a function to call with its response, or without one if there was none */
export type Observe = (
  request: Pick<HttpRequest, 'method' | 'url' | 'body' | 'upload'>,
  redact: { body(text: string): string; named(text: string): unknown },
) => (response?: HttpResponse) => void;

export interface Runtime {
  readonly settings: Settings;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
  readonly tokens: TokenStore;
  /** State that all commands of one program share. */
  readonly shared: Shared;
  /** Ends only this command. */
  readonly stop?: Stop | undefined;
  /** Time limit of one command, waits and retries included, in milliseconds. */
  readonly budgetMs: number;
  /** Additional time that the host needs, for example to load the command: the caller's time limit includes it. */
  readonly reserveMs?: number;
  /** Maximum number of concurrent page requests of one list; default 1, because a host may be synchronous. */
  readonly pageConcurrency?: number;
  /** Called before each attempt that `retry-count` adds. @throws AisecError if the caller may not make it */
  readonly beforeRetry?: (() => void) | undefined;
  /** Show the change instead of making it. */
  readonly dryRun: boolean;
  readonly files: Files;
  /** Limit of the JSON that one command adds to the context, in bytes; a larger result goes to a file. */
  readonly contextLimit: number;
  /** The time limit of one run: a job returns when it is over, and is called again. */
  readonly timeSlice?: TimeSlice;
  readonly progress?: ShowProgress;
  /** Receives each request after its response. */
  readonly observe?: Observe | undefined;
  /** Defaults that replace the declared defaults of arguments, by name. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** The context that references read; undefined if the host has already resolved them. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Host-specific sentences for error hints. */
  readonly advice: Advice;
  /** Reads an environment variable or a file for arguments such as `@env:NAME`; undefined if the host has neither. */
  readonly secretSource?: SecretSource;
  /** Receives shaped records as they arrive; the result does not keep them, unless `keepsStreamed` is set. */
  readonly stream?: ((record: unknown) => void) | undefined;
  /** Resolves when the streamed records have left the process. @throws AisecError if they cannot be written */
  readonly delivered?: () => Promise<boolean>;
  /** The host shows only the first rows of a table; a file has all rows. */
  readonly showsTables?: boolean;
  /** Ports that the host hands to particular commands, by the names of their keys. */
  readonly ports?: Readonly<Record<string, unknown>>;
  /** The result keeps streamed records, because a later command may refer to them. */
  readonly keepsStreamed?: boolean;
}

/**
 * The effect of a command on the service. `read` changes nothing: it is retried, and a dry run sends it.
 * `run` starts work, such as a scan. A dry run stops before every effect except `read`, and such commands are never
 * repeated blindly.
 */
export type Effect = 'read' | 'create' | 'update' | 'replace' | 'delete' | 'run';
