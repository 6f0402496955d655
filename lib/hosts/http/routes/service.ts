/** The service itself: its documents, measurements and probes. */
import { jsonResponse, textResponse } from '../openapi-parts.ts';
import { callerOf } from '../owner.ts';
import { HttpError } from '../responses/problems.ts';
import { route } from '../route.ts';

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

/** Needs no token, because programs that watch a process have no token, and discloses nothing else. */
const getHealth = route('GET', '/healthz', 'getHealth', {
  summary: 'Check that the service runs.',
  description: 'Responds `ok` as long as the process responds at all.',
  isPublic: true,
  responses: { 200: textResponse('The service runs.', 'ok') },
  handle: (_service, _request, reply) => reply.type('text/plain').send('ok\n'),
});

const getReadiness = route('GET', '/readyz', 'getReadiness', {
  summary: 'Check that the service is ready.',
  description: 'Responds `ok`, or 503 with the reason: the tenant cannot be reached, or the service is stopping.',
  isPublic: true,
  responses: { 200: textResponse('The service is ready.', 'ok'), 503: textResponse('It is not ready.', 'stopping') },
  handle: async ({ stopping, readiness }, _request, reply) => {
    const reason = stopping.aborted ? 'stopping' : await readiness();
    return reply
      .code(reason === undefined ? 200 : 503)
      .type('text/plain')
      .send(`${reason ?? 'ok'}\n`);
  },
});

export const SERVICE_ROUTES = [getOpenApi, getHealth, getReadiness, getMetrics];
