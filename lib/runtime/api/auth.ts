/**
 * Fetches the access token (OAuth 2.0 client credentials): once for concurrent commands, renewed early, cached by the
 * host.
 */
import { AuthError, CancelledError, ResponseError, TimeoutError } from '../../core/errors.ts';
import { asText, objectOf, receivedJson } from '../../core/json.ts';
import type { SettingName } from '../../core/parameters.ts';
import type { Stop } from '../../core/ports.ts';
import { responseRedaction } from '../../core/redaction/responses.ts';
import type { Runtime } from '../../core/runtime.ts';
import { shareWork } from '../../core/stop.ts';
import { fingerprint } from '../../core/text/fingerprint.ts';
import { PLANES, type Plane } from '../../core/wire.ts';
import { type Configured, needSettings } from '../settings/required.ts';
import type { Exchange } from './exchange.ts';
import { errorMessageIn } from './failures.ts';

export interface Token {
  readonly value: string;
  /** True if this call fetched the token, so that a refresh would not help. */
  readonly fresh: boolean;
}

/** Renew a token before it expires, so that no request arrives with an expired token. */
const RENEW_EARLY_MS = 60_000;
/** Lifetime if the response has no `expires_in`: long enough for one command, short enough to be safe. */
const DEFAULT_LIFETIME_S = 300;

/** Maximum by which the deadline of another command's token request may exceed this command's own. */
const MAX_EXTRA_WAIT_MS = 5000;
/** Minimum time for another token request; with less time left, the error of the first time-out is more helpful. */
const MIN_TIME_LEFT_MS = 250;

/** The token source of one command; commands of the same client share a pending token request. */
export class TokenSource {
  private readonly runtime: Runtime;
  private readonly exchange: Exchange;
  private readonly deadline: number;

  constructor(runtime: Runtime, exchange: Exchange) {
    this.runtime = runtime;
    this.exchange = exchange;
    this.deadline = runtime.clock.elapsed() + runtime.budgetMs;
  }

  async get(): Promise<Token> {
    const { url, id, tenant } = tokenClientOf(this.runtime);
    // Drop a cached token when its settings change.
    const owner = fingerprint([url, id, tenant]);
    const value = this.pendingFor(owner) === undefined ? await this.readStored(owner) : undefined;
    const token = value === undefined ? { value: await this.obtain(owner), fresh: true } : { value, fresh: false };
    this.runtime.shared.token = token.value;
    return token;
  }

  /** Removes a refused token from the cache, unless it was already replaced. */
  async drop(refused: string): Promise<void> {
    const { tokens } = this.runtime;
    if ((await tokens.read())?.['access_token'] === refused) await tokens.write({});
  }

  private async obtain(owner: string): Promise<string> {
    const { stop, clock } = this.runtime;
    const pending = this.pendingFor(owner);
    if (pending === undefined || pending.deadline > this.deadline + MAX_EXTRA_WAIT_MS) return this.startFetch(owner);
    try {
      return await pending.token.join(stop);
    } catch (thrown) {
      // The other command ran out of time or was stopped; this command may have time left.
      const others = thrown instanceof TimeoutError || thrown instanceof CancelledError;
      if (!others || stop?.stopped === true || clock.elapsed() + MIN_TIME_LEFT_MS >= this.deadline) throw thrown;
      return this.obtain(owner);
    }
  }

  private pendingFor(owner: string) {
    const pending = this.runtime.shared.pendingToken;
    return pending?.owner === owner && !pending.token.isDone() ? pending : undefined;
  }

  private startFetch(owner: string): Promise<string> {
    const token = shareWork((stop) => this.fetch(owner, stop));
    this.runtime.shared.pendingToken = { owner, deadline: this.deadline, token };
    return token.join(this.runtime.stop);
  }

  private async fetch(owner: string, stop: Stop): Promise<string> {
    const { runtime, exchange } = this;
    // A store may be slow, and another command may have filled it in the meantime.
    const stored = await this.readStored(owner);
    if (stored !== undefined) return stored;
    const { token, lifetimeMs } = await requestToken(runtime, exchange, stop);
    runtime.shared.token = token;
    // A short-lived token is used for half of its life.
    const keptMs = Math.max(lifetimeMs, lifetimeMs / 2 + RENEW_EARLY_MS);
    await runtime.tokens.write({ access_token: token, valid_until: String(runtime.clock.now() + keptMs), owner });
    return token;
  }

  private async readStored(owner: string): Promise<string | undefined> {
    const { tokens, clock } = this.runtime;
    const entry = await tokens.read();
    const usable = entry?.['owner'] === owner && Number(entry['valid_until']) - RENEW_EARLY_MS > clock.now();
    return usable ? entry['access_token'] : undefined;
  }
}

async function requestToken(runtime: Runtime, exchange: Exchange, stop: Stop) {
  const { url, id, secret, tenant } = tokenClientOf(runtime);
  const form = {
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
    scope: `profile tsg_id:${tenant}`,
  };
  const body = Object.entries(form)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const response = await exchange.send({ method: 'POST', url, headers, body, stop }, true);
  if (response.status !== 200)
    throw refused(response.status, errorMessageIn(responseRedaction(runtime, []).body(response.body)));
  const grant = objectOf(receivedJson(response.body));
  const token = grant['access_token'];
  // The token becomes part of a header, which allows no other characters.
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ResponseError('The response of the token address has no token.', { hint: 'Check Token URL.' });
  }
  const seconds = Number(asText(grant['expires_in'] ?? DEFAULT_LIFETIME_S));
  return { token, lifetimeMs: (Number.isNaN(seconds) ? DEFAULT_LIFETIME_S : Math.max(0, seconds)) * 1000 };
}

function refused(status: number, reason: string): AuthError | ResponseError {
  const text = reason === '' ? '' : `: ${reason}`;
  if (status >= 500 || status === 429 || status === 404) {
    return new ResponseError(`No access token: the token address answered HTTP ${status}${text}`, {
      hint: 'Check Token URL, or try again later.',
      status,
      retryable: status !== 404,
    });
  }
  return new AuthError(`No access token: the token address refused the client (HTTP ${status})${text}`, {
    hint: 'Check API Client ID, API Client Secret and Tenant Services Group ID.',
    status,
  });
}

const CREDENTIALS: Readonly<Record<'token' | 'key', readonly SettingName[]>> = {
  token: ['token_url', 'client_id', 'client_secret', 'tsg_id'],
  key: ['runtime_api_key'],
};

const MANAGEMENT_PREFIX = new RegExp(`${PLANES.management.prefix}$`);

/**
 * Returns a plane's base address, after checking the plane's credentials too.
 * @throws ConfigurationError that lists every missing setting
 */
export function rootOf(configured: Configured, plane: Plane): string {
  const { base, prefix, auth } = PLANES[plane];
  const [address = ''] = needSettings(configured, [base, ...CREDENTIALS[auth]]);
  // Many examples include the prefix of the management plane in this address.
  return address.replace(/\/+$/, '').replace(base === 'url' ? MANAGEMENT_PREFIX : '', '') + prefix;
}

/** Returns the settings of a token request. @throws ConfigurationError that lists every missing setting */
export function tokenClientOf(configured: Configured) {
  const [url = '', id = '', secret = '', tenant = ''] = needSettings(configured, CREDENTIALS.token);
  return { url, id, secret, tenant };
}
