import type { Registry } from '../../command.ts';
import { ConflictError } from '../../errors.ts';
import type { Clock } from '../../ports.ts';
import type { RedisLink } from '../../queue/redis.ts';
import type { RunStore } from '../../queue/run-store.ts';
import type { Seal } from '../../queue/seal.ts';
import type { Tenants } from '../../runs/tenants.ts';
import type { Current } from './current.ts';

/** What the processors of one tenant share. */
export interface ProcessorParts {
  readonly link: RedisLink;
  readonly seal: Seal;
  readonly tenants: Tenants;
  /** The tenant's section of the settings file; empty: that of the start. */
  readonly tenant: string;
  readonly clock: Clock;
  readonly current: Current;
  readonly store: RunStore;
  readonly registry: Registry;
  /** It works on the simulated service. */
  readonly simulates: boolean;
  readonly warn: (message: string) => void;
}

/** Time until a job that this worker cannot do is tried again, in milliseconds. */
export const HOLD_MS = 10_000;

/** Returns the error of work that is a rehearsal for one side only. */
export function otherService(simulates: boolean): ConflictError {
  const [here, there] = simulates ? ['the simulated service', 'a tenant'] : ['a tenant', 'the simulated service'];
  return new ConflictError(`The workers use ${here}, and the work is meant for ${there}.`, {
    hint: 'Start both with --simulate, or neither.',
  });
}
