/** `/healthz` and `/readyz`: for machines that watch the service. They need no token, and tell nothing else. */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../service.ts';

/** Age at which a check is made again, in milliseconds: probes must not become load for the service. */
const FRESH_MS = 30_000;
const CHECK_MS = 10_000;
const QUEUE_FRESH_MS = 1000;

/** Adds the routes. */
export function probeRoutes(app: FastifyInstance, service: Service): void {
  const ready = readiness(service);
  app.get('/healthz', (_request, reply) => reply.type('text/plain').send('ok\n'));
  app.get('/readyz', async (_request, reply) => {
    const reason = service.stopping.aborted ? 'stopping' : await ready();
    return reply
      .code(reason === undefined ? 200 : 503)
      .type('text/plain')
      .send(`${reason ?? 'ok'}\n`);
  });
}

/** Checks the tenants that are open, with one cheap request a plane, and the queue. @returns why it is not ready */
function readiness({ tenants, runs, clock }: Service): () => Promise<string | undefined> {
  const planesOf = async (): Promise<readonly string[]> => {
    const clients = [...tenants.opened().values()].map(({ client }) => client);
    const planes = await Promise.all(clients.map((client) => client.check({ timeoutMs: CHECK_MS })));
    return planes.flatMap((each) =>
      each.filter(({ state, required }) => required && state === 'failed').map(({ plane }) => plane),
    );
  };
  const planes = kept(clock, FRESH_MS, () => planesOf().catch(() => ['settings']));
  const queue = kept(clock, QUEUE_FRESH_MS, () => runs.problem());
  return async () => {
    const waiting = await queue();
    // A service without its queue is not ready, however long a plane takes to answer.
    const failed = waiting === undefined ? await planes() : [waiting];
    return failed.length === 0 ? undefined : `not ready: ${[...new Set(failed)].join(', ')}`;
  };
}

/** Makes a check again when it has a certain age, in milliseconds. */
function kept<T>(clock: Service['clock'], freshMs: number, check: () => Promise<T>): () => Promise<T> {
  let last: { readonly since: number; readonly found: Promise<T> } | undefined;
  return () => {
    const now = clock.elapsed();
    if (last === undefined || now - last.since > freshMs) last = { since: now, found: check() };
    return last.found;
  };
}
