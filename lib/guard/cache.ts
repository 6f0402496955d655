/** Remembers verdicts by hash: neither the content nor an error stays in memory. */

export interface CacheLimits {
  readonly entries: number;
  readonly ttlMs: number;
}

/** Values by key, the least recently used leave first. */
export class VerdictCache<Value> {
  readonly #kept = new Map<string, { value: Value; until: number }>();
  readonly #limits: CacheLimits;
  readonly #now: () => number;

  constructor(limits: CacheLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  get(key: string): Value | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#kept.delete(key);
    if (found.until <= this.#now()) return undefined;
    this.#kept.set(key, found);
    return found.value;
  }

  set(key: string, value: Value): void {
    this.#kept.delete(key);
    this.#kept.set(key, { value, until: this.#now() + this.#limits.ttlMs });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#limits.entries) return;
      this.#kept.delete(oldest);
    }
  }
}

/** Creates a memory that forgets by number, not by time. */
export function memoryOf<Value>(entries: number): VerdictCache<Value> {
  return new VerdictCache({ entries, ttlMs: Number.POSITIVE_INFINITY }, Date.now);
}

/** Hashes a content together with what its verdict depends on. */
export async function hashOf(key: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return new Uint8Array(bytes).join();
}
