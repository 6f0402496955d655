/** Documents of the service, as its OpenAPI description has them. */

export interface Me {
  /** Name of the token. */
  readonly name: string;
  readonly role: 'read' | 'operate' | 'admin';
  /** Section of the settings file, which selects the tenant. */
  readonly profile: string | null;
  readonly tenant: string | null;
  readonly production: boolean;
  readonly simulated: boolean;
  readonly version: string;
}

/** A JSON schema of an argument. */
export interface ArgumentSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly effect: 'read' | 'create' | 'update' | 'replace' | 'delete' | 'run';
  readonly example: string;
  /** Rules about several arguments, as sentences. */
  readonly rules: readonly string[];
  /** Arguments whose values are prompts, responses or other user content. */
  readonly content: readonly string[];
  readonly job: unknown;
  /** Fields that people want first, by context path. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly outputSchema: unknown;
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, ArgumentSchema>>;
    readonly required?: readonly string[];
  };
}

/** Why a request failed. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly title?: string;
  readonly detail: string;
  readonly hint?: string;
  readonly argument?: string;
}

export interface EntryHead {
  /** Counts from 1. */
  readonly number: number;
  /** The line, with secrets masked. */
  readonly line: string;
  /** Null for an unknown command. */
  readonly command: string | null;
  /** Random id of the tab that ran it. */
  readonly by: string | null;
  /** When it was started, as an ISO date. */
  readonly time: string;
  /** Duration, in milliseconds. */
  readonly ms: number;
  readonly state: 'done' | 'partial' | 'failed' | 'stopped';
  readonly verdict: string | null;
  /** One line for people. */
  readonly summary: string;
  /** Number of records. */
  readonly count: number | null;
  /** Context paths. */
  readonly wrote: readonly string[];
  readonly starred: boolean;
  /** Whether a value that the line refers to has changed since. */
  readonly stale: boolean;
  readonly dryRun: boolean;
  readonly simulated: boolean;
  readonly run: string | null;
}

export interface RoomFile {
  readonly id: string;
  readonly name: string;
  readonly size: number | null;
  readonly contentType: string;
  readonly url: string;
}

export interface CommandResult {
  readonly command: string;
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Markdown. */
  readonly readable: string;
  readonly raw: unknown;
  readonly notes: readonly string[];
  readonly files: readonly RoomFile[];
  readonly simulated: boolean;
  readonly planned: boolean;
  readonly truncated?: {
    readonly kept: number;
    readonly total: number;
    readonly note: string;
    readonly file?: RoomFile;
  };
  readonly failure?: Problem;
}

/** A request that a command sent, without secrets. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly status: number | null;
  readonly ms: number;
  readonly at: string;
  readonly sent?: unknown;
  readonly received?: unknown;
}

export interface EntryDetail extends EntryHead {
  readonly result?: CommandResult;
  readonly problem?: Problem;
  readonly requests: readonly SeenRequest[];
}

export interface Run {
  readonly id: string;
  readonly command: string;
  readonly state: 'queued' | 'running' | 'succeeded' | 'partial' | 'failed' | 'stopped' | 'unknown' | 'unreadable';
  readonly created: string;
  readonly started: string | null;
  readonly ended: string | null;
  readonly progress: string | null;
  readonly session?: string;
  /** The line, with secrets masked. */
  readonly line?: string;
  readonly result?: unknown;
  readonly problem?: Problem;
}

export interface Room {
  readonly id: string;
  readonly created: string;
  readonly used: string;
  readonly lines: number;
  readonly contextBytes: number;
}
