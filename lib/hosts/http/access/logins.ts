/**
 * Logs browsers in. A page cannot keep a token safely, so a cookie that no script can read holds an opaque key, and the
 * key stands for the caller until its token ends, the browser logs out or the service stops.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/ports.ts';
import type { Caller } from './authenticate.ts';
import { callerKey } from './rights.ts';

/** Time in which the code of an address can be used, in milliseconds. */
const CODE_MS = 600_000;
/** Maximum logins of one caller; its least recently used login ends first. */
const MAX_LOGINS = 50;
/** Header that only a page of this service can send: another origin would need permission to send it. */
const PAGE_HEADER = 'x-aisec-page';

export class Logins {
  readonly #clock: Pick<Clock, 'elapsed'>;
  /** Callers by the digest of their key, in the order of last use. */
  readonly #callers = new Map<string, Caller>();
  /** The logins that requests used, by digest. */
  readonly #used = new WeakMap<FastifyRequest, string>();
  #code: { readonly digest: Buffer; readonly until: number; readonly caller: Caller } | undefined;

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  /** Makes a code that logs a caller in once, within ten minutes. A new code replaces the previous code. */
  newCode(caller: Caller): string {
    const code = newKey();
    this.#code = { digest: digestOf(code), until: this.#clock.elapsed() + CODE_MS, caller };
    return code;
  }

  /** Uses a code up. @returns its caller; undefined for a wrong, used or expired code */
  takeCode(code: string): Caller | undefined {
    const known = this.#code;
    if (known === undefined || !timingSafeEqual(known.digest, digestOf(code))) return undefined;
    this.#code = undefined;
    return this.#clock.elapsed() < known.until ? known.caller : undefined;
  }

  /** Opens a login. @returns the key for the cookie */
  open(caller: Caller): string {
    const key = newKey();
    this.#callers.set(nameOf(key), caller);
    const own = [...this.#callers].filter(([, each]) => callerKey(each) === callerKey(caller));
    for (const [oldest] of own.slice(0, -MAX_LOGINS)) this.#callers.delete(oldest);
    return key;
  }

  /** Returns the caller of a request's cookie, if the request comes from the page of this service. */
  callerOf(request: FastifyRequest): Caller | undefined {
    const [key, another] = isFromPage(request) ? keysIn(request) : [];
    // A page of another port may have planted a second cookie, so that its visitor works for another caller.
    if (key === undefined || another !== undefined) return undefined;
    const name = nameOf(key);
    const caller = this.#callers.get(name);
    if (caller === undefined) return undefined;
    this.#callers.delete(name);
    this.#callers.set(name, caller);
    this.#used.set(request, name);
    return caller;
  }

  /** Reports whether the login that a request used has ended; a request with a token used none. */
  hasEnded(request: FastifyRequest): boolean {
    const name = this.#used.get(request);
    return name !== undefined && !this.#callers.has(name);
  }

  /** Ends the login of a request. */
  close(request: FastifyRequest): void {
    for (const key of keysIn(request)) this.#callers.delete(nameOf(key));
  }
}

/**
 * Reports whether only a page of this service can have sent a request: it carries a header that other origins may not
 * send, or it reads, and the browser itself says that the same origin asks.
 */
function isFromPage({ headers, method }: FastifyRequest): boolean {
  const { [PAGE_HEADER]: mark, host = '', referer = '', 'sec-fetch-site': site } = headers;
  if (mark !== undefined || method !== 'GET') return mark !== undefined;
  // Without TLS, browsers name the site on loopback only. A page can hide its own address, but not send another.
  return site === undefined ? referer.startsWith(`http://${host}/`) : site === 'same-origin';
}

/** Returns the value of a Set-Cookie header. @param key undefined removes the cookie @param isSecure whether the service has TLS */
export function loginCookie(request: FastifyRequest, key: string | undefined, isSecure: boolean): string {
  const life = key === undefined ? '; Max-Age=0' : '';
  return `${cookieName(request)}=${key ?? ''}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}${life}`;
}

/** Browsers send a host's cookies to all of its ports, so each port has a name of its own. */
function cookieName({ headers: { host = '' } }: FastifyRequest): string {
  const [, port = ''] = /:(\d{1,5})$/.exec(host) ?? [];
  return `aisec${port === '' ? '' : `-${port}`}`;
}

/** Returns the different keys of a request's cookies. */
function keysIn(request: FastifyRequest): readonly string[] {
  const start = `${cookieName(request)}=`;
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return [...new Set(pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length)))];
}

function newKey(): string {
  return randomBytes(32).toString('base64url');
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The map holds digests, so that comparing its keys reveals nothing about a cookie. */
function nameOf(key: string): string {
  return digestOf(key).toString('hex');
}
