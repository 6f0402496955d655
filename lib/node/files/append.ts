/** Appends whole lines to a file, in order. */
import type { FileHandle } from 'node:fs/promises';

/** Serialises writes, because concurrent writes would interleave; lines that arrive during a write share the next write. */
export function serialised(write: (text: string) => Promise<void>): (text: string) => Promise<void> {
  let waiting: string[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const begin = () => {
    const text = waiting.join('');
    [waiting, next] = [[], undefined];
    return write(text);
  };
  return (text) => {
    waiting.push(text);
    if (next === undefined) {
      next = last.then(begin);
      last = next.catch(() => undefined);
    }
    return next;
  };
}

const STEP = 65_536;
const LINE_FEED = 0x0a;

/** Removes the incomplete line that a killed process left behind. @returns the remaining bytes */
export async function dropPartialLine(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(STEP);
  for (let end = size; end > 0; end -= STEP) {
    const from = Math.max(0, end - STEP);
    const { bytesRead } = await file.read(buffer, 0, end - from, from);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(LINE_FEED);
    if (at < 0) continue;
    const whole = from + at + 1;
    if (whole < size) await file.truncate(whole);
    return whole;
  }
  if (size > 0) await file.truncate(0);
  return 0;
}
