import { lazyQueue } from '../lib/client/queue.ts';

/** Opens the queue of a client; its modules are loaded on the first use. */
export const queue = lazyQueue(async (...options) =>
  (await import('../lib/runs/redis/queue.ts')).clientQueue(...options),
);
