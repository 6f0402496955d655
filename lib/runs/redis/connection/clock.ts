/** The clock that all workers share: a job that moves between machines does not depend on their times. */

import type { Clock } from '../../../core/ports.ts';
import { nodeClock } from '../../../node/clock.ts';
import type { RedisLink } from './redis.ts';

/** Returns the time of Redis, in milliseconds since the epoch. */
export async function redisTime(client: RedisLink['client']): Promise<number> {
  const [seconds = 0, microseconds = 0] = (await client.time()).map(Number);
  return seconds * 1000 + microseconds / 1000;
}

/** Reads the time of Redis once; later jumps of any clock change nothing. */
export async function sharedClock({ client }: RedisLink): Promise<Clock> {
  const time = await redisTime(client);
  const own = nodeClock();
  const offset = time - own.elapsed();
  return { ...own, elapsed: () => own.elapsed() + offset };
}
