/** The access token: OAuth 2.0 client credentials, one fetch for all commands, renewed early, kept by the host. */
import { AuthError, CancelledError, ConfigurationError, ResponseError, TimeoutError } from '../errors.ts';
import { asText, objectOf, receivedJson } from '../json.ts';
import type { Stop } from '../ports.ts';
import { redacting } from '../redaction/responses.ts';
import type { Runtime } from '../runtime.ts';
import { SETTINGS, type SettingName } from '../settings/parameters.ts';
import { shareWork } from '../stop.ts';
import { fingerprint } from '../text/fingerprint.ts';
import type { Exchange } from './exchange.ts';
import { saidBy } from './failures.ts';

export interface Token {
  readonly value: string;
  /** It came with this call, so refreshing it would bring nothing new. */
  readonly fresh: boolean;
}

export interface TokenSource {
  get(): Promise<Token>;
  /** Forgets the token that was refused, unless it has been replaced already. */
  drop(refused: string): Promise<void>;
}

const EARLY_MS = 60_000;
/** The service does not say how long; long enough for one command, short enough to be safe. */
const LIFETIME_UNKNOWN_S = 300;

/** The value of a setting that a command cannot do without. @throws ConfigurationError that names it */
export function needSettings(runtime: Runtime, names: readonly SettingName[]): string[] {
  const absent = names.filter((name) => (runtime.settings[name] ?? '') === '');
  if (absent.length > 0) {
    const shown = absent.map((name) => `${SETTINGS[name].display} (${SETTINGS[name].environment})`);
    throw new ConfigurationError(`Not configured: ${shown.join(', ')}.`, {
      hint: runtime.advice.settings,
    });
  }
  return names.map((name) => String(runtime.settings[name]));
}

/** How much longer than itself a command waits for a token that another one fetches. */
const PATIENCE_MS = 5000;
/** With less than this left a token is hardly to be had, and a time-out that has come says more than the next one would. */
const WORTH_MS = 250;

/** Tokens for one command; while one is on its way, every command of the same client waits for that. */
export function createTokenSource(runtime: Runtime, exchange: Exchange): TokenSource {
  const { shared, clock } = runtime;
  const until = clock.elapsed() + runtime.budgetMs;

  const kept = async (owner: string) => {
    const entry = await runtime.tokens.read();
    const usable = entry?.['owner'] === owner && Number(entry['valid_until']) - EARLY_MS > clock.now();
    return usable ? entry['access_token'] : undefined;
  };

  const fetchToken = async (owner: string, stop: Stop) => {
    // A store may take its time, and another command may have filled it meanwhile.
    const already = await kept(owner);
    if (already !== undefined) return already;
    const { token, lifetimeMs } = await requestToken(runtime, exchange, stop);
    shared.token = token;
    await runtime.tokens.write({ access_token: token, valid_until: String(clock.now() + lifetimeMs), owner });
    return token;
  };

  const underWay = (owner: string) => {
    const pending = shared.pendingToken;
    return pending?.owner === owner && !pending.token.isOver() ? pending : undefined;
  };

  const startFetch = (owner: string) => {
    const token = shareWork((stop) => fetchToken(owner, stop));
    shared.pendingToken = { owner, until, token };
    return token.join(runtime.stop);
  };

  const obtain = async (owner: string): Promise<string> => {
    const pending = underWay(owner);
    if (pending === undefined || pending.until > until + PATIENCE_MS) return startFetch(owner);
    try {
      return await pending.token.join(runtime.stop);
    } catch (thrown) {
      // That was the time of the other command, or its end; this one may have more.
      const others = thrown instanceof TimeoutError || thrown instanceof CancelledError;
      if (!others || runtime.stop?.stopped === true || clock.elapsed() + WORTH_MS >= until) throw thrown;
      return obtain(owner);
    }
  };

  return {
    get: async () => {
      const [address = '', client = '', , tenant = ''] = needSettings(runtime, TOKEN_SETTINGS);
      const owner = ownerOf([address, client, tenant]);
      const value = underWay(owner) === undefined ? await kept(owner) : undefined;
      const token = value === undefined ? { value: await obtain(owner), fresh: true } : { value, fresh: false };
      shared.token = token.value;
      return token;
    },
    drop: async (refused) => {
      if ((await runtime.tokens.read())?.['access_token'] === refused) await runtime.tokens.write({});
    },
  };
}

/** What a token cannot be had without. */
export const TOKEN_SETTINGS: readonly SettingName[] = ['token_url', 'client_id', 'client_secret', 'tsg_id'];

async function requestToken(
  runtime: Runtime,
  exchange: Exchange,
  stop: Stop,
): Promise<{ token: string; lifetimeMs: number }> {
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
  const response = await exchange({ method: 'POST', url, headers, body, stop }, true);
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
