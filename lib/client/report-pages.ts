/** Pages about scans and tenants as HTML: features make them, and hosts show them. */
import type { ShowProgress } from '../core/progress.ts';
import type { RunCommand } from '../runtime/engine/command-port.ts';
import type { ResultTable } from '../runtime/select/result-tables.ts';

/** What a page is made from. */
export interface Collection {
  /** Runs commands whose results are never truncated. */
  readonly run: RunCommand;
  /** Creation time of the page, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** Version of this program. */
  readonly version: string;
  readonly progress: ShowProgress;
}

/** Names the tenant of a client. */
export interface TenantTitle {
  /** Identifier of the tenant. */
  readonly tenant: string | undefined;
  /** Section of the settings file. */
  readonly profile: string | undefined;
  /** Whether the section is marked as production. */
  readonly production: boolean;
}

/** A line of a war room with its result. */
export interface ReportedLine {
  readonly number: number;
  /** The line, secrets masked. */
  readonly line: string;
  /** Start, as an ISO date. */
  readonly time: string;
  /** Duration in milliseconds. */
  readonly ms: number;
  readonly state: string;
  readonly verdict: string | null;
  readonly summary: string;
  readonly simulated: boolean;
  readonly dryRun: boolean;
  /** A value that the line refers to has changed since. */
  readonly stale: boolean;
  readonly failure?: { readonly detail: string; readonly hint?: string } | undefined;
  readonly notes: readonly string[];
  /** Without secrets. */
  readonly tables: readonly ResultTable[];
}

/** Makes pages for a host, because hosts import no features. */
export interface ReportPages {
  /** Makes the page of a red-team scan or a model scan. @throws NotFoundError if neither has the id; AisecError of any kind */
  report(id: string, collection: Collection): Promise<string>;
  /** Makes the page of two red-team scans, the earlier one first. @throws AisecError of any kind */
  comparison(ids: readonly [before: string, after: string], collection: Collection): Promise<string>;
  /** Makes the page of a tenant. @throws AisecError if no part can be read */
  dashboard(title: TenantTitle, collection: Collection): Promise<string>;
  /** Makes the page of lines of a war room. */
  room(
    lines: readonly ReportedLine[],
    title: TenantTitle,
    made: Pick<Collection, 'createdAt' | 'version'>,
  ): Promise<string>;
}
