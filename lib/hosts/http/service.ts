/** Defines the parts that all requests share, and the server's limits. */
import type { ReportPages } from '../../client/report-pages.ts';
import type { StopSignal } from '../../client/types.ts';
import type { Clock } from '../../core/ports.ts';
import type { CommandEntry } from '../../manifest/command-catalogue.ts';
import type { Playbook, PlaybookText } from '../../playbook/playbook.ts';
import type { Audit } from '../../runs/audit/audit.ts';
import type { PerformRun, RunOwner, RunRequest, Runs } from '../../runs/port.ts';
import type { Tenants } from '../../runs/tenants.ts';
import type { Command, Registry } from '../../runtime/engine/command.ts';
import type { Rate, SlowDown } from './access/admission.ts';
import type { Authenticate } from './access/authenticate.ts';
import type { Logins } from './access/logins.ts';
import type { OwnValues } from './completion/own-values.ts';
import type { Streams } from './events/streams.ts';
import type { Guards } from './guarding/guards.ts';
import type { OpenStreams } from './guarding/open-streams.ts';
import type { Metrics } from './metrics.ts';
import type { Idempotency } from './responses/idempotency.ts';
import type { Unread } from './responses/unread.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { TenantFacts } from './tenant-facts.ts';

/** A playbook that ships with the program, as text and parsed. */
export interface ShippedPlaybook extends PlaybookText {
  readonly playbook: Playbook;
}

/** A file of the war room's page. */
export interface PageFile {
  readonly text: string;
  /** Media type. */
  readonly type: string;
}

export interface Service {
  readonly registry: Registry;
  readonly catalogue: readonly CommandEntry[];
  /** The playbooks that ship with the program. They are read once. */
  readonly playbooks: () => Promise<readonly ShippedPlaybook[]>;
  readonly clock: Clock;
  readonly authenticate: Authenticate;
  readonly logins: Logins;
  /** Reads the page's files, by name; a program that was built without them has an empty map. */
  readonly page: () => Promise<ReadonlyMap<string, PageFile>>;
  readonly rate: Rate;
  readonly slowDown: SlowDown;
  readonly audit: Audit;
  readonly tenants: Tenants;
  /** Ids and names of records, for completion. */
  readonly ownValues: OwnValues;
  readonly runs: Runs;
  readonly sessions: Sessions;
  readonly streams: Streams;
  readonly uploads: Streams;
  readonly reportPages: ReportPages;
  /** Pages that are being made, by token. */
  readonly openReportPages: Streams;
  /** Version of this program. */
  readonly version: string;
  readonly unread: Unread;
  readonly metrics: Metrics;
  readonly guards: Guards;
  readonly guardStreams: OpenStreams;
  readonly limits: ServerLimits;
  /** Aborts when the service stops: it accepts no new work. */
  readonly stopping: AbortSignal;
  /** Aborts when the shutdown time is up: running work is stopped. */
  readonly halting: StopSignal;
  /** Does work while its request waits. */
  readonly doWork: PerformRun;
  /** Checks work before it is accepted as a run. @throws the error with which the work would fail */
  readonly verify: (work: RunRequest, owner: RunOwner, command?: Command) => Promise<void>;
  readonly idempotency: Idempotency;
  /** Reads an OpenAPI document, by its path. */
  readonly openApi: () => Promise<string>;
  /** Returns what a caller sees of its tenant. @param profile empty for the default tenant */
  readonly tenantFacts: (profile: string) => Promise<TenantFacts>;
  /** Returns the reason why the service is not ready. */
  readonly readiness: () => Promise<string | undefined>;
}

export const SERVER_LIMITS = {
  /** Time for the headers of a request, in milliseconds. */
  headersMs: 10_000,
  /** Time for a whole JSON body after its headers, in milliseconds. */
  bodyMs: 30_000,
  /** Maximum open connections, unless the process's limit of open files is lower. */
  connections: 4096,
  /** Time after which a client that does not read its response is disconnected, in milliseconds. */
  stallMs: 60_000,
  /** Maximum unread response bytes per token. */
  unreadBytes: 100_000_000,
  /** Maximum open event streams per token; each holds a connection. */
  streams: 2000,
  /** Maximum concurrent uploads per token; each holds a connection and a file. */
  uploads: 50,
  /** Maximum pages that are made at a time, per token; each reads much of the tenant. */
  reportPages: 4,
  /** Default time limit of one guard scan, in milliseconds; a caller may set another. */
  guardScanMs: 2000,
  /** Maximum concurrent guarded streams per token; each scans. */
  guardStreams: 200,
  /** Time without an event after which a guarded stream ends, in milliseconds. */
  guardIdleMs: 60_000,
  /** Time limit of a whole guarded stream, in milliseconds. */
  guardStreamMs: 900_000,
  /** Process memory above which requests are refused, in bytes. */
  memoryBytes: 1_500_000_000,
};

export type ServerLimits = typeof SERVER_LIMITS;
