/** The clock that all workers share: a job that moves between machines does not depend on their times. */

import type { Clock } from '../../../core/ports.ts';
import { nodeClock } from '../../../node/clock.ts';
import type { RedisLink } from './redis.ts';

/** Reads the time of Redis once; later jumps of any clock change nothing. */
export async function sharedClock({ client }: RedisLink): Promise<Clock> {
  const [seconds, microseconds] = (await client.time()).map(Number);
  const own = nodeClock();
  const offset = (seconds ?? 0) * 1000 + (microseconds ?? 0) / 1000 - own.elapsed();
  return { ...own, elapsed: () => own.elapsed() + offset };
}
