/** The parts that all requests share. */
import type { StopSignal } from '../../client/types.ts';
import type { Clock } from '../../core/ports.ts';
import type { Command, Registry } from '../../engine/command.ts';
import type { CommandEntry } from '../../manifest/command-catalogue.ts';
import type { Audit } from '../../runs/audit/audit.ts';
import type { PerformRun, RunOwner, RunRequest, Runs } from '../../runs/port.ts';
import type { Tenants } from '../../runs/tenants.ts';
import type { Authenticate } from './access/authenticate.ts';
import type { Rate } from './access/rate.ts';
import type { SlowDown } from './access/slow-down.ts';
import type { Streams } from './events/streams.ts';
import type { Guards } from './guarding/guards.ts';
import type { OpenStreams } from './guarding/open-streams.ts';
import type { Metrics } from './metrics.ts';
import type { Idempotency } from './responses/idempotency.ts';
import type { Unread } from './responses/unread.ts';
import type { ServerLimits } from './server-limits.ts';
import type { Sessions } from './sessions.ts';
import type { ShippedPlaybook } from './shipped-playbooks.ts';

export interface Service {
  readonly registry: Registry;
  readonly catalogue: readonly CommandEntry[];
  /** The playbooks that ship with the program. They are read once. */
  readonly playbooks: () => Promise<readonly ShippedPlaybook[]>;
  readonly clock: Clock;
  readonly authenticate: Authenticate;
  readonly rate: Rate;
  readonly slowDown: SlowDown;
  readonly audit: Audit;
  readonly tenants: Tenants;
  readonly runs: Runs;
  readonly sessions: Sessions;
  readonly streams: Streams;
  readonly uploads: Streams;
  readonly unread: Unread;
  readonly metrics: Metrics;
  readonly guards: Guards;
  readonly guardStreams: OpenStreams;
  readonly limits: ServerLimits;
  /** The service ends: it takes no new work. */
  readonly stopping: AbortSignal;
  /** Its time is up: work that still runs is stopped. */
  readonly halting: StopSignal;
  /** Does work while its request waits. */
  readonly doWork: PerformRun;
  /** Checks work before it is accepted as a run. @throws the error that the work would fail with */
  readonly verify: (work: RunRequest, owner: RunOwner, command?: Command) => Promise<void>;
  readonly idempotency: Idempotency;
  /** Reads an OpenAPI document, by its path. */
  readonly openApi: () => Promise<string>;
  /** Returns the reason why the service is not ready. */
  readonly readiness: () => Promise<string | undefined>;
}
