/** Checks that the service is ready, for machines that watch it. */
import type { Clock } from '../../core/ports.ts';
import type { Runs } from '../../runs/port.ts';
import type { Tenants } from '../../runs/tenants.ts';

/** Age at which a check is repeated, in milliseconds: probes must not become load for the service. */
const [PLANES_FRESH_MS, QUEUE_FRESH_MS] = [30_000, 1000];
const CHECK_MS = 10_000;

export interface ReadinessParts {
  readonly tenants: Pick<Tenants, 'opened'>;
  readonly runs: Pick<Runs, 'problem'>;
  readonly clock: Pick<Clock, 'elapsed'>;
}

/** Checks the open tenants, with one cheap request for each plane, and the queue. @returns why the service is not ready */
export function readinessOf({ tenants, runs, clock }: ReadinessParts): () => Promise<string | undefined> {
  const planesOf = async (): Promise<readonly string[]> => {
    const clients = [...tenants.opened().values()].map(({ client }) => client);
    const planes = await Promise.all(clients.map((client) => client.check({ timeoutMs: CHECK_MS })));
    return planes.flatMap((each) =>
      each.filter(({ state, required }) => required && state === 'failed').map(({ plane }) => plane),
    );
  };
  const planes = cached(clock, PLANES_FRESH_MS, () => planesOf().catch(() => ['settings']));
  const queue = cached(clock, QUEUE_FRESH_MS, () => runs.problem());
  return async () => {
    const waiting = await queue();
    // A service without its queue is not ready, however long a plane takes to answer.
    const failed = waiting === undefined ? await planes() : [waiting];
    return failed.length === 0 ? undefined : `not ready: ${[...new Set(failed)].join(', ')}`;
  };
}

/** Repeats a check at a certain age, in milliseconds. */
function cached<T>(clock: ReadinessParts['clock'], freshMs: number, check: () => Promise<T>): () => Promise<T> {
  let last: { readonly since: number; readonly found: Promise<T> } | undefined;
  return () => {
    const now = clock.elapsed();
    if (last === undefined || now - last.since > freshMs) last = { since: now, found: check() };
    return last.found;
  };
}
