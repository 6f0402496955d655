/** Reads the clock that all workers share, so that jobs do not depend on machine clocks. Also limits how long operations may wait. */
import type { Redis } from 'ioredis';
import type { Clock } from '../../../core/ports.ts';
import { nodeClock } from '../../../node/system/clock.ts';

/** Returns the time on the Redis server, in milliseconds since the epoch. */
export async function redisTime(client: Redis): Promise<number> {
  const [seconds = 0, microseconds = 0] = (await client.time()).map(Number);
  return seconds * 1000 + microseconds / 1000;
}

/** Reads the Redis server's time once; later clock changes have no effect. */
export async function sharedClock({ client }: { readonly client: Redis }): Promise<Clock> {
  const time = await redisTime(client);
  const own = nodeClock();
  const offset = time - own.elapsed();
  return { ...own, elapsed: () => own.elapsed() + offset };
}

/**
 * Limits the time of an operation.
 * @param work receives a function that returns the time left
 * @throws Error when the time is over
 */
export async function within<T>(milliseconds: number, work: (left: () => number) => Promise<T>): Promise<T> {
  const until = performance.now() + milliseconds;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('time-out')), milliseconds);
  });
  try {
    return await Promise.race([work(() => until - performance.now()), late]);
  } finally {
    clearTimeout(timer);
  }
}
