/** `/healthz` and `/readyz`: for machines that watch the service. They need no token, and tell nothing else. */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../service.ts';

/** Age at which a check is made again, in milliseconds: probes must not become load for the service. */
const FRESH_MS = 30_000;
const CHECK_MS = 10_000;

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

/** Checks the tenants that are open, with one cheap request a plane. @returns why it is not ready */
function readiness({ tenants, clock }: Service): () => Promise<string | undefined> {
  let checked = Number.NEGATIVE_INFINITY;
  let reason: Promise<string | undefined> = Promise.resolve(undefined);
  const check = async () => {
    const clients = [...tenants.opened().values()].map(({ client }) => client);
    const planes = await Promise.all(clients.map((client) => client.check({ timeoutMs: CHECK_MS })));
    const failed = planes.flat().filter(({ state, required }) => required && state === 'failed');
    return failed.length === 0 ? undefined : `not ready: ${[...new Set(failed.map(({ plane }) => plane))].join(', ')}`;
  };
  return () => {
    if (clock.elapsed() - checked > FRESH_MS) {
      checked = clock.elapsed();
      reason = check().catch(() => 'not ready: settings');
    }
    return reason;
  };
}
