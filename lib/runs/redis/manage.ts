/** The operations of `aisec queue`, each on a connection of its own. */
import type { QueueOptions } from './connection/address.ts';
import { openQueue } from './queue.ts';
import { dropJob, type QueueStatus, queueStatus, retryJob } from './status.ts';

type Opened = Awaited<ReturnType<typeof openQueue>>;

async function using<T>(options: QueueOptions, use: (queue: Opened) => Promise<T>): Promise<T> {
  const queue = await openQueue(options, 'refuses');
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}

export function readQueue(options: QueueOptions, now: number): Promise<QueueStatus> {
  return using(options, (queue) => queueStatus(queue, now));
}

export function retryInQueue(options: QueueOptions, id: string, dryRun: boolean): Promise<void> {
  return using(options, (queue) => retryJob(queue, id, dryRun));
}

export function dropFromQueue(options: QueueOptions, id: string, dryRun: boolean): Promise<void> {
  return using(options, (queue) => dropJob(queue, id, dryRun));
}
