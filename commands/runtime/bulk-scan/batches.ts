/** Queues prompts and groups them into batches; a batch that the service refuses is split and retried. */
import { utf8Length } from '../../../lib/text/utf8.ts';
import { LIMITS } from './calls.ts';
import type { Prompt } from './rows.ts';

export interface Batch {
  readonly prompts: readonly Prompt[];
  /** The refused batch that it is a part of. */
  readonly whole: Whole | undefined;
}

/** A refused batch larger than any accepted one. When all of its parts are accepted, only its size was wrong. */
interface Whole {
  /** Prompts in each part. */
  readonly size: number;
  /** Parts without an answer. */
  open: number;
  isAccepted: boolean;
}

export interface Batches {
  push(prompt: Prompt): void;
  /**
   * Returns the next batch.
   * @param last no more input: returns a partial batch too
   * @param most maximum number of prompts in it
   */
  next(last: boolean, most?: number): Batch | undefined;
  /** Puts a throttled batch back at the head of the queue. */
  back(batch: Batch): void;
  accepted(batch: Batch): void;
  /** Splits a refused batch in two. @returns false for a single prompt, which cannot be split */
  refused(batch: Batch): boolean;
  /** Drops a batch whose outcome is unknown. */
  lost(batch: Batch): void;
  /** Number of queued prompts. */
  waiting(): number;
  /** Maximum number of prompts in a batch. */
  size(): number;
}

const PARTS = 2;
/** Upper bound of the request overhead of one prompt, in bytes. */
const AROUND = 500;

/** Creates the queue. @param most prompts in a batch; reduced if the service accepts fewer */
export function createBatches(most: number): Batches {
  const queue: Prompt[] = [];
  const again: Batch[] = [];
  const doubtful = new Set<Whole>();
  let size = most;
  // Size of the largest accepted batch.
  let proven = 0;

  /** Limits batches to the smallest size in doubt until the reason for a refusal is known. */
  const room = () => Array.from(doubtful).reduce((least, whole) => Math.min(least, whole.size), size);

  const settle = ({ whole }: Batch, isAccepted: boolean) => {
    if (whole === undefined) return;
    whole.open -= 1;
    whole.isAccepted &&= isAccepted;
    if (whole.open > 0) return;
    doubtful.delete(whole);
    if (whole.isAccepted) size = Math.min(size, whole.size);
  };

  const fill = (limit: number): Batch => {
    let [count, bytes] = [0, 0];
    for (const { text, content = '' } of queue.slice(0, limit)) {
      bytes += utf8Length(JSON.stringify(text)) + utf8Length(JSON.stringify(content)) + AROUND;
      if (count > 0 && bytes > LIMITS.batchBytes) break;
      count += 1;
    }
    return { prompts: queue.splice(0, count), whole: undefined };
  };

  const repeated = (limit: number): Batch | undefined => {
    const batch = again.shift();
    if (batch === undefined || batch.prompts.length <= limit) return batch;
    // It was split before the limit shrank, so its outcome no longer proves a size.
    settle(batch, false);
    again.unshift({ prompts: batch.prompts.slice(limit), whole: undefined });
    return { prompts: batch.prompts.slice(0, limit), whole: undefined };
  };

  return {
    push: (prompt) => void queue.push(prompt),
    next: (last, limit = size) => {
      const most = Math.min(limit, room());
      const isReady = queue.length > 0 && (last || queue.length >= most);
      return repeated(most) ?? (isReady ? fill(most) : undefined);
    },
    back: (batch) => void again.unshift(batch),
    accepted: (batch) => {
      proven = Math.max(proven, batch.prompts.length);
      settle(batch, true);
    },
    refused: (batch) => {
      settle(batch, false);
      const { prompts } = batch;
      if (prompts.length < PARTS) return false;
      const half = Math.ceil(prompts.length / PARTS);
      const whole = prompts.length <= proven ? undefined : { size: half, open: PARTS, isAccepted: true };
      if (whole !== undefined) doubtful.add(whole);
      again.unshift({ prompts: prompts.slice(0, half), whole }, { prompts: prompts.slice(half), whole });
      return true;
    },
    lost: (batch) => settle(batch, false),
    waiting: () => queue.length + again.reduce((sum, { prompts }) => sum + prompts.length, 0),
    size: () => size,
  };
}
