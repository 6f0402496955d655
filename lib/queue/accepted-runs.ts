/** Accepted runs in Redis: how many a token has, and which ended ones make room for newer ones of the same token. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { OWN_WORK, tooMuchWaits } from '../runs/port.ts';
import { keyOf } from './names.ts';

/** Ended runs of one token that are kept. */
const MOST_ENDED = 1000;

/** Counts a run unless its token has too much work: returns 1 if it is counted. */
const ENTER = `
local sums, own = KEYS[2], ARGV[2] .. ' ' .. ARGV[3]
local runs = tonumber(redis.call('HGET', sums, 'runs ' .. own) or '0')
local bytes = tonumber(redis.call('HGET', sums, 'bytes ' .. own) or '0')
if runs >= tonumber(ARGV[5]) or bytes + tonumber(ARGV[4]) > tonumber(ARGV[6]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], own .. ' ' .. ARGV[4])
redis.call('HINCRBY', sums, 'runs ' .. own, 1)
redis.call('HINCRBY', sums, 'bytes ' .. own, ARGV[4])
return 1
`;

/** Ends the count of a run once: returns its tenant and token, or nothing if it is not counted. */
const LEAVE = `
local entry = redis.call('HGET', KEYS[1], ARGV[1])
if not entry then return {} end
redis.call('HDEL', KEYS[1], ARGV[1])
local tenant, owner, bytes = string.match(entry, '^(%S+) (%S+) (%d+)$')
if not tenant then return {} end
local own = tenant .. ' ' .. owner
if redis.call('HINCRBY', KEYS[2], 'runs ' .. own, -1) <= 0 then
  redis.call('HDEL', KEYS[2], 'runs ' .. own, 'bytes ' .. own)
else
  redis.call('HINCRBY', KEYS[2], 'bytes ' .. own, -bytes)
end
return {tenant, owner}
`;

export interface AcceptedRuns {
  /** Counts a run. @param bytes of its work @throws QuotaError if its token has too much work waiting */
  enter(id: string, tenant: string, owner: string, bytes: number): Promise<void>;
  /** Ends the count of a run that was refused or removed. */
  leave(id: string): Promise<void>;
  /** Ends the count of an ended run. @returns the tenant, and the ended runs of its token that are beyond the limit */
  ended(id: string, at: number): Promise<{ readonly tenant: string; readonly old: readonly string[] } | undefined>;
}

/** Names a token in keys. @param caller as runs name it */
export function ownerName(caller: string): string {
  return createHash('sha256').update(caller).digest('hex').slice(0, 16);
}

/** Opens the counts. @param keptMs time for which an ended run is kept */
export function acceptedRuns(
  client: Redis,
  keptMs: number,
  own: { runs: number; bytes: number } = OWN_WORK,
): AcceptedRuns {
  const keys = [keyOf.accepted, keyOf.acceptedSums] as const;
  const leave = async (id: string) => (await client.eval(LEAVE, keys.length, ...keys, id)) as readonly string[];
  return {
    enter: async (id, tenant, owner, bytes) => {
      const limits = [own.runs, own.bytes];
      const isCounted = await client.eval(ENTER, keys.length, ...keys, id, tenant, owner, bytes, ...limits);
      if (isCounted !== 1) throw tooMuchWaits();
    },
    leave: async (id) => void (await leave(id)),
    ended: async (id, at) => {
      const [tenant, owner] = await leave(id);
      if (tenant === undefined || owner === undefined) return undefined;
      const index = keyOf.ownRuns(tenant, owner, 'ended');
      await client.zadd(index, at, id);
      const expired = await client.zrangebyscore(index, 0, at - keptMs);
      const beyond = await client.zrange(index, 0, String(-MOST_ENDED - 1));
      return { tenant, old: [...new Set([...expired, ...beyond])] };
    },
  };
}
