/** Pages about the tenant and about a war room, as HTML files without scripts. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Collection } from '../../../client/report-pages.ts';
import type { LimitedClient } from '../../../client/types.ts';
import { ownerKey } from '../../../runs/port.ts';
import { requestOwner } from '../access/rights.ts';
import { untilGone } from '../guarding/asking.ts';
import { HttpError, notFound } from '../problems.ts';
import { originOf, stopping } from '../responses/answer.ts';
import { idOf, route, textResponse } from '../route.ts';
import type { Service } from '../service.ts';
import { readableSession } from './entries.ts';

/**
 * Policy of a page: no script, no request, and no frame around it but the service's own. Its links may open another
 * view in the room around it, once the reader clicks.
 */
const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation',
].join(';');

const PROBLEM_POLICY = "default-src 'none';frame-ancestors 'self'";

const SCAN_ID = '2c8f5e1b-a7d0-4396-b4f8-e61d09c3a752';
const [BEFORE_ID, AFTER_ID] = ['94e0b7d6-5f1a-4c83-8a2e-d7c35f9b0164', SCAN_ID];
const SESSION_ID = '4d8e6a20c7b14f59a3e1d0c2';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SCANS = 'See them with: !aisec-redteam-scans-list, !aisec-model-security-scans-list';

const page = (description: string) => ({
  200: textResponse(description, '<!DOCTYPE html>', 'text/html'),
  303: { description: 'A browser without a login is sent to the room, which shows the same.' },
});
const IS_PAGE = 'a page without scripts and requests, which may stand in a frame of this service';
const PROBLEMS = [403, 404, 502, 503, 504];

const getReport = route('GET', '/v1/reports/{id}', 'getReport', {
  summary: 'Get the report of a scan.',
  description: `Returns the result of a red-team scan or a model scan as HTML: ${IS_PAGE}. Parts that cannot be read are named on the page.`,
  params: idOf('scan', SCAN_ID),
  view: '/#/reports/{id}',
  responses: page('The report.'),
  problems: PROBLEMS,
  handle: (service, request, reply) =>
    answerPage(service, request, reply, (collection) =>
      service.reportPages.report(scanId(request.params.id), collection),
    ),
});

const getComparison = route('GET', '/v1/comparisons/{before}/{after}', 'getComparison', {
  summary: 'Compare two red-team scans.',
  description: `Returns two red-team scans side by side as HTML: ${IS_PAGE}.`,
  params: {
    before: { type: 'string', description: 'Identifier of the earlier scan.', examples: [BEFORE_ID] },
    after: { type: 'string', description: 'Identifier of the later scan.', examples: [AFTER_ID] },
  },
  view: '/#/compare/{before}/{after}',
  responses: page('The comparison.'),
  problems: [400, ...PROBLEMS],
  handle: (service, request, reply) =>
    answerPage(service, request, reply, (collection) => {
      const { before, after } = request.params;
      return service.reportPages.comparison([scanId(before), scanId(after)], collection);
    }),
});

const getDashboard = route('GET', '/v1/dashboard', 'getDashboard', {
  summary: 'Get the dashboard of the tenant.',
  description: `Returns what needs attention, success rates and quota as HTML: ${IS_PAGE}. Parts that cannot be read are named on the page.`,
  view: '/#/',
  responses: page('The dashboard.'),
  problems: PROBLEMS.filter((status) => status !== 404),
  handle: (service, request, reply) =>
    answerPage(service, request, reply, async (collection, client) =>
      service.reportPages.dashboard(await client.title(), collection),
    ),
});

const getRoomReport = route('GET', '/v1/sessions/{id}/report', 'getRoomReport', {
  summary: 'Get the starred entries of a session as a page.',
  description: `Returns its starred entries with their tables as an HTML file to keep: ${IS_PAGE}.`,
  params: idOf('session', SESSION_ID),
  view: '/#/room/{id}',
  responses: page('The page.'),
  problems: [403, 404],
  handle: async (service, request, reply) => {
    const session = readableSession(service, request);
    const text = await answerPage(service, request, reply, async (collection, client) =>
      service.reportPages.room(session.starred, await client.title(), collection),
    );
    void reply.header('content-disposition', 'attachment; filename="room-report.html"');
    return text;
  },
});

export const REPORT_ROUTES = [getReport, getComparison, getDashboard, getRoomReport];

function scanId(given: string): string {
  if (UUID.test(given)) return given;
  throw notFound('scan', SCANS);
}

/** Makes a page with the rights of the caller. It ends with its request: a reader that has left needs no page. */
async function answerPage(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  make: (collection: Collection, client: LimitedClient<object>) => Promise<string>,
): Promise<string> {
  // A frame may show a problem too, so that the page around it can read it.
  void reply.header('content-security-policy', PROBLEM_POLICY);
  const { catalogue, tenants, openReportPages, halting, version } = service;
  if (service.stopping.aborted) throw stopping();
  const owner = requestOwner(request, catalogue);
  const leave = openReportPages.enter(ownerKey(owner));
  if (leave === undefined) {
    throw new HttpError(429, 'rate-limit', 'Too many pages are being made.', {
      headers: { 'retry-after': '10' },
      retryable: true,
    });
  }
  const { signal, release } = untilGone(reply, halting);
  try {
    const client = tenants.clientFor({ ...owner, origin: originOf(request, service) });
    const collection = { ...(await client.collection({ signal })), version, progress: () => undefined };
    const text = await make(collection, client);
    void reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY);
    return text;
  } finally {
    release();
    leave();
  }
}
