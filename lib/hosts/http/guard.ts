/** Admits requests by `Host`, by `Origin`, by bearer token, and by rate. */
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ownerKey } from '../../runs/port.ts';
import type { Authenticate, Outcome } from './access/authenticate.ts';
import type { SlowDown } from './access/slow-down.ts';
import { callerKey, requestOwner } from './owner.ts';
import { HttpError } from './responses/problems.ts';
import type { Service } from './service.ts';

/**
 * Refuses requests for another host, which a browser sends after DNS rebinding, and from pages of other origins.
 * @param names host names of this service, without ports
 */
export function checkAddress(request: FastifyRequest, names: ReadonlySet<string>): void {
  const { host = '', origin } = request.headers;
  if (!names.has(nameIn(host))) {
    throw new HttpError(421, 'host', 'The service does not answer for this host.', {
      hint: 'Use the address that it was started with, or start it with --allow-host NAME.',
    });
  }
  // Compare with the exact text that a browser sends for a page of this host.
  if (origin === undefined || origin === `http://${host}` || origin === `https://${host}`) return;
  throw new HttpError(403, 'origin', 'The service does not answer to pages of another origin.');
}

/** Returns a host header without its port, in lower case. */
function nameIn(host: string): string {
  return host.replace(/:\d{1,5}$/, '').toLowerCase();
}

const UNKNOWN = 'A valid bearer token is required.';
const REASONS = {
  unknown: new HttpError(401, 'token', UNKNOWN, { hint: 'Send the header "Authorization: Bearer" with your token.' }),
  expired: new HttpError(401, 'token', 'The token has expired.', {
    hint: 'Ask for a new one: aisec serve token NAME.',
  }),
  full: new HttpError(503, 'busy', 'All connections are in use, many of them by this token.', {
    hint: 'Close some of them, or try again later.',
    headers: { 'retry-after': '10' },
    retryable: true,
  }),
  busy: new HttpError(429, 'token', 'Too many wrong tokens are being refused.', { headers: { 'retry-after': '10' } }),
} as const;

/** Requires a valid token for requests of this scope. @param trust called with the connection of a valid token, and its caller */
export function requireToken(
  app: FastifyInstance,
  { authenticate, slowDown }: { readonly authenticate: Authenticate; readonly slowDown: Pick<SlowDown, 'wait'> },
  trust: (socket: Socket, owner: string) => boolean,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const [, token] = /^bearer (.*)$/i.exec(request.headers.authorization ?? '') ?? [];
    const outcome = token === undefined ? NO_TOKEN : await authenticate(token.trim());
    if ('caller' in outcome) {
      if (!trust(request.raw.socket, callerKey(outcome.caller))) throw REASONS.full;
      request.caller = outcome.caller;
      return;
    }
    if (token !== undefined && !(await slowDown.wait(request.ip))) throw REASONS.busy;
    void reply.header('www-authenticate', 'Bearer');
    throw REASONS[outcome.problem];
  });
}

const NO_TOKEN: Outcome = { problem: 'unknown' };

/** Refuses requests of a token beyond its rate, before their bodies are read. */
export function limitRate(app: FastifyInstance, { rate, catalogue }: Pick<Service, 'rate' | 'catalogue'>): void {
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const { current, ttl } = rate.count(ownerKey(requestOwner(request, catalogue)));
    const seconds = Math.ceil(ttl / 1000);
    void reply.headers({
      'x-ratelimit-limit': rate.limit,
      'x-ratelimit-remaining': Math.max(0, rate.limit - current),
      'x-ratelimit-reset': seconds,
    });
    if (current <= rate.limit) return done();
    return done(
      new HttpError(429, 'rate-limit', `This token may send ${rate.limit} requests a minute.`, {
        hint: 'Send fewer at once, or send a file of prompts to one bulk scan.',
        headers: { 'retry-after': String(seconds) },
        retryable: true,
      }),
    );
  });
}
