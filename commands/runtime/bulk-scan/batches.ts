/** Queues prompts and groups them into batches; splits and retries a batch that the service rejects. */
import { utf8Length } from '../../../lib/core/text/utf8.ts';
import { LIMITS } from './calls.ts';
import type { Prompt } from './rows.ts';

export type Batch = readonly Prompt[];

/** Upper bound of the request overhead of one prompt, in bytes. */
const AROUND = 500;

/** Creates the queue. @param most prompts in a batch; reduced if the service accepts fewer */
export function createBatches(most: number) {
  const queue: Prompt[] = [];
  /** Batches to send again, before the queue. */
  const again: Batch[] = [];
  let size = most;
  /** Size of the largest accepted batch. */
  let proven = 0;

  return {
    push: (prompt: Prompt) => void queue.push(prompt),
    /**
     * Returns the next batch. @param isLast the input has ended, so return a partial batch too
     * @param limit maximum number of prompts in it
     */
    next: (isLast: boolean, limit = size): Batch | undefined => {
      const fits = Math.min(limit, size);
      const repeated = again.shift();
      if (repeated === undefined) {
        const isReady = queue.length > 0 && (isLast || queue.length >= fits);
        return isReady ? queue.splice(0, countOf(queue.slice(0, fits))) : undefined;
      }
      if (repeated.length > fits) again.unshift(repeated.slice(fits));
      return repeated.slice(0, fits);
    },
    /** Puts a throttled batch back at the head of the queue. */
    back: (batch: Batch) => void again.unshift(batch),
    accepted: ({ length }: Batch) => {
      proven = Math.max(proven, length);
    },
    /**
     * Splits a rejected batch in two. Assumes that the batch was too large, until a single prompt is rejected.
     * @returns false for a single prompt, which cannot be split
     */
    refused: (batch: Batch): boolean => {
      const half = Math.ceil(batch.length / 2);
      if (batch.length === 1) size = most;
      else if (batch.length > proven) size = Math.min(size, half);
      if (batch.length > 1) again.unshift(batch.slice(0, half), batch.slice(half));
      return batch.length > 1;
    },
    /** Returns the number of queued prompts. */
    waiting: () => again.reduce((sum, { length }) => sum + length, queue.length),
    /** Returns the maximum number of prompts in a batch. */
    size: () => size,
    /** Returns the size that a later time slice keeps, because the service has accepted it. */
    learned: () => (size <= proven ? size : most),
  };
}

export type Batches = ReturnType<typeof createBatches>;

/** Returns how many prompts fit into one request. */
function countOf(prompts: Batch): number {
  let [count, bytes] = [0, 0];
  for (const { text, content = '' } of prompts) {
    bytes += utf8Length(JSON.stringify(text)) + utf8Length(JSON.stringify(content)) + AROUND;
    if (count > 0 && bytes > LIMITS.batchBytes) break;
    count += 1;
  }
  return count;
}
