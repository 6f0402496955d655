/** Creates the server with its access checks, limits and routes. */
import { randomUUID } from 'node:crypto';
import { type FastifyInstance, fastify } from 'fastify';
import { Connections } from '../../node/http/connections.ts';
import { HEADERS_READ } from '../../node/http/request-form.ts';
import { checkAddress, endRevoked, limitRate, requireToken } from './access/admission.ts';
import { checkBodies, limitBodySize, limitBodyTime, MAX_BODY_BYTES, parseBodies } from './body.ts';
import { MAX_PART, type Malformed, watchMalformed } from './malformed.ts';
import { HttpError, PROBLEM_TYPE, problemOf } from './problems.ts';
import { recordCalls } from './record-calls.ts';
import { countUnread } from './responses/unread.ts';
import type { Route } from './route.ts';
import { RUN_COMMAND } from './routes/commands.ts';
import { ROUTES } from './routes/index.ts';
import type { ServerLimits, Service } from './service.ts';
import { newTurns } from './turns.ts';
import { compileValidator, requestSchemas, validationError } from './validation.ts';

/** Number of checks for slow connections within the header timeout. */
const CHECKS = 5;
/** Time between two measurements of the memory, in milliseconds. */
const MEASURE_MS = 1000;

export interface AppOptions {
  /** Names that a `Host` header may have, without ports. */
  readonly names: ReadonlySet<string>;
  /** PEM texts. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly limits: ServerLimits;
  readonly warn: (message: string) => void;
}

/** Creates the server; it does not listen yet. */
export async function createApp(service: Service, options: AppOptions): Promise<FastifyInstance> {
  const { names, tls, limits, warn } = options;
  const malformed = watchMalformed(() => app.server);
  const app = newServer(options, malformed);
  const connections = new Connections(app.server, { most: limits.connections, stallMs: limits.stallMs, warn });
  app.server.requestTimeout = 0;
  app.server.maxHeadersCount = HEADERS_READ;
  app.server.on('checkExpectation', malformed.refuseExpectation);
  // Refuse all other types: a page of another origin can send a form without being asked.
  parseBodies(app);
  app.decorateRequest('caller', undefined);
  app.setValidatorCompiler(compileValidator);
  answerProblems(app);
  addSecureHeaders(app, tls !== undefined);
  refuseUnderPressure(app, limits.memoryBytes);
  app.addHook('onRequest', (request, _reply, done) => {
    // Probes reach a container under any of its addresses, and their responses disclose nothing.
    if (request.routeOptions.config.isProbe !== true && malformed.isRead(request.raw)) checkAddress(request, names);
    // Refuse before reading the body: only authenticated clients may send one.
    if (request.is404) throw malformed.reason(request.raw) ?? noRoute();
    done();
  });
  recordCalls(app, service, malformed.isRead);
  limitBodyTime(app, limits.bodyMs);
  const routes = [RUN_COMMAND, ...ROUTES];
  const add = addRoute(service);
  for (const route of routes) if (route.isPublic === true) add(app, route);
  await app.register(async (inside) => {
    requireToken(inside, service, (socket, owner) => connections.trust(socket, owner));
    endRevoked(inside, service);
    limitRate(inside, service);
    limitBodySize(inside, service);
    countUnread(inside, service);
    checkBodies(inside);
    const atItsTurn = newTurns();
    inside.addHook('preHandler', (_request, _reply, done) => atItsTurn(done));
    for (const route of routes) if (route.isPublic !== true && route.stream === undefined) add(inside, route);
    await inside.register(async (streaming) => {
      streaming.removeAllContentTypeParsers();
      streaming.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
      for (const route of routes) if (route.stream !== undefined) add(streaming, route);
    });
  });
  return app;
}

function newServer({ tls, limits: { headersMs } }: AppOptions, malformed: Malformed): FastifyInstance {
  const connections = {
    headersTimeout: headersMs,
    connectionsCheckingInterval: Math.ceil(headersMs / CHECKS),
    // Treat a missing Host header like a wrong one.
    requireHostHeader: false,
    ...(tls === undefined ? {} : { handshakeTimeout: headersMs }),
  };
  return fastify({
    ...(tls === undefined ? { http: connections } : { https: { ...tls, ...connections } }),
    bodyLimit: MAX_BODY_BYTES,
    genReqId: () => randomUUID(),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PART },
    rewriteUrl: malformed.route,
    clientErrorHandler: malformed.refuse,
  } as Parameters<typeof fastify>[0]) as unknown as FastifyInstance;
}

/** Returns a function that adds a route to a scope of the server. */
function addRoute(service: Service): (scope: FastifyInstance, route: Route) => void {
  return (scope, route) => {
    const { method, url, stream, isProbe = false, view, maxBytes = stream?.maxBytes } = route;
    scope.route({
      method,
      url: url.replace(/\{(\w+)\}/g, ':$1'),
      schema: requestSchemas(route),
      schemaErrorFormatter: (failures, part) => validationError(route, failures, part),
      config: { isProbe, streams: stream !== undefined, ...(view === undefined ? {} : { view }) },
      ...(maxBytes === undefined ? {} : { bodyLimit: maxBytes }),
      handler: (request, reply) => route.handle(service, request as Parameters<Route['handle']>[1], reply),
    });
  };
}

function answerProblems(app: FastifyInstance): void {
  app.setErrorHandler((failure, request, reply) => {
    const { body, headers } = problemOf(failure);
    reply.problemCode = body.code;
    // Close the connection if the client is not authenticated or its body is not read.
    if (request.caller === undefined || !request.raw.complete) void reply.header('connection', 'close');
    return reply.code(body.status).headers(headers).type(PROBLEM_TYPE).send(body);
  });
}

/** Headers of every response: helmet's, with a content policy for responses that are no pages. */
export const SECURE_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};
const WITH_TLS = { ...SECURE_HEADERS, 'strict-transport-security': 'max-age=31536000; includeSubDomains' };

function addSecureHeaders(app: FastifyInstance, hasTls: boolean): void {
  const headers = hasTls ? WITH_TLS : SECURE_HEADERS;
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(headers);
    done();
  });
}

/** Refuses requests while the process uses too much memory, but never because of a busy event loop. */
function refuseUnderPressure(app: FastifyInstance, maxRssBytes: number): void {
  let isFull = false;
  const measure = () => {
    try {
      isFull = process.memoryUsage.rss() > maxRssBytes;
    } catch {
      // The system reports memory through a file, which a process with too many open files cannot open.
    }
  };
  measure();
  const timer = setInterval(measure, MEASURE_MS).unref();
  app.addHook('onClose', async () => clearInterval(timer));
  app.addHook('onRequest', (request, _reply, done) => {
    // The process is alive; a restart would lose its runs.
    if (!isFull || request.routeOptions.url === '/healthz') return done();
    return done(
      new HttpError(503, 'busy', 'The service is overloaded.', {
        hint: 'Try again later.',
        headers: { 'retry-after': '10' },
        retryable: true,
      }),
    );
  });
}

function noRoute(): HttpError {
  return new HttpError(404, 'not-found', 'There is no such route.', { hint: 'See the routes in /openapi.json.' });
}
