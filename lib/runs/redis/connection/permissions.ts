/** Checks that Redis grants this client everything that the queue needs. Uses a script that changes nothing. */
import type { Redis } from 'ioredis';
import { KINDS, keyOf, PREFIX, queueName, STOPS, TENANTS } from './names.ts';

/** Commands that aisec and BullMQ use, by their number of arguments. */
const COMMANDS: readonly (readonly [count: number, names: string])[] = [
  [0, 'PING INFO TIME MULTI EXEC'],
  [
    1,
    'GET MGET DEL UNLINK EXISTS TYPE STRLEN INCR PERSIST PTTL SCAN HGETALL HLEN LLEN LPOP RPOP SCARD SMEMBERS XLEN ZCARD ZPOPMIN SUBSCRIBE UNSUBSCRIBE',
  ],
  [
    2,
    'SET EXPIRE PEXPIRE PEXPIREAT INCRBY RENAME HGET HMGET HDEL HEXISTS LINDEX LPOS LPUSH RPUSH RPOPLPUSH SADD SREM SISMEMBER XDEL ZREM ZSCORE BZPOPMIN PUBLISH',
  ],
  [
    3,
    'GETRANGE SETRANGE HSET HMSET HINCRBY LRANGE LREM LSET LTRIM XRANGE XTRIM ZADD ZCOUNT ZLEXCOUNT ZRANGE ZREVRANGE ZRANGEBYLEX ZRANGEBYSCORE ZREVRANGEBYSCORE ZREMRANGEBYRANK ZREMRANGEBYSCORE',
  ],
  [4, 'XADD'],
];
/** An example of each kind of key and channel. */
const PROBE = `${PREFIX}:probe`;
const KEYS = [
  ...KINDS.map((kind) => `${PREFIX}:${queueName(kind, 'probe')}:wait`),
  ...[
    keyOf.labels,
    keyOf.stopped,
    keyOf.rate,
    keyOf.next,
    keyOf.brake,
    keyOf.alive,
    keyOf.worker,
    keyOf.runs,
    keyOf.turns,
  ].map((named) => named('probe')),
  ...[keyOf.shard('probe', 'in'), keyOf.run('probe', 'run'), keyOf.accepted, keyOf.acceptedSums, TENANTS],
];
const CHANNELS = [STOPS, keyOf.bell('probe'), keyOf.brake('probe')];

/** Calls that Redis must permit. */
export const NEEDED: readonly string[] = [
  ...COMMANDS.flatMap(([count, names]) =>
    names.split(' ').map((name) => [name, ...Array<string>(count).fill(PROBE)].join(' ')),
  ),
  ...[`EVAL return 1 ${PROBE}`, `EVALSHA return 1 ${PROBE}`, `XREAD STREAMS ${PROBE} 0`],
  // Redis has separate rights to read and to write a key.
  ...KEYS.flatMap((key) => [`GET ${key}`, `SET ${key} 1`]),
  ...CHANNELS.flatMap((channel) => [`SUBSCRIBE ${channel}`, `PUBLISH ${channel} 1`]),
];

/** Returns the calls that are not permitted; Redis before version 7 cannot report them. */
const ASK = `
local missing = {}
if not redis.acl_check_cmd then return missing end
for _, line in ipairs(ARGV) do
  local call = {}
  for word in string.gmatch(line, '%S+') do table.insert(call, word) end
  if not redis.acl_check_cmd(unpack(call)) then table.insert(missing, line) end
end
return missing
`;
const MAX_NAMED = 3;
const REFUSED = /NOAUTH|WRONGPASS|NOPERM|ACL failure/;

/** Command that grants a user the rights. */
export const RIGHTS_HINT = `Put user and password into the address of the queue: redis://USER:PASSWORD@HOST:PORT. It needs: ACL SETUSER USER ~${PREFIX}:* &${PREFIX}:* +@all -@admin`;

/** Reports whether Redis refuses this client, because of its password or its rights. */
export function isRefusal(text: string): boolean {
  return REFUSED.test(text);
}

/** Names the rights that Redis refuses to this client; undefined if none. @throws connection errors */
export async function refusedOf(client: Redis): Promise<string | undefined> {
  try {
    const missing = (await client.eval(ASK, 0, ...NEEDED)) as readonly string[];
    if (missing.length === 0) return undefined;
    const named = missing.slice(0, MAX_NAMED).join(', ');
    const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
    return `it has no right to ${named}${more}`;
  } catch (thrown) {
    if (thrown instanceof Error && isRefusal(thrown.message)) return thrown.message.slice(0, 200);
    throw thrown;
  }
}
