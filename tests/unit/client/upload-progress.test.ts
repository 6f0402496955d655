/** Uploads show how much of the file has been sent. */
import { showingUploads } from '../../../lib/client/upload-progress.ts';
import type { HttpRequest, Transport } from '../../../lib/core/ports.ts';
import { testClock } from '../../support/simulated.ts';

const RESPONSE = { status: 200, headers: {}, body: '' };

/** Uploads a file, of which the transport sends a part every second. @returns the shown progress */
async function shown(size: number | undefined, parts: readonly number[], stepMs = 1000) {
  const clock = testClock();
  const lines: unknown[] = [];
  const inner: Transport = {
    send: async ({ onSent }) => {
      for (const bytes of parts) {
        clock.advance(stepMs);
        onSent?.(bytes);
      }
      return RESPONSE;
    },
  };
  const transport = showingUploads(inner, (line, amount) => lines.push([line, amount?.done, amount?.total]), clock);
  const file = { entry: '/x/words.txt', name: 'words.txt', size };
  const upload = { file, field: 'file', contentType: 'text/plain', parts: [] };
  const request: HttpRequest = { method: 'POST', url: 'http://x/', headers: {}, timeoutMs: 1, upload };
  expect(await transport.send(request)).toBe(RESPONSE);
  return lines;
}

test('with size, rate and time left, and the end of the upload', async () => {
  expect(await shown(4_000_000, [1_000_000, 2_000_000, 4_000_000])).toEqual([
    ['Sending words.txt: 1,000 of 4,000 kB', 1000, 4000],
    ['Sending words.txt: 2,000 of 4,000 kB, 1,000 kB/s, 2 s left', 2000, 4000],
    ['words.txt is sent: waiting for the response', undefined, undefined],
  ]);
});

test('in megabytes if the file is large', async () => {
  expect(await shown(50_000_000, [1_500_000, 3_000_000])).toEqual([
    ['Sending words.txt: 1 of 50 MB', 1.5, 50],
    ['Sending words.txt: 3 of 50 MB, 2 MB/s, 31 s left', 3, 50],
  ]);
});

test('without a total if the size is not known', async () => {
  expect(await shown(undefined, [2500])).toEqual([['Sending words.txt: 2 kB', 2.5, undefined]]);
});

test('at most four times a second, and never if the upload ends at once', async () => {
  const tenths = Array.from({ length: 10 }, (_, at) => (at + 1) * 100_000);
  expect(await shown(2_000_000, tenths, 100)).toHaveLength(3);
  expect(await shown(1_000_000, [500_000, 1_000_000], 10)).toEqual([]);
});

test('a request without a file is passed on unchanged', async () => {
  const seen: HttpRequest[] = [];
  const inner: Transport = {
    send: async (request) => {
      seen.push(request);
      return RESPONSE;
    },
  };
  const request: HttpRequest = { method: 'GET', url: 'http://x/', headers: {}, timeoutMs: 1 };
  await showingUploads(inner, () => undefined, testClock()).send(request);
  expect(seen[0]).toBe(request);
});
