/** Authenticates callers by their tokens. */
import { timingSafeEqual } from 'node:crypto';
import { toAisecError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';
import { type KnownCaller as Caller, type TokenFile, tokenDigest } from './tokens.ts';

export type { KnownCaller as Caller } from './tokens.ts';

export type Outcome = { readonly caller: Caller } | { readonly problem: 'unknown' | 'expired' };

export type Authenticate = ReturnType<typeof authenticatorOf>;

export interface AuthenticatorOptions {
  readonly file?: Pick<TokenFile, 'changedSince'>;
  /** A token for this process only, which is not in the file. */
  readonly once?: { readonly token: string; readonly caller: Caller };
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  /** Called once for each reason why the file cannot be used. */
  readonly warn?: (message: string) => void;
}

interface Known {
  readonly digest: Buffer;
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** Time between two checks of the file, in milliseconds: a revoked token and its transfers stop within a second. */
const CHECK_MS = 500;

/** Creates the token check, which finds a token's caller. It never fails: an unreadable file has no tokens. */
export function authenticatorOf({ file, once, clock, warn }: AuthenticatorOptions) {
  const own = once === undefined ? [] : [{ digest: tokenDigest(once.token), caller: once.caller, expires: Infinity }];
  const current = file === undefined ? async () => [] : watched(file, clock, warn);
  /** Finds a caller's current entry. @returns undefined if its token was revoked or has expired */
  const find = async (isWanted: (caller: Caller) => boolean): Promise<Caller | undefined> =>
    own.concat(await current()).find(({ caller, expires }) => isWanted(caller) && clock.now() < expires)?.caller;
  const authenticate = async (token: string): Promise<Outcome> => {
    const digest = tokenDigest(token);
    let found: Known | undefined;
    // Compare every digest so that timing reveals nothing.
    for (const known of own.concat(await current())) {
      if (timingSafeEqual(known.digest, digest)) found = known;
    }
    if (found === undefined) return { problem: 'unknown' };
    return clock.now() < found.expires ? { caller: found.caller } : { problem: 'expired' };
  };
  return Object.assign(authenticate, { find });
}

/** Returns a function that reads the token file, at most twice a second and only if it has changed. */
function watched(
  file: Pick<TokenFile, 'changedSince'>,
  clock: Pick<Clock, 'elapsed'>,
  warn: AuthenticatorOptions['warn'],
): () => Promise<readonly Known[]> {
  let stamp: string | undefined;
  let known: readonly Known[] = [];
  let checkedAt = -Infinity;
  let checking: Promise<void> | undefined;
  let warned: string | undefined;

  const check = async () => {
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
    // Wait for a running check, because it may revoke tokens.
    if (checking === undefined && clock.elapsed() - checkedAt >= CHECK_MS) {
      checkedAt = clock.elapsed();
      checking = check().finally(() => {
        checking = undefined;
      });
    }
    await checking;
    return known;
  };
}
