/** Limits memory and disk: counts bytes for each token and for its tenant. */
import { QuotaError } from '../core/errors.ts';

export interface QuotaOptions {
  /** Plural name of the counted things, such as `files`. */
  readonly noun: string;
  /** Maximum number of bytes per token. */
  readonly own: number;
  /** Maximum number of bytes per tenant. */
  readonly tenant: number;
  /** Sentence that says how to make room. */
  readonly hint: string;
}

export class Quota {
  readonly #options: QuotaOptions;
  readonly #owners = new Map<string, number>();
  readonly #tenants = new Map<string, number>();

  constructor(options: QuotaOptions) {
    this.#options = options;
  }

  /**
   * Counts bytes.
   * @param owner as returned by `ownerKey`
   * @throws QuotaError if there is no room; then nothing is counted
   */
  take(owner: string, bytes: number): void {
    const { noun, own, tenant, hint } = this.#options;
    const ofTenant = this.#tenants.get(tenantOf(owner)) ?? 0;
    if ((this.#owners.get(owner) ?? 0) + bytes > own) throw full(`The ${noun} of this token`, own, hint);
    if (ofTenant + bytes > tenant) throw full(`The ${noun} of this tenant`, tenant, hint);
    this.add(owner, bytes);
  }

  /** Counts bytes that exist already, whether or not there is room. */
  add(owner: string, bytes: number): void {
    change(this.#owners, owner, bytes);
    change(this.#tenants, tenantOf(owner), bytes);
  }

  /** Subtracts bytes from the count. */
  give(owner: string, bytes: number): void {
    this.add(owner, -bytes);
  }
}

/** Token names never contain a slash. */
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
