/** The service itself: its documents, measurements and probes. */
import type { Clock } from '../../../core/ports.ts';
import type { Runs } from '../../../runs/port.ts';
import type { Tenants } from '../../../runs/tenants.ts';
import { callerOf } from '../access/rights.ts';
import { HttpError } from '../problems.ts';
import { jsonResponse, refTo, route, textResponse } from '../route.ts';

/** Age after which a check is repeated, in milliseconds: probes must not load the upstream service. */
const [PLANES_FRESH_MS, QUEUE_FRESH_MS] = [30_000, 1000];
const CHECK_MS = 10_000;

export interface ReadinessParts {
  readonly tenants: Pick<Tenants, 'opened'>;
  readonly runs: Pick<Runs, 'problem'>;
  readonly clock: Pick<Clock, 'elapsed'>;
}

/**
 * Checks the open tenants, with one cheap request for each plane, and the queue.
 * @returns the reason why the service is not ready
 */
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
    // Without its queue the service is not ready, however long a plane takes to answer.
    const failed = waiting === undefined ? await planes() : [waiting];
    return failed.length === 0 ? undefined : `not ready: ${[...new Set(failed)].join(', ')}`;
  };
}

/** Repeats a check once its result reaches a certain age, in milliseconds. */
function cached<T>(clock: ReadinessParts['clock'], freshMs: number, check: () => Promise<T>): () => Promise<T> {
  let last: { readonly since: number; readonly found: Promise<T> } | undefined;
  return () => {
    const now = clock.elapsed();
    if (last === undefined || now - last.since > freshMs) last = { since: now, found: check() };
    return last.found;
  };
}

const getOpenApi = route('GET', '/openapi.json', 'getOpenApi', {
  summary: 'Get this document.',
  description: 'Returns the description of all routes as OpenAPI 3.1.',
  responses: { 200: jsonResponse('The document.', { type: 'object', additionalProperties: true }) },
  handle: async ({ openApi }, _request, reply) => reply.type('application/json; charset=utf-8').send(await openApi()),
});

const getMetrics = route('GET', '/metrics', 'getMetrics', {
  summary: 'Get measurements.',
  description: 'Returns counters and histograms in the text format of Prometheus.',
  responses: {
    200: textResponse('The measurements.', '# HELP aisec_runs_running Runs that are being worked on.\n'),
  },
  problems: [403],
  handle: async ({ metrics }, request, reply) => {
    if (callerOf(request).profile !== undefined) {
      throw new HttpError(403, 'not-allowed', 'Measurements cover all tenants, and this token belongs to one.', {
        hint: 'Use a token without a profile.',
      });
    }
    return reply.type(metrics.contentType).send(await metrics.text());
  },
});

const getMe = route('GET', '/v1/me', 'getMe', {
  summary: 'Get the caller.',
  description: 'Returns the name and role of the token, and the tenant that its commands work on.',
  responses: {
    200: jsonResponse('The caller.', refTo('Me'), {
      ...{ name: 'ci', role: 'operate', profile: null, tenant: '1234567890' },
      ...{ production: false, simulated: false, version: '1.0.0' },
    }),
  },
  problems: [503],
  handle: async ({ tenantFacts, version }, request) => {
    const { name, role, profile = '' } = callerOf(request);
    return { name, role, ...(await tenantFacts(profile)), version };
  },
});

/** Needs no token, because monitoring programs have none; discloses nothing else. */
const getHealth = route('GET', '/healthz', 'getHealth', {
  summary: 'Check that the service runs.',
  description: 'Responds `ok` as long as the process responds at all.',
  isPublic: true,
  isProbe: true,
  responses: { 200: textResponse('The service runs.', 'ok') },
  handle: (_service, _request, reply) => reply.type('text/plain').send('ok\n'),
});

const getReadiness = route('GET', '/readyz', 'getReadiness', {
  summary: 'Check that the service is ready.',
  description: 'Responds `ok`, or 503 with the reason: the tenant cannot be reached, or the service is stopping.',
  isPublic: true,
  isProbe: true,
  responses: { 200: textResponse('The service is ready.', 'ok'), 503: textResponse('It is not ready.', 'stopping') },
  handle: async ({ stopping, readiness }, _request, reply) => {
    const reason = stopping.aborted ? 'stopping' : await readiness();
    return reply
      .code(reason === undefined ? 200 : 503)
      .type('text/plain')
      .send(`${reason ?? 'ok'}\n`);
  },
});

export const SERVICE_ROUTES = [getMe, getOpenApi, getHealth, getReadiness, getMetrics];
