/** Scans contents, each within a time limit, and remembers complete verdicts. */
import type { StopSignal } from '../client/types.ts';
import { argumentsOf, type Content } from './content.ts';
import { Unscanned } from './decisions.ts';
import type { Settled } from './options.ts';
import type { Scanner } from './types.ts';
import { type Reading, readAnswer } from './verdict.ts';

interface CacheLimits {
  readonly entries: number;
  readonly ttlMs: number;
}

/** A least-recently-used cache. The keys of verdicts are hashes: no content and no error stays in memory. */
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

/** Creates a cache limited by number of entries, not by time. */
export function memoryOf<Value>(entries: number): VerdictCache<Value> {
  return new VerdictCache({ entries, ttlMs: Number.POSITIVE_INFINITY }, Date.now);
}

/** Hashes content together with everything its verdict depends on. */
async function hashOf(key: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return new Uint8Array(bytes).join();
}

/**
 * Waits for work until it ends, times out or the caller cancels.
 * @param work gets a signal that aborts in the last two cases
 * @param ms time limit, in milliseconds
 * @throws Unscanned `timeout` or `cancelled`, or the error of the work
 */
export async function inTime<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  ms: number,
  stops: readonly StopSignal[],
): Promise<Value> {
  if (stops.some(({ aborted }) => aborted)) throw new Unscanned('cancelled');
  const stopping = new AbortController();
  const { signal } = stopping;
  const givenUp = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Unscanned));
  });
  const leave = () => stopping.abort(new Unscanned('cancelled'));
  const timer = setTimeout(() => stopping.abort(new Unscanned('timeout')), ms);
  try {
    for (const stop of stops) stop.addEventListener('abort', leave);
    return await Promise.race([work(signal), givenUp]);
  } finally {
    clearTimeout(timer);
    for (const stop of stops) stop.removeEventListener('abort', leave);
    leave();
  }
}

const SCAN = 'aisec-runtime-scan';

/** Settings of one scan. */
export interface Scan {
  readonly profile: string;
  /** Arguments from the context. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Signals; each of them ends the scan when it aborts. */
  readonly stops: readonly AbortSignal[];
}

/** A verdict, and whether it comes from an earlier scan. */
export interface Known {
  readonly reading: Reading;
  readonly cached: boolean;
}

export class Scanning {
  readonly #scanner: Scanner;
  readonly #options: Settled;
  readonly #cache: VerdictCache<Reading> | undefined;
  /** Pending scans by key: content that occurs twice in one request is scanned once. */
  readonly #running = new Map<string, Promise<Known>>();
  #hashed: Promise<string> = Promise.resolve('');

  constructor(scanner: Scanner, options: Settled) {
    this.#scanner = scanner;
    this.#options = options;
    this.#cache = options.cache === undefined ? undefined : new VerdictCache(options.cache, Date.now);
  }

  /** Returns a remembered verdict, joins a pending scan of the same content, or starts a scan. */
  async read(content: Content, scan: Scan): Promise<Known> {
    const revision = this.#revision();
    // Treat an unreadable revision as unknown.
    if (revision === undefined) return this.#request(content, scan);
    const key = JSON.stringify([scan.profile, revision, content]);
    // A caller that cancels must not cancel the scan of another caller.
    if (scan.stops.length > 0) return this.#look(key, content, scan);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const started = this.#look(key, content, scan).finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  #revision(): string | undefined {
    try {
      const revision: unknown = this.#options.cache?.revision() ?? '';
      return typeof revision === 'string' ? revision : undefined;
    } catch {
      return undefined;
    }
  }

  async #look(key: string, content: Content, scan: Scan): Promise<Known> {
    if (this.#cache === undefined) return this.#request(content, scan);
    const hash = await this.#hash(key);
    const reading = this.#cache.get(hash);
    if (reading !== undefined) return { reading, cached: true };
    const known = await this.#request(content, scan);
    // Do not remember masked texts: they are content.
    if (known.reading.cause === undefined && known.reading.masked === undefined) this.#cache.set(hash, known.reading);
    return known;
  }

  /** Hashes keys one after the other, so that scans start in the order of the requests. */
  #hash(key: string): Promise<string> {
    const next = () => hashOf(key);
    this.#hashed = this.#hashed.then(next, next);
    return this.#hashed;
  }

  async #request(content: Content, { profile, given, stops }: Scan): Promise<Known> {
    const args = { profile_name: profile, ...argumentsOf(content), ...given };
    const { timeoutMs } = this.#options;
    // A scanner that throws synchronously must not reject before the wait has begun.
    const call = async (signal: AbortSignal) => this.#scanner.call(SCAN, args, { timeoutMs, signal });
    const { raw } = await inTime(call, timeoutMs, stops);
    const text = content.kind === 'tool' ? undefined : content.text;
    return { reading: readAnswer(raw, content.kind, text), cached: false };
  }
}
