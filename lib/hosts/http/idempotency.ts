/** Repeated requests: the same key and the same request give the same response for a day. */
import type { Clock } from '../../engine/ports.ts';
import { HttpError } from './problems.ts';

const KEEP_MS = 86_400_000;
/** Keys of one owner. */
const MOST = 10_000;
/** Size of the requests and responses of one owner, in characters. */
const MAX_CHARACTERS = 50_000_000;
const KEY = /^[\x21-\x7e]{1,255}$/;

/** A response that can be given again. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  /** Of the problem, if it failed. */
  readonly code?: string;
  /** Id of the run that was started. */
  readonly run?: string;
  /** The request changed nothing and may be repeated: the next one with this key runs again. */
  readonly forget: boolean;
}

export interface Idempotency {
  /**
   * Does the work once for each key. A request that comes while the first one runs waits for its response.
   * @param owner whose key it is; the keys of others are others
   * @param request all that decides what the work is, as text
   * @throws HttpError for a key that cannot be one, or that was used for another request
   */
  once(owner: string, key: string, request: string, work: () => Promise<Answer>): Promise<Kept>;
}

export interface Kept extends Answer {
  /** The response was given before. */
  readonly replayed: boolean;
}

interface Entry {
  readonly request: string;
  readonly answer: Promise<Answer>;
  readonly since: number;
  size: number;
  /** Undefined while the work runs. */
  done: boolean;
}

/** Creates the memory of responses. It ends with the process. */
export function newIdempotency(clock: Pick<Clock, 'elapsed'>): Idempotency {
  const owners = new Map<string, Map<string, Entry>>();
  return {
    once: async (owner, key, request, work) => {
      if (!KEY.test(key)) {
        throw new HttpError(400, 'idempotency-key', 'Idempotency-Key has up to 255 visible ASCII characters.', {
          hint: 'Use a random UUID for each piece of work.',
        });
      }
      // The keys of one owner never make room for those of another, whose work would be done twice.
      const entries = owners.get(owner) ?? new Map<string, Entry>();
      owners.set(owner, entries);
      const found = current(entries, key, clock.elapsed());
      if (found !== undefined) {
        if (found.request === request) return { ...(await found.answer), replayed: true };
        throw new HttpError(422, 'idempotency-key', 'This Idempotency-Key was used for another request.', {
          hint: 'Use a new key for each piece of work, and the same one only to repeat it.',
        });
      }
      // Only a new key needs room: to make room for a known key could forget its own response.
      for (const each of owners.values()) forgetOld(each, clock.elapsed());
      const answer = work();
      const entry: Entry = { request, answer, since: clock.elapsed(), size: request.length, done: false };
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
    },
  };
}

/** Returns the entry of a key, unless its response is older than a day. */
function current(entries: ReadonlyMap<string, Entry>, name: string, now: number): Entry | undefined {
  const entry = entries.get(name);
  return entry?.done === true && now - entry.since > KEEP_MS ? undefined : entry;
}

/** Forgets what is older than a day, and the oldest beyond the limits; never what still runs. */
function forgetOld(entries: Map<string, Entry>, now: number): void {
  let size = [...entries.values()].reduce((sum, entry) => sum + entry.size, 0);
  for (const [name, entry] of entries) {
    if (entries.size < MOST && size <= MAX_CHARACTERS && now - entry.since <= KEEP_MS) return;
    if (!entry.done) continue;
    entries.delete(name);
    size -= entry.size;
  }
}
