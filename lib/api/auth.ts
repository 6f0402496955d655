/** The access token: OAuth 2.0 client credentials, one fetch for all commands, renewed early, kept by the host. */
import { AuthError, CancelledError, ResponseError, TimeoutError } from '../errors.ts';
import { asText, objectOf, receivedJson } from '../json.ts';
import { redacting } from '../redaction/responses.ts';
import type { Runtime } from '../runtime.ts';
import type { SettingName } from '../settings/parameters.ts';
import { needSettings } from '../settings/required.ts';
import { fingerprint } from '../text/fingerprint.ts';
import type { Exchange } from './exchange.ts';
import { saidBy } from './failures.ts';
import type { PendingToken } from './shared.ts';

export interface Token {
  readonly value: string;
  /** It came with this call, so refreshing it would bring nothing new. */
  readonly fresh: boolean;
}

export interface TokenSource {
  get(): Promise<Token>;
  /** Forgets the token that was refused, unless it has been replaced already. */
  drop(refused: string): void;
}

const EARLY_MS = 60_000;
/** The service does not say how long; long enough for one command, short enough to be safe. */
const LIFETIME_UNKNOWN_S = 300;

/** How much longer than itself a command waits for a token that another one fetches. */
const PATIENCE_MS = 5000;
/** With less than this left a token is hardly to be had, and a time-out that has come says more than the next one would. */
const WORTH_MS = 250;

/** Tokens for one command; while one is on its way, every command of the same client waits for that. */
export function createTokenSource(runtime: Runtime, exchange: Exchange): TokenSource {
  const { shared, clock } = runtime;
  const until = clock.elapsed() + runtime.budgetMs;

  const kept = (owner: string) => {
    const entry = runtime.tokens.read();
    const usable = entry?.['owner'] === owner && Number(entry['valid_until']) - EARLY_MS > clock.now();
    return usable ? entry['access_token'] : undefined;
  };

  const fetchToken = async (owner: string) => {
    const { token, lifetimeMs } = await requestToken(runtime, exchange);
    runtime.tokens.write({ access_token: token, valid_until: String(clock.now() + lifetimeMs), owner });
    return token;
  };

  const startFetch = async (owner: string) => {
    const pending: PendingToken = { owner, until, token: fetchToken(owner) };
    shared.pendingToken = pending;
    try {
      return await pending.token;
    } finally {
      if (shared.pendingToken === pending) shared.pendingToken = undefined;
    }
  };

  const obtain = async (owner: string): Promise<string> => {
    const pending = shared.pendingToken;
    if (pending?.owner !== owner || pending.until > until + PATIENCE_MS) return startFetch(owner);
    try {
      return await pending.token;
    } catch (thrown) {
      // That was the time of the other command, or its end; this one may have more.
      const others = thrown instanceof TimeoutError || thrown instanceof CancelledError;
      if (!others || clock.elapsed() + WORTH_MS >= until) throw thrown;
      return obtain(owner);
    }
  };

  return {
    get: async () => {
      const [address = '', client = '', , tenant = ''] = needSettings(runtime, TOKEN_SETTINGS);
      const owner = ownerOf([address, client, tenant]);
      const value = shared.pendingToken?.owner === owner ? undefined : kept(owner);
      return value === undefined ? { value: await obtain(owner), fresh: true } : { value, fresh: false };
    },
    drop: (refused) => {
      if (runtime.tokens.read()?.['access_token'] === refused) runtime.tokens.write({});
    },
  };
}

/** What a token cannot be had without. */
export const TOKEN_SETTINGS: readonly SettingName[] = ['token_url', 'client_id', 'client_secret', 'tsg_id'];

async function requestToken(runtime: Runtime, exchange: Exchange): Promise<{ token: string; lifetimeMs: number }> {
  const [url = '', client = '', secret = '', tenant = ''] = needSettings(runtime, TOKEN_SETTINGS);
  const form = {
    grant_type: 'client_credentials',
    client_id: client,
    client_secret: secret,
    scope: `profile tsg_id:${tenant}`,
  };
  const body = Object.entries(form)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const response = await exchange({ method: 'POST', url, headers, body }, true);
  if (response.status !== 200) throw refused(response.status, saidBy(redacting(runtime, []).body(response.body)));
  const answer = objectOf(receivedJson(response.body));
  const token = answer['access_token'];
  // It becomes part of a header, which takes no more than this.
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ResponseError('The token address answered without a token.', { hint: 'Check Token URL.' });
  }
  const seconds = Number(asText(answer['expires_in'] ?? LIFETIME_UNKNOWN_S));
  return { token, lifetimeMs: (Number.isNaN(seconds) ? LIFETIME_UNKNOWN_S : Math.max(0, seconds)) * 1000 };
}

function refused(status: number, said: string): AuthError | ResponseError {
  const text = said === '' ? '' : `: ${said}`;
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

/** A short mark of whom a token belongs to, so that one that is kept is dropped when any of it changes. */
export function ownerOf(parts: readonly string[]): string {
  return fingerprint(parts);
}
