/** Asks the service for readings of contents, and remembers complete ones. */
import { hashOf, VerdictCache } from './cache.ts';
import { argumentsOf, type Content } from './content.ts';
import { inTime } from './in-time.ts';
import type { Settled } from './options.ts';
import type { Scanner } from './types.ts';
import { type Reading, readAnswer } from './verdict.ts';

const SCAN = 'aisec-runtime-scan';

/** How a content is scanned. */
export interface Scan {
  readonly profile: string;
  /** Arguments from the context. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Any of them ends the scan. */
  readonly stops: readonly AbortSignal[];
}

/** A reading, and whether it comes from an earlier scan. */
export interface Known {
  readonly reading: Reading;
  readonly cached: boolean;
}

export class Scanning {
  readonly #scanner: Scanner;
  readonly #options: Settled;
  readonly #cache: VerdictCache<Reading> | undefined;
  /** Scans under way by key: the same content twice in one request is scanned once. */
  readonly #running = new Map<string, Promise<Known>>();
  #hashed: Promise<string> = Promise.resolve('');

  constructor(scanner: Scanner, options: Settled) {
    this.#scanner = scanner;
    this.#options = options;
    this.#cache = options.cache === undefined ? undefined : new VerdictCache(options.cache, Date.now);
  }

  /** Looks a content up, or scans it, unless the same scan is under way. */
  async read(content: Content, scan: Scan): Promise<Known> {
    const revision = this.#revision();
    // A revision that cannot be read is none that is known.
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

  /** Hashes one key after the other, so that scans begin in the order in which they were asked for. */
  #hash(key: string): Promise<string> {
    const next = () => hashOf(key);
    this.#hashed = this.#hashed.then(next, next);
    return this.#hashed;
  }

  async #request(content: Content, { profile, given, stops }: Scan): Promise<Known> {
    const args = { profile_name: profile, ...argumentsOf(content), ...given };
    const { timeoutMs } = this.#options;
    // A scanner that throws at once must not leave before its wait has begun.
    const call = async (signal: AbortSignal) => this.#scanner.call(SCAN, args, { timeoutMs, signal });
    const { raw } = await inTime(call, timeoutMs, stops);
    const text = content.kind === 'tool' ? undefined : content.text;
    return { reading: readAnswer(raw, content.kind, text), cached: false };
  }
}
