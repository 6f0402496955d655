/**
 * Scripts that change a run atomically. The attempt identifies who works on a run: `once ID` or `again ID`, depending on
 * whether the work may be repeated, and `ended` after the end. A script changes nothing unless the attempt is the
 * expected one, so that the end of a run is written once, by its owner.
 */
import { LEAVE, SET_ASIDE } from './accepted-runs.ts';

/**
 * Adds an event; ids count from 1. The arguments from `at` on: the event, the number of events kept, and their
 * lifetime.
 */
const ADD_EVENT = `
local function addEvent(events, count, bell, at)
  local id = redis.call('INCR', count)
  redis.call('XADD', events, 'MAXLEN', '~', ARGV[at + 1], id .. '-0', 'e', ARGV[at])
  redis.call('EXPIRE', events, ARGV[at + 2])
  redis.call('EXPIRE', count, ARGV[at + 2])
  redis.call('PUBLISH', bell, '1')
end
`;

/** Pieces of a run whose keys the scripts receive, in this order. */
export const SCRIPT_PIECES = ['attempt', 'run', 'events', 'count', 'work', 'progress', 'result'] as const;
/** Arguments: expected attempt, event, number of events kept, seconds. */
const COMMON = `${ADD_EVENT}
local attempt, run, events, count, work, progress, result, bell = unpack(KEYS)
local found = redis.call('GET', attempt) or ''
local function tell() addEvent(events, count, bell, 2) end
`;
/** A removed run is not recreated, and the end that another attempt wrote is kept. */
const OWNED = `${COMMON}
if redis.call('EXISTS', run) == 0 then return 0 end
if found ~= '' and found ~= ARGV[1] then return 0 end
`;

/**
 * Creates a run whose job was added before, in the same transaction. A script that runs too late, because Redis was
 * frozen, creates nothing. Further arguments: deadline by the Redis clock, run, work, id, creation time, tenant;
 * further keys: the list, the job, the set of tenants, and the list of the token.
 */
export const CREATE = `${COMMON}${SET_ASIDE}local time = redis.call('TIME')
if tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000 > tonumber(ARGV[5]) then return 0 end
if redis.call('EXISTS', KEYS[10]) == 0 then return 0 end
setAside(KEYS[9], 'zset')
setAside(KEYS[11], 'set')
redis.call('SADD', KEYS[11], ARGV[10])
redis.call('ZADD', KEYS[9], ARGV[9], ARGV[8])
redis.call('ZADD', KEYS[12], ARGV[9], ARGV[8])
tell()
redis.call('SET', work, ARGV[7], 'EX', ARGV[4])
redis.call('SET', run, ARGV[6], 'EX', ARGV[4])
return 1
`;

/** Takes on a run. Further arguments: the new attempt, and the run if its state changes. */
export const BEGIN = `${COMMON}
if redis.call('EXISTS', run) == 0 then return 0 end
if found == ARGV[5] then return 1 end
if found ~= ARGV[1] then return 0 end
redis.call('SET', attempt, ARGV[5], 'EX', ARGV[4])
if ARGV[6] ~= '' then
  redis.call('SET', run, ARGV[6], 'EX', ARGV[4])
  tell()
end
return 1
`;

/**
 * A run that is no longer queued or running makes room for other runs of its token; the token's oldest ended runs are
 * removed later. A run ends even if another program has overwritten the counts. Further keys: the counts; first further
 * arguments: id, time, key prefix.
 */
const COUNTED = `${OWNED}${LEAVE}
local function counted()
  local isRead, tenant, owner = pcall(leave, KEYS[9], KEYS[10], ARGV[5])
  if not isRead or not tenant then return {} end
  redis.pcall('ZADD', table.concat({ARGV[7], 'runs', tenant, owner, 'ended'}, ':'), ARGV[6], ARGV[5])
  return {tenant, owner}
end
`;

/** Writes a state other than the end, which the owner may still write. Further argument: the run. */
export const DOUBT = `${COUNTED}
redis.call('SET', run, ARGV[8], 'EX', ARGV[4])
tell()
return counted()
`;

/** Ends a run. Further arguments: the run, its result or nothing, and 1 to keep the work. */
export const END = `${COUNTED}
redis.call('SET', attempt, 'ended', 'EX', ARGV[4])
if ARGV[9] ~= '' then redis.call('SET', result, ARGV[9], 'EX', ARGV[4]) end
redis.call('SET', run, ARGV[8], 'EX', ARGV[4])
redis.call('EXPIRE', progress, ARGV[4])
redis.pcall('EXPIRE', ARGV[7] .. ':stopped:' .. ARGV[5], ARGV[4])
tell()
if ARGV[10] == '1' then redis.call('EXPIRE', work, ARGV[4]) else redis.call('UNLINK', work) end
return counted()
`;

/** Adds an event from the owner. Further argument: the line of progress, or nothing. */
export const TELL = `${OWNED}
if ARGV[5] ~= '' then redis.call('SET', progress, ARGV[5], 'EX', ARGV[4]) end
tell()
return 1
`;

/** Removes a run that was refused, unless an attempt has begun. Further keys: its lists; further argument: the id. */
export const WITHDRAW = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
for at = 9, 11 do redis.call('ZREM', KEYS[at], ARGV[1]) end
for at = 1, 7 do redis.call('UNLINK', KEYS[at]) end
return 1
`;
