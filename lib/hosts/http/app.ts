/** The server: who gets in, what it refuses, and its routes. */
import { randomUUID } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import underPressure from '@fastify/under-pressure';
import { type FastifyInstance, fastify } from 'fastify';
import { limitConnections } from '../../node/connections.ts';
import { ownerKey } from '../../runs/port.ts';
import { rateStore } from './access/rate.ts';
import { BODY_MS, limitBodyTime, MAX_BODY_BYTES } from './body.ts';
import { limitBodySize } from './body-size.ts';
import { callerOf, checkAddress, requireToken } from './guard.ts';
import { MAX_PART, watchMalformed } from './malformed.ts';
import { ownerOf } from './owner.ts';
import { HttpError, PROBLEM_TYPE, problemOf } from './problems.ts';
import { recordCalls } from './record.ts';
import { commandRoutes } from './routes/commands.ts';
import { documentRoutes } from './routes/documents.ts';
import { fileRoutes } from './routes/files.ts';
import { playbookRoutes } from './routes/playbooks.ts';
import { probeRoutes } from './routes/probes.ts';
import { runRoutes } from './routes/runs.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { secureHeaders } from './secure-headers.ts';
import type { Service } from './service.ts';
import { newStreams } from './streams.ts';
import { newTurns } from './turns.ts';

const HEADERS_MS = 10_000;
/** Looks at slow connections in this part of the time that they have. */
const LOOKS = 5;
const MAX_CONNECTIONS = 4096;
const MINUTE_MS = 60_000;
const MAX_MEMORY = 1_500_000_000;
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

export interface AppOptions {
  /** Names that a `Host` header may have, without ports. */
  readonly names: ReadonlySet<string>;
  /** PEM texts. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Time for the headers of a request, in milliseconds. Default: 10 seconds. */
  readonly headersMs?: number | undefined;
  /** Streams of events that a token may have open. Default: 2000. */
  readonly streams?: number | undefined;
  /** Connections at once. Default: 4096. */
  readonly connections?: number | undefined;
  /** Memory beyond which requests are refused, in bytes. Default: 1.5 GB. */
  readonly memoryBytes?: number | undefined;
  /** Time for a JSON body, in milliseconds. Default: 30 seconds. */
  readonly bodyMs?: number | undefined;
}

/** Creates the server; it does not listen yet. */
export async function createApp(service: Service, options: AppOptions): Promise<FastifyInstance> {
  const { names, tls, headersMs = HEADERS_MS, bodyMs = BODY_MS, memoryBytes = MAX_MEMORY } = options;
  const malformed = watchMalformed(() => app.server);
  const connections = {
    headersTimeout: headersMs,
    connectionsCheckingInterval: Math.ceil(headersMs / LOOKS),
    // A request without a host is refused like one for another host.
    requireHostHeader: false,
    ...(tls === undefined ? {} : { handshakeTimeout: headersMs }),
  };
  const app = fastify({
    ...(tls === undefined ? { http: connections } : { https: { ...tls, ...connections } }),
    bodyLimit: MAX_BODY_BYTES,
    genReqId: () => randomUUID(),
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PART },
    rewriteUrl: malformed.route,
    clientErrorHandler: malformed.refuse,
  } as Parameters<typeof fastify>[0]) as unknown as FastifyInstance;
  const { trust } = limitConnections(app.server, options.connections ?? MAX_CONNECTIONS);
  app.server.requestTimeout = 0;
  // Anything else than JSON is refused: a page of another origin can send a form without being asked.
  app.removeContentTypeParser('text/plain');
  app.decorateRequest('caller', undefined);
  app.decorateRequest('refusal', undefined);
  app.server.on('checkExpectation', malformed.refuseExpectation);
  app.setErrorHandler((failure, request, reply) => {
    const { body, headers } = problemOf(failure);
    reply.problemCode = body.code;
    // A stranger must not hold a connection, nor anyone send a body that is not read.
    if (request.caller === undefined || !request.raw.complete) void reply.header('connection', 'close');
    return reply.code(body.status).headers(headers).type(PROBLEM_TYPE).send(body);
  });
  const constant = { ...secureHeaders(tls !== undefined), 'cache-control': 'no-store' };
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(constant);
    done();
  });
  await app.register(underPressure, {
    // Not the delay of the event loop: a machine that is busy for a moment needs no answer of its own.
    maxRssBytes: memoryBytes,
    exposeStatusRoute: false,
    pressureHandler: (request) => {
      // The process lives: restarting it would lose its runs.
      if (request.routeOptions.url === '/healthz') return;
      throw overloaded();
    },
  });
  app.addHook('onRequest', async (request) => {
    // Machines that probe a container use whatever address it has, and learn nothing.
    if (!PROBES.has(request.routeOptions.url ?? '') && malformed.isRead(request.raw)) checkAddress(request, names);
    // Before the body: a stranger may send none.
    if (request.is404)
      throw (
        malformed.reason(request.raw) ??
        new HttpError(404, 'not-found', 'There is no such route.', { hint: 'See the routes in /openapi.json.' })
      );
  });
  recordCalls(app, service, malformed.isRead);
  limitBodyTime(app, bodyMs);
  probeRoutes(app, service);
  await app.register(async (inside) => {
    await requireToken(inside, service, trust);
    await inside.register(rateLimit, {
      global: true,
      // After the token is known.
      hook: 'preParsing',
      max: service.rate.most,
      store: rateStore(service.rate),
      timeWindow: MINUTE_MS,
      keyGenerator: (request) => ownerKey(ownerOf(callerOf(request), service.catalogue)),
      errorResponseBuilder: (_request, { max, ttl }) =>
        new HttpError(429, 'rate-limit', `This token may send ${max} requests a minute.`, {
          hint: 'Send fewer at once, or send a file of prompts to one bulk scan.',
          headers: { 'retry-after': String(Math.ceil(ttl / 1000)) },
          retryable: true,
        }),
    });
    limitBodySize(inside, service);
    const atItsTurn = newTurns();
    inside.addHook('preHandler', (_request, _reply, done) => atItsTurn(done));
    const streams = newStreams(options.streams);
    service.metrics.read({
      runs: () => service.runs.counts(),
      sessions: () => service.sessions.count(),
      streams: () => streams.count(),
    });
    commandRoutes(inside, service);
    runRoutes(inside, service, streams);
    sessionRoutes(inside, service);
    playbookRoutes(inside, service);
    documentRoutes(inside, service);
    await inside.register((files) => fileRoutes(files, service));
  });
  return app;
}

function overloaded(): HttpError {
  return new HttpError(503, 'busy', 'The service is overloaded.', {
    hint: 'Try again later.',
    headers: { 'retry-after': '10' },
    retryable: true,
  });
}
