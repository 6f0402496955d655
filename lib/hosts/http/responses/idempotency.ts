/** Remembers responses: for a day, the same key and the same request give the same response. */
import type { Clock } from '../../../core/ports.ts';
import { HttpError } from '../problems.ts';

const KEEP_MS = 86_400_000;
/** Maximum number of keys per owner. */
const MAX_KEYS = 10_000;
/** Maximum size of the requests and responses of one owner, in characters. */
const MAX_CHARACTERS = 50_000_000;

/** A stored response. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  /** Code of the problem, if it failed. */
  readonly code?: string;
  /** Id of the run that was started. */
  readonly run?: string;
  /** The request changed nothing and may be repeated: the next request with this key runs again. */
  readonly forget: boolean;
}

export interface Kept extends Answer {
  /** Whether the response is a repeat. */
  readonly replayed: boolean;
}

interface Entry {
  readonly request: string;
  readonly answer: Promise<Answer>;
  readonly since: number;
  size: number;
  /** False while the work runs. */
  done: boolean;
}

/** Remembers responses, until the process ends. */
export class Idempotency {
  readonly #clock: Pick<Clock, 'elapsed'>;
  /** An owner's keys are never evicted to make room for another owner, because the work could then be done twice. */
  readonly #owners = new Map<string, Map<string, Entry>>();

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  /**
   * Does the work once for each key. A request that arrives while the first request runs waits for the same response.
   * @param owner the key's owner; keys are scoped to their owner
   * @param request everything that determines the work, as text
   * @throws HttpError for a key that was used for another request
   */
  async once(owner: string, key: string, request: string, work: () => Promise<Answer>): Promise<Kept> {
    const now = this.#clock.elapsed();
    const entries = this.#owners.get(owner) ?? new Map<string, Entry>();
    this.#owners.set(owner, entries);
    const found = entries.get(key);
    if (found !== undefined && !isOld(found, now)) {
      if (found.request === request) return { ...(await found.answer), replayed: true };
      throw new HttpError(422, 'idempotency-key', 'This Idempotency-Key was used for another request.', {
        hint: 'Use a new key for each piece of work, and reuse a key only to repeat its request.',
      });
    }
    // Only a new key needs room: making room for a known key could forget its own response.
    for (const each of this.#owners.values()) forgetOld(each, now);
    const answer = work();
    const entry: Entry = { request, answer, since: now, size: request.length, done: false };
    entries.set(key, entry);
    try {
      const given = await answer;
      entry.done = true;
      entry.size += given.body.length;
      if (given.forget) entries.delete(key);
      return { ...given, replayed: false };
    } catch (thrown) {
      entries.delete(key);
      throw thrown;
    }
  }
}

/** Reports whether an entry has a response that is older than a day. */
function isOld({ done, since }: Entry, now: number): boolean {
  return done && now - since > KEEP_MS;
}

/** Forgets responses that are older than a day, and the oldest beyond the limits; never work that still runs. */
function forgetOld(entries: Map<string, Entry>, now: number): void {
  let size = [...entries.values()].reduce((sum, entry) => sum + entry.size, 0);
  for (const [name, entry] of entries) {
    if (entries.size < MAX_KEYS && size <= MAX_CHARACTERS && now - entry.since <= KEEP_MS) return;
    if (!entry.done) continue;
    entries.delete(name);
    size -= entry.size;
  }
}
