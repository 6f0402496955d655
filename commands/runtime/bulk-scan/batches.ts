/** Prompts on their way to the service, in batches; a batch that the service refuses comes again in parts. */
import { utf8Length } from '../../../lib/text/utf8.ts';
import { LIMITS } from './calls.ts';
import type { Prompt } from './rows.ts';

export interface Batch {
  readonly prompts: readonly Prompt[];
  /** The refused batch that it is a part of. */
  readonly whole: Whole | undefined;
}

/** A batch that was larger than any before, and refused. When all of its parts are accepted, only its size was wrong. */
interface Whole {
  /** Prompts in each part. */
  readonly size: number;
  /** Parts of which nothing is known yet. */
  open: number;
  isAccepted: boolean;
}

export interface Batches {
  push(prompt: Prompt): void;
  /**
   * The next batch.
   * @param last nothing more is coming now: what is there goes, though it fills no batch
   * @param most prompts in it
   */
  next(last: boolean, most?: number): Batch | undefined;
  /** It was turned away as it is: it comes again, and first. */
  back(batch: Batch): void;
  accepted(batch: Batch): void;
  /** It was refused: it comes again in two parts. @returns false for a single prompt, of which there are none */
  refused(batch: Batch): boolean;
  /** What became of it will not be known. */
  lost(batch: Batch): void;
  /** Prompts that wait. */
  waiting(): number;
  /** How many prompts a batch has at most. */
  size(): number;
}

const PARTS = 2;
/** What stands around the text of a prompt in a request, in bytes, generously. */
const AROUND = 500;

/** @param most prompts in a batch; fewer when the service turns out to take fewer */
export function createBatches(most: number): Batches {
  const queue: Prompt[] = [];
  const again: Batch[] = [];
  const doubtful = new Set<Whole>();
  let size = most;
  // The largest batch that was ever accepted.
  let proven = 0;

  /** While it is not known why a batch was refused, no other is as large. */
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
    for (const { text } of queue.slice(0, limit)) {
      bytes += utf8Length(JSON.stringify(text)) + AROUND;
      if (count > 0 && bytes > LIMITS.batchBytes) break;
      count += 1;
    }
    return { prompts: queue.splice(0, count), whole: undefined };
  };

  const repeated = (limit: number): Batch | undefined => {
    const batch = again.shift();
    if (batch === undefined || batch.prompts.length <= limit) return batch;
    // It was cut before the service was known to take less, and is no proof of anything any more.
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
