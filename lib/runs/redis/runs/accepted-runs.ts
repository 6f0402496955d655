/**
 * Counts the accepted runs of each token in Redis, and selects the ended runs that make room for newer runs of the same
 * token.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { ServiceError } from '../../../core/errors.ts';
import { CallerQueueFullError, MAX_OWN, type Run } from '../../port.ts';
import { keyOf } from '../connection/names.ts';

/** Maximum number of ended runs kept per token. */
const MAX_ENDED = 1000;
const KEYS = [keyOf.accepted, keyOf.acceptedSums] as const;

/** Renames keys that aisec did not write: a key of another type would make every command fail. */
export const SET_ASIDE = `
local function setAside(key, wanted)
  local kind = redis.call('TYPE', key).ok
  if kind ~= wanted and kind ~= 'none' then redis.call('RENAME', key, key .. ':aside') end
end
`;

/** Counts a run unless its token has too much work; returns 1 if counted. */
const ENTER = `${SET_ASIDE}
setAside(KEYS[1], 'hash')
setAside(KEYS[2], 'hash')
local sums, own = KEYS[2], ARGV[2] .. ' ' .. ARGV[3]
local runs = tonumber(redis.call('HGET', sums, 'runs ' .. own) or '0')
local bytes = tonumber(redis.call('HGET', sums, 'bytes ' .. own) or '0')
if runs >= tonumber(ARGV[5]) or bytes + tonumber(ARGV[4]) > tonumber(ARGV[6]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], own .. ' ' .. ARGV[4])
redis.call('HINCRBY', sums, 'runs ' .. own, 1)
redis.call('HINCRBY', sums, 'bytes ' .. own, ARGV[4])
return 1
`;

/** Stops counting a run; returns its tenant and token, or nothing if it was not counted. */
export const LEAVE = `
local function leave(accepted, sums, id)
  local entry = redis.call('HGET', accepted, id)
  if not entry then return nil end
  redis.call('HDEL', accepted, id)
  local tenant, owner, bytes = string.match(entry, '^(%S+) (%S+) (%d+)$')
  if not tenant then return nil end
  local own = tenant .. ' ' .. owner
  if redis.call('HINCRBY', sums, 'runs ' .. own, -1) <= 0 then
    redis.call('HDEL', sums, 'runs ' .. own, 'bytes ' .. own)
  else
    redis.call('HINCRBY', sums, 'bytes ' .. own, -bytes)
  end
  return tenant, owner
end
`;

/** Names a token in keys. @param caller as in the run's owner */
export function ownerName(caller: string): string {
  return createHash('sha256').update(caller).digest('hex').slice(0, 16);
}

export class AcceptedRuns {
  readonly #client: Redis;
  readonly #max: { readonly runs: number; readonly bytes: number };

  constructor(client: Redis, max: { runs: number; bytes: number } = MAX_OWN) {
    this.#client = client;
    this.#max = max;
  }

  /** Counts a run. @param bytes size of its request @throws QuotaError if its token has too many waiting runs */
  async enter(id: string, tenant: string, owner: string, bytes: number): Promise<void> {
    const { runs: maxRuns, bytes: maxBytes } = this.#max;
    const isCounted = await this.#client.eval(ENTER, KEYS.length, ...KEYS, id, tenant, owner, bytes, maxRuns, maxBytes);
    if (isCounted !== 1) throw new CallerQueueFullError();
  }

  /** Stops counting a refused or removed run. */
  async leave(id: string): Promise<void> {
    await this.#client.eval(`${LEAVE} leave(KEYS[1], KEYS[2], ARGV[1])`, KEYS.length, ...KEYS, id);
  }

  /** Lists the ended runs of a token that are beyond the limit, or ended before a time. */
  async old(tenant: string, owner: string, before: number): Promise<readonly string[]> {
    const index = keyOf.ownRuns(tenant, owner, 'ended');
    const expired = await this.#client.zrangebyscore(index, 0, before);
    const beyond = await this.#client.zrange(index, 0, String(-MAX_ENDED - 1));
    return [...new Set([...expired, ...beyond])];
  }
}

/** Attempt marker of an ended run. */
export const ENDED = 'ended';
const ONCE = 'once';

/** Names a new attempt. @param isRepeatable the work may be repeated, even if it may have been done already */
export function newAttempt(isRepeatable: boolean): string {
  return `${isRepeatable ? 'again' : ONCE} ${randomBytes(8).toString('hex')}`;
}

/**
 * Reports whether an earlier attempt may have carried out the work.
 * @param hasCheckpoint the work resumes from a checkpoint
 */
export function isDoubtful(attempt: string, hasCheckpoint: boolean): boolean {
  return attempt.startsWith(`${ONCE} `) && !hasCheckpoint;
}

/** Returns the error of a run that lost its worker. */
export function lostRun({ command }: Pick<Run, 'command'>, why: string): ServiceError {
  return new ServiceError(`A worker was lost while it ran ${command} (${why.slice(0, 200)}).`, {
    hint: 'Whether it was carried out is unknown: check the service before you start it again.',
    outcomeUnknown: true,
  });
}

const MAX_REMEMBERED = 10_000;

/** The latest runs that this process started: after a crash, Redis may have forgotten them. */
export class Attempted extends Set<string> {
  override add(id: string): this {
    const [oldest] = this;
    if (this.size >= MAX_REMEMBERED && oldest !== undefined) this.delete(oldest);
    return super.add(id);
  }
}
