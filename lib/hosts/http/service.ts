/** What all requests share. */

import type { StopSignal } from '../../client/types.ts';
import type { Registry } from '../../engine/command.ts';
import type { Clock } from '../../engine/ports.ts';
import type { CommandEntry } from '../../manifest/command-catalogue.ts';
import type { PlaybookText } from '../../playbook/playbook.ts';
import type { Audit } from '../../runs/audit/audit.ts';
import type { PerformRun, RunOwner, RunRequest, Runs } from '../../runs/port.ts';
import type { Tenants } from '../../runs/tenants.ts';
import type { Authenticate } from './access/authenticate.ts';
import type { Rate } from './access/rate.ts';
import type { SlowDown } from './access/slow-down.ts';
import type { Idempotency } from './idempotency.ts';
import type { Metrics } from './metrics.ts';
import type { SessionStore } from './sessions.ts';

export interface Service {
  readonly version: string;
  readonly registry: Registry;
  readonly catalogue: readonly CommandEntry[];
  readonly playbooks: () => Promise<readonly PlaybookText[]>;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly authenticate: Authenticate;
  readonly slowDown: SlowDown;
  /** Requests and retries of each token. */
  readonly rate: Rate;
  readonly audit: Audit;
  readonly tenants: Tenants;
  readonly runs: Runs;
  /** Does work while its request waits. */
  readonly doWork: PerformRun;
  /** Checks work before it is accepted as a run. @throws what the work would fail with */
  readonly verify: (work: RunRequest, owner: RunOwner) => Promise<void>;
  readonly sessions: SessionStore;
  readonly idempotency: Idempotency;
  readonly metrics: Metrics;
  /** Writers of the OpenAPI documents, by their paths. */
  readonly documents: Readonly<Record<string, () => Promise<string>>>;
  /** The service ends: it takes no new work. */
  readonly stopping: AbortSignal;
  /** Its time is up: what still runs is stopped. */
  readonly halting: StopSignal;
}
