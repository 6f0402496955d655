/** Finds out who calls, by the token of a request. */
import { timingSafeEqual } from 'node:crypto';
import { toAisecError } from '../../../engine/errors.ts';
import type { Clock } from '../../../engine/ports.ts';
import type { KnownCaller as Caller } from './token-entries.ts';
import { digestOf, type TokenFile } from './tokens.ts';

export type { KnownCaller as Caller } from './token-entries.ts';

export type Outcome = { readonly caller: Caller } | { readonly problem: 'unknown' | 'expired' };

/** Tells whose token it is. It never fails: a file that cannot be read has no tokens. */
export interface Authenticate {
  (token: string): Promise<Outcome>;
  /** Finds a caller as it is now. @returns undefined if its token was revoked or has expired */
  find(isWanted: (caller: Caller) => boolean): Promise<Caller | undefined>;
}

export interface AuthenticatorOptions {
  readonly file?: Pick<TokenFile, 'changedSince'>;
  /** A token of this start, which is in no file. */
  readonly once?: { readonly token: string; readonly caller: Caller };
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  /** Tells the person who runs the service that the file cannot be used, once for each reason. */
  readonly warn?: (message: string) => void;
}

interface Known {
  readonly digest: Buffer;
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** The file is looked at again after this time, so that a revoked token stops within a second. */
const LOOK_MS = 1000;

/** Creates the check of tokens. */
export function authenticatorOf({ file, once, clock, warn }: AuthenticatorOptions): Authenticate {
  const own = once === undefined ? [] : [{ digest: digestOf(once.token), caller: once.caller, expires: Infinity }];
  const current = file === undefined ? async () => [] : watched(file, clock, warn);
  const find: Authenticate['find'] = async (isWanted) =>
    own.concat(await current()).find(({ caller, expires }) => isWanted(caller) && clock.now() < expires)?.caller;
  const authenticate = async (token: string): Promise<Outcome> => {
    const digest = digestOf(token);
    let found: Known | undefined;
    // All are compared, so that the time does not tell which one was near.
    for (const known of own.concat(await current())) {
      if (timingSafeEqual(known.digest, digest)) found = known;
    }
    if (found === undefined) return { problem: 'unknown' };
    return clock.now() < found.expires ? { caller: found.caller } : { problem: 'expired' };
  };
  return Object.assign(authenticate, { find });
}

/** Returns what reads the tokens of the file, at most once a second and only if it has changed. */
function watched(
  file: Pick<TokenFile, 'changedSince'>,
  clock: Pick<Clock, 'elapsed'>,
  warn: AuthenticatorOptions['warn'],
): () => Promise<readonly Known[]> {
  let stamp: string | undefined;
  let known: readonly Known[] = [];
  let looked = -Infinity;
  let looking: Promise<void> | undefined;
  let warned: string | undefined;

  const look = async () => {
    try {
      const changed = await file.changedSince(stamp);
      if (changed !== undefined) {
        stamp = changed.stamp;
        known = changed.entries.map(({ sha256, expires, created: since, ...caller }) => ({
          digest: Buffer.from(sha256, 'hex'),
          caller: { ...caller, since },
          expires: expires === undefined ? Infinity : Date.parse(expires),
        }));
      }
      warned = undefined;
    } catch (thrown) {
      [stamp, known] = [undefined, []];
      const { message, hint = '' } = toAisecError(thrown);
      if (message !== warned) warn?.(`No token of the file is accepted. ${message} ${hint}`.trim());
      warned = message;
    }
  };
  return async () => {
    // Requests that come during a look wait for it, because the tokens before it may be revoked.
    if (looking === undefined && clock.elapsed() - looked >= LOOK_MS) {
      looked = clock.elapsed();
      looking = look().finally(() => {
        looking = undefined;
      });
    }
    await looking;
    return known;
  };
}
