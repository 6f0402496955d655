/** The wait for a scan ends with its caller. */
import { inTime } from '../../../lib/guard/scanning.ts';

/** Work that ends when the test says so, and the signal that it got. */
function working() {
  const begun: { signal?: AbortSignal; end: (value: string) => void } = { end: () => undefined };
  const work = (signal: AbortSignal) =>
    new Promise<string>((end) => {
      Object.assign(begun, { signal, end });
    });
  return { begun, work };
}

const FOREVER = 2 ** 31 - 1;

test('a caller who leaves ends the wait and the work', async () => {
  const { begun, work } = working();
  const [stay, leave] = [new AbortController(), new AbortController()];
  const waiting = inTime(work, FOREVER, [stay.signal, leave.signal]);
  leave.abort();
  await expect(waiting).rejects.toMatchObject({ reason: 'cancelled' });
  expect(begun.signal?.aborted).toBe(true);
});

test('a caller who has left starts no work', async () => {
  const { begun, work } = working();
  await expect(inTime(work, FOREVER, [AbortSignal.abort()])).rejects.toMatchObject({ reason: 'cancelled' });
  expect(begun.signal).toBeUndefined();
});

test('work that has ended is stopped, and hears of no caller any more', async () => {
  const { begun, work } = working();
  const heard: string[] = [];
  const stop = {
    aborted: false,
    addEventListener: (name: string) => heard.push(`added ${name}`),
    removeEventListener: (name: string) => heard.push(`removed ${name}`),
  };
  const waiting = inTime(work, FOREVER, [stop as never]);
  begun.end('done');
  expect(await waiting).toBe('done');
  expect(heard).toEqual(['added abort', 'removed abort']);
  expect(begun.signal?.reason).toMatchObject({ reason: 'cancelled' });
});
