/** Shares of memory and disk: bytes are counted for each token and for its tenant. */
import { QuotaError } from '../engine/errors.ts';

export interface QuotaOptions {
  /** What is counted, such as `files`. */
  readonly noun: string;
  /** Bytes of one token. */
  readonly own: number;
  /** Bytes of one tenant. */
  readonly tenant: number;
  /** How to make room. */
  readonly hint: string;
}

export interface Quota {
  /** Counts bytes. @param owner as `ownerKey` names it @throws QuotaError if there is no room; then nothing is counted */
  take(owner: string, bytes: number): void;
  /** Counts bytes that exist already, whether or not there is room. */
  add(owner: string, bytes: number): void;
  /** Takes bytes off the count. */
  give(owner: string, bytes: number): void;
}

/** Creates a quota that nothing has used. */
export function newQuota({ noun, own, tenant, hint }: QuotaOptions): Quota {
  const [owners, tenants] = [new Map<string, number>(), new Map<string, number>()];
  const add = (owner: string, bytes: number) => {
    change(owners, owner, bytes);
    change(tenants, tenantOf(owner), bytes);
  };
  return {
    take: (owner, bytes) => {
      if ((owners.get(owner) ?? 0) + bytes > own) throw full(`The ${noun} of this token`, own, hint);
      if ((tenants.get(tenantOf(owner)) ?? 0) + bytes > tenant) throw full(`The ${noun} of this tenant`, tenant, hint);
      add(owner, bytes);
    },
    add,
    give: (owner, bytes) => add(owner, -bytes),
  };
}

/** No name of a token has a slash. */
function tenantOf(owner: string): string {
  return owner.slice(owner.indexOf('/') + 1);
}

function change(sums: Map<string, number>, key: string, bytes: number): void {
  const sum = (sums.get(key) ?? 0) + bytes;
  if (sum > 0) sums.set(key, sum);
  else sums.delete(key);
}

function full(what: string, bytes: number, hint: string): QuotaError {
  return new QuotaError(`${what} have reached their limit of ${bytes / 1_000_000} MB.`, { hint, retryable: true });
}
