/**
 * Admits requests by `Host`, by `Origin`, by bearer token and by rate, and ends transfers whose tokens have expired or
 * been revoked, or whose logins have ended.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RateLimitError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';
import type { CommandEntry } from '../../../manifest/command-catalogue.ts';
import { networkOf } from '../../../node/http/network.ts';
import { ownerKey, type RunOwner } from '../../../runs/port.ts';
import { HttpError } from '../problems.ts';
import { whenOver } from '../response-end.ts';
import type { Authenticate, Outcome } from './authenticate.ts';
import type { Logins } from './logins.ts';
import { callerKey, callerNow, callerStill, requestOwner } from './rights.ts';

/**
 * Refuses requests for another host, which a browser sends after DNS rebinding, and requests from pages of other
 * origins.
 * @param names host names of this service, without ports
 */
export function checkAddress(request: FastifyRequest, names: ReadonlySet<string>): void {
  const { host = '', origin } = request.headers;
  if (!names.has(nameIn(host))) {
    throw new HttpError(421, 'host', 'The service does not accept requests for this host.', {
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
  expired: new HttpError(401, 'token', 'The token was revoked or has expired.', {
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
  { authenticate, logins, slowDown }: AccessParts,
  trust: (socket: Socket, owner: string) => boolean,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const [, token] = /^bearer (.*)$/i.exec(request.headers.authorization ?? '') ?? [];
    const outcome = await (token === undefined
      ? loggedIn(request, { authenticate, logins })
      : authenticate(token.trim()));
    if ('caller' in outcome) {
      if (!trust(request.raw.socket, callerKey(outcome.caller))) throw REASONS.full;
      request.caller = outcome.caller;
      return undefined;
    }
    const view = token === undefined ? viewFor(request) : undefined;
    if (view !== undefined) return reply.redirect(view, 303);
    if (token !== undefined && !(await slowDown.wait(request.ip))) throw REASONS.busy;
    void reply.header('www-authenticate', 'Bearer');
    throw REASONS[outcome.problem];
  });
}

/**
 * Returns the view of the room for an address that a person types or follows: the cookie does not count there, and the
 * room logs in.
 */
function viewFor({ headers, params, routeOptions: { config } }: FastifyRequest): string | undefined {
  const { accept = '', 'sec-fetch-dest': destination = 'document' } = headers;
  if (!accept.includes('text/html') || destination !== 'document') return undefined;
  const given = params as Readonly<Record<string, string>>;
  return config.view?.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given[name] ?? ''));
}

interface AccessParts {
  readonly authenticate: Authenticate;
  readonly logins: Logins;
  readonly slowDown: Pick<SlowDown, 'wait'>;
}

/** Finds the caller of a page's cookie, whose token may have ended since the login. */
async function loggedIn(
  request: FastifyRequest,
  { authenticate, logins }: Omit<AccessParts, 'slowDown'>,
): Promise<Outcome> {
  const known = logins.callerOf(request);
  const caller = known === undefined ? undefined : await callerNow(authenticate, known);
  return caller === undefined ? { problem: known === undefined ? 'unknown' : 'expired' } : { caller };
}

/** Refuses requests of a token beyond its rate, before their bodies are read. */
export function limitRate(
  app: FastifyInstance,
  { rate, catalogue }: { readonly rate: Rate; readonly catalogue: readonly CommandEntry[] },
): void {
  app.addHook('preParsing', (request, reply, _payload, done) =>
    done(countRequest(rate, requestOwner(request, catalogue), reply)),
  );
}

/** Counts a request of a token, and says so in the headers of its response. @returns the problem beyond its rate */
export function countRequest(rate: Rate, owner: RunOwner, reply: FastifyReply): HttpError | undefined {
  const { current, ttl } = rate.count(ownerKey(owner));
  const seconds = Math.ceil(ttl / 1000);
  void reply.headers({
    'x-ratelimit-limit': rate.limit,
    'x-ratelimit-remaining': Math.max(0, rate.limit - current),
    'x-ratelimit-reset': seconds,
  });
  if (current <= rate.limit) return undefined;
  return new HttpError(429, 'rate-limit', `This token may send ${rate.limit} requests a minute.`, {
    hint: 'Send fewer at once, or send a file of prompts to one bulk scan.',
    headers: { 'retry-after': String(seconds) },
    retryable: true,
  });
}

const MINUTE_MS = 60_000;
/** Number of windows above which expired windows are removed. */
const MAX_WINDOWS = 5000;

/** Counts the requests of each token. */
export class Rate {
  /** Maximum number of requests per minute for one token. */
  readonly limit: number;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #windows = new Map<string, { since: number; current: number }>();

  constructor(limit: number, clock: Pick<Clock, 'elapsed'>) {
    this.limit = limit;
    this.#clock = clock;
  }

  /** Counts a request. @returns the count in this minute, and the time left in it, in milliseconds */
  count(owner: string): { readonly current: number; readonly ttl: number } {
    const now = this.#clock.elapsed();
    const found = this.#windows.get(owner);
    const window = found !== undefined && now - found.since < MINUTE_MS ? found : { since: now, current: 0 };
    if (this.#windows.size >= MAX_WINDOWS) this.#forgetEnded(now);
    this.#windows.set(owner, window);
    window.current += 1;
    return { current: window.current, ttl: MINUTE_MS - (now - window.since) };
  }

  /** Counts an attempt. @throws RateLimitError beyond the limit */
  take(owner: string): void {
    const { current, ttl } = this.count(owner);
    if (current <= this.limit) return;
    throw new RateLimitError(`This token may send ${this.limit} requests a minute, and retries count as requests.`, {
      hint: 'Send fewer at once, or a smaller retry-count.',
      retryable: true,
      waitMs: ttl,
    });
  }

  #forgetEnded(now: number): void {
    for (const [owner, { since }] of this.#windows) if (now - since >= MINUTE_MS) this.#windows.delete(owner);
  }
}

/** Wrong tokens per address that are refused without delay. */
const FREE = 5;
const [FIRST_MS, MAX_MS] = [125, 2000];
const FORGET_MS = 60_000;
const MAX_ADDRESSES = 10_000;
/** A higher limit would let an attacker hold sockets. */
const MAX_WAITING = 100;

/** Counts and delays the refusals of one service. */
export class SlowDown {
  readonly #clock: Pick<Clock, 'elapsed' | 'wait'>;
  /** Ordered by last failure, so that the oldest address comes first. */
  readonly #failures = new Map<string, { readonly count: number; readonly last: number }>();
  #waiting = 0;

  constructor(clock: Pick<Clock, 'elapsed' | 'wait'>) {
    this.#clock = clock;
  }

  /** Number of remembered addresses. */
  get size(): number {
    return this.#failures.size;
  }

  /**
   * Waits before a wrong token is refused; a valid token never waits.
   * @param remote IP address
   * @returns false, at once, if too many refusals are waiting
   */
  async wait(remote: string): Promise<boolean> {
    const count = this.#count(networkOf(remote));
    if (count <= FREE) return true;
    if (this.#waiting >= MAX_WAITING) return false;
    this.#waiting += 1;
    try {
      await this.#clock.wait(Math.min(MAX_MS, FIRST_MS * 2 ** (count - FREE - 1)));
    } finally {
      this.#waiting -= 1;
    }
    return true;
  }

  #count(address: string): number {
    const now = this.#clock.elapsed();
    for (const [oldest, { last }] of this.#failures) {
      if (now - last < FORGET_MS) break;
      this.#failures.delete(oldest);
    }
    const count = (this.#failures.get(address)?.count ?? 0) + 1;
    this.#failures.delete(address);
    const [oldest] = this.#failures.size < MAX_ADDRESSES ? [] : this.#failures.keys();
    if (oldest !== undefined) this.#failures.delete(oldest);
    this.#failures.set(address, { count, last: now });
    return count;
  }
}

/** Time between two checks, in milliseconds: together with the token file check, a transfer ends within a second. */
const REVOKED_MS = 400;

interface OpenRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Closes connections in this scope whose body or response is in progress when the token or the login ends. */
export function endRevoked(app: FastifyInstance, access: Omit<AccessParts, 'slowDown'>): void {
  const open = new Set<OpenRequest>();
  const check = async (each: OpenRequest) => {
    const { socket } = each.request.raw;
    if (isTransfer(each) && (await callerStill(access, each.request)) instanceof HttpError) socket.destroy();
  };
  const timer = setInterval(() => {
    for (const each of open) void check(each);
  }, REVOKED_MS).unref();
  app.addHook('onClose', async () => clearInterval(timer));
  app.addHook('onRequest', (request, reply, done) => {
    const each = { request, reply };
    open.add(each);
    whenOver(reply, () => open.delete(each));
    done();
  });
}

/** Accepted work ends by itself, and an event stream gives the reason for its end. */
function isTransfer({ request, reply }: OpenRequest): boolean {
  const isStream = reply.sent && !reply.raw.writableEnded;
  return !isStream && (!request.raw.complete || reply.raw.headersSent);
}
