/** Documents of the service, as its OpenAPI description has them. */
import type { SeenRequest } from '../lib/core/runtime.ts';
import type { EntryHead } from '../lib/hosts/http/sessions/entry-head.ts';
import type { CommandEntry } from '../lib/manifest/command-catalogue.ts';
import type { ResultTable, TableColumn } from '../lib/runtime/select/result-tables.ts';

export type { EntryHead, ResultTable, SeenRequest, TableColumn };

export interface Me {
  readonly name: string;
  readonly role: 'read' | 'operate' | 'admin';
  /** Section of the settings file, which selects the tenant. */
  readonly profile: string | null;
  readonly tenant: string | null;
  readonly production: boolean;
  readonly simulated: boolean;
}

export interface ArgumentSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

/** A command, with the parts of its schemas that the page reads. */
export interface Command
  extends Pick<CommandEntry, 'name' | 'summary' | 'effect' | 'example' | 'rules' | 'content' | 'job'> {
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, ArgumentSchema>>;
    readonly required?: readonly string[];
  };
}

export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly hint?: string;
}

export interface RoomFile {
  readonly id: string;
  readonly name: string;
  readonly size: number | null;
}

export interface CommandResult {
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Markdown. */
  readonly readable: string;
  readonly notes: readonly string[];
  readonly files: readonly RoomFile[];
  readonly truncated?: { readonly note: string; readonly file?: RoomFile };
  readonly failure?: Problem;
}

export interface EntryDetail extends EntryHead {
  readonly result?: CommandResult;
  readonly problem?: Problem;
  readonly tables: readonly ResultTable[];
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
  readonly playbook?: { readonly title: string; readonly name: string | null };
  readonly result?: unknown;
  readonly problem?: Problem;
}

export interface Room {
  readonly id: string;
  readonly created: string;
  readonly used: string;
}
