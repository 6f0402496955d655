/** The port of runs, which outlive the request that started them. */

import type { Limits, StopSignal } from '../client/types.ts';
import { AisecError, CancelledError, type ErrorObject, QuotaError } from '../core/errors.ts';
import type { Command } from '../runtime/engine/command.ts';

/**
 * `unknown`: the run began, and its outcome is unknown. `unreadable`: its record was written with a key that this
 * process does not have, or is damaged.
 */
export const RUN_STATES = [
  'queued',
  'running',
  'succeeded',
  'partial',
  'failed',
  'stopped',
  'unknown',
  'unreadable',
] as const;
export type RunState = (typeof RUN_STATES)[number];

/** The request that started a run, as plain JSON for the audit. */
export interface Origin {
  /** Id of the request. */
  readonly request: string;
  /** Name and role of the token. */
  readonly caller: string;
  readonly role: string;
  /** IP address. */
  readonly remote: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The service keeps an audit file, so a worker must keep one too. */
  readonly audited: boolean;
}

/** The owner of a run, and their rights. Plain JSON. */
export interface RunOwner {
  /** Profile of its tenant; empty for the process's default tenant. */
  readonly tenant: string;
  /**
   * Identity of the tenant, if several processes share runs: another process may use the same name for another tenant.
   */
  readonly identity?: string;
  /** Name of the token that started it. */
  readonly caller: string;
  readonly limits: Pick<Limits, 'allow' | 'hideSecrets'>;
  readonly origin?: Origin;
}

/** The request for a run; plain JSON, because another process may perform it. */
export type RunRequest =
  | { readonly kind: 'command'; readonly command: string; readonly args: object; readonly dryRun: boolean }
  | {
      readonly kind: 'line';
      readonly session: string;
      readonly line: string;
      /** The line, secrets masked. */
      readonly shown: string;
      /** The tab of a browser that sent it. */
      readonly by?: string;
      /** What a person confirmed. */
      readonly seal?: string;
      readonly dryRun: boolean;
      /** Names of the commands that the run may use. */
      readonly commands: readonly string[];
    }
  | {
      readonly kind: 'playbook';
      readonly playbook: string;
      readonly shown?: ShownPlaybook;
      readonly inputs: Readonly<Record<string, string>>;
      readonly dryRun: boolean;
      readonly commands: readonly string[];
    };

/** How lists call a playbook. */
interface ShownPlaybook {
  readonly title: string;
  /** Null for a playbook that does not ship with the program. */
  readonly name: string | null;
}

/** One run, as plain JSON. */
export interface Run {
  /** Hexadecimal and unguessable. */
  readonly id: string;
  readonly owner: RunOwner;
  /** Name of the command, or `playbook`. */
  readonly command: string;
  /** Names of the commands whose results the run may contain. Default: `command`. */
  readonly uses?: readonly string[];
  /** Id of the session of a line, and the line, secrets masked. */
  readonly session?: string;
  readonly line?: string;
  /** The playbook of a rehearsal. */
  readonly playbook?: ShownPlaybook;
  readonly state: RunState;
  /** Dates as ISO strings; null: not yet. */
  readonly created: string;
  readonly started: string | null;
  readonly ended: string | null;
  /** The last line of progress. */
  readonly progress: string | null;
  /** The result, as plain JSON. */
  readonly result?: unknown;
  /** Why the run failed. */
  readonly error?: ErrorObject;
}

/** One event of a run. Ids count from 1. */
export interface RunEvent {
  readonly id: number;
  readonly event: 'state' | 'progress' | 'task' | 'end';
  readonly data: unknown;
}

/** The signal, the time limit and the callbacks of a run. */
export interface RunContext {
  /** Id of the run; undefined while a request waits for the work. */
  readonly run?: string | undefined;
  /** The declaration of the command, if this process has loaded it. */
  readonly command?: Command | undefined;
  readonly signal: StopSignal;
  readonly onProgress: (line: string) => void;
  /** A task of a playbook has ended. */
  readonly onTask: (task: unknown) => void;
  /** Time limit of the whole run, in milliseconds. Default: the limit of one request. */
  readonly timeoutMs?: number;
}

/** The outcome of a run. */
export interface RunOutcome {
  readonly result: unknown;
  /** Only some of the work was done. */
  readonly partial: boolean;
}

/** Performs a run. @throws AisecError */
export type PerformRun = (work: RunRequest, owner: RunOwner, reports: RunContext) => Promise<RunOutcome>;

/** Counts for measurements. */
export interface RunCounts {
  readonly queued: number;
  readonly running: number;
  /** Age of the oldest queued run, in milliseconds; 0 if no run is queued. */
  readonly oldestMs: number;
  /** Number of processes that work on runs. */
  readonly workers: number;
}

export interface Runs {
  /**
   * Starts a run, or queues it.
   * @param command the declaration of its command, if any
   * @throws QuotaError if the token has too many waiting runs, BusyError if its tenant has
   */
  start(owner: RunOwner, work: RunRequest, command?: Command): Promise<Run>;
  find(id: string): Promise<Run | undefined>;
  /** Lists the runs of a tenant, the newest first. @param caller limits the list to the runs of this token */
  list(tenant: string, caller?: string): Promise<readonly Run[]>;
  /** Stops a run that has not ended. */
  stop(id: string): Promise<void>;
  /** Forgets a run that has ended. */
  remove(id: string): Promise<void>;
  /**
   * Follows a run to its end.
   * @param after id of the last known event; later ones follow
   * @returns undefined if there is no such run
   */
  events(id: string, after: number, signal: AbortSignal): AsyncIterable<RunEvent> | undefined;
  counts(): Promise<RunCounts>;
  /** Returns a one-word reason why runs cannot be accepted. */
  problem(): Promise<string | undefined>;
  /** Lets active runs end within a time, in milliseconds, then stops the rest. */
  close(graceMs: number): Promise<void>;
}

/** Runs cannot be accepted now: repeat the same call later. */
export class BusyError extends AisecError {
  override readonly name = 'BusyError';
  override readonly code = 'busy';
  override readonly exitCode = 7;
}

/** Too many runs of the tenant are queued. */
export class TenantQueueFullError extends BusyError {
  constructor() {
    super('Too many runs are queued.', { hint: 'Try again later.', retryable: true });
  }
}

/**
 * Maximum queued and running runs of one token, and bytes of their requests: leaves room for the tenant's other tokens.
 */
export const MAX_OWN = { runs: 1000, bytes: 50_000_000 } as const;

/** The token has too many queued or running runs. */
export class CallerQueueFullError extends QuotaError {
  constructor() {
    const { runs, bytes } = MAX_OWN;
    const limit = `${runs} runs or ${bytes / 1_000_000} MB`;
    super(`The waiting runs of this token have reached their limit of ${limit}.`, {
      hint: 'Wait for runs to end, or stop some.',
      retryable: true,
    });
  }
}

/** Creates a queued run. */
export function newRun(id: string, owner: RunOwner, work: RunRequest, created: string): Run {
  const uses = work.kind === 'command' ? {} : { uses: work.commands };
  const rehearsed = work.kind === 'playbook' && work.shown !== undefined ? { playbook: work.shown } : {};
  const said = work.kind === 'line' ? { session: work.session, line: work.shown } : rehearsed;
  return {
    ...{ id, owner, command: requestTitle(work), ...uses, ...said },
    ...{ state: 'queued', created, started: null, ended: null, progress: null },
  };
}

/** Returns the names of the commands that a request may run. */
export function requestedCommands(work: RunRequest): readonly string[] {
  return work.kind === 'command' ? [work.command] : work.commands;
}

/** Returns the state of a run that threw an error. */
export function stateAfter(error: AisecError): 'unknown' | 'stopped' | 'failed' {
  if (error.outcomeUnknown) return 'unknown';
  return error instanceof CancelledError ? 'stopped' : 'failed';
}

/** Reports whether a run is known to have ended. */
export function hasEnded({ state }: Pick<Run, 'state'>): boolean {
  return state !== 'queued' && state !== 'running';
}

/** Names a request in lists. */
export function requestTitle(work: RunRequest): string {
  if (work.kind === 'command') return work.command;
  return work.kind === 'line' ? 'line' : 'playbook';
}

/** Names the owner of files and sessions: a token within its tenant. Token names never contain a slash. */
export function ownerKey({ tenant, caller }: Pick<RunOwner, 'tenant' | 'caller'>): string {
  return `${caller}/${tenant}`;
}

/**
 * Reports whether a run must be performed in the process that received it, because it needs that process's sessions,
 * playbooks or files. A bulk scan also reads files, but its shards go to workers.
 */
export function needsThisProcess(work: RunRequest, command: Command | undefined): boolean {
  if (work.kind !== 'command' || command === undefined) return true;
  return command.returnsFile === true || Object.values(command.args).some(({ kind }) => kind === 'file');
}
