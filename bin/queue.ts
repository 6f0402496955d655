import { lazyQueue } from '../lib/client/queue.ts';

/** Opens a client's queue; its modules are loaded on first use. */
export const queue = lazyQueue(async (...options) =>
  (await import('../lib/runs/redis/queue.ts')).clientQueue(...options),
);
