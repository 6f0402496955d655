import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CancelledError } from '../../../lib/core/errors.ts';
import type { HttpRequest, KeepBytes } from '../../../lib/core/ports.ts';
import { newStop } from '../../../lib/core/stop.ts';
import { nodeTransport } from '../../../lib/node/http/transport.ts';
import { nodeClock } from '../../../lib/node/system/clock.ts';
import { stopOf } from '../../../lib/node/system/stop.ts';
import { failedChecks, type Sample } from '../../../scripts/soak/checks.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { closeServersAfterEach, serveHttp } from '../../unit/transport/servers.ts';

closeServersAfterEach();

/** Far above any request limit here, even on a busy machine. */
const LONG_MS = 60_000;

/** A run of twenty minutes whose memory use goes up and down, but does not grow. */
const FLAT: readonly Sample[] = Array.from({ length: 20 }, (_, minute) => ({
  ...{ seconds: minute * 60, megabytes: 200 + (minute % 3), files: 40 },
}));
const growing = (figure: 'megabytes' | 'files', perMinute: number) =>
  FLAT.map((one, minute) => ({ ...one, [figure]: one[figure] + minute * perMinute }));

test.each<[string, readonly Sample[], readonly string[], RegExp | undefined]>([
  ['memory that stays bounded', FLAT, [], undefined],
  [
    'memory that grows in the first half only',
    FLAT.map((one, at) => ({ ...one, megabytes: at < 8 ? 150 : 200 })),
    [],
    undefined,
  ],
  [
    'memory that grows in a run that is too short to have filled its bounds',
    growing('megabytes', 4).map((one) => ({ ...one, seconds: one.seconds / 20 })),
    [],
    undefined,
  ],
  ['memory that grows', growing('megabytes', 4), [], /^Memory grew by 3\d\.\d MB; 26\.\d are allowed/],
  ['memory above the limit', FLAT.map((one) => ({ ...one, megabytes: 301 })), [], /^The service used 301 MB/],
  ['too little time to judge', FLAT.slice(0, 3), [], /^2 memory samples .* too few/],
  ['files that stay open', growing('files', 7), [], /^63 more descriptors/],
  ['an unexplained answer', FLAT, ['scan: 500'], /^scan: 500/],
])('a run with %s is judged', (_, samples, problems, found) => {
  expect(failedChecks(samples, problems)).toEqual(found === undefined ? [] : [expect.stringMatching(found)]);
});

test('hundreds of waits on one clock do not leak, and a stop ends all of them', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  const controller = new AbortController();
  const stop = stopOf(controller.signal);
  const clock = nodeClock();
  const waits = Array.from({ length: 200 }, () => clock.wait(60_000, stop).catch((thrown: unknown) => thrown));
  controller.abort();
  const thrown = await Promise.all(waits);
  expectNone(
    thrown.filter((each) => !(each instanceof CancelledError)),
    'waits that end otherwise than cancelled',
  );
  await expect(clock.wait(60_000, stop)).rejects.toThrow(CancelledError);
  // Warnings arrive in a later turn.
  await sleep(1);
  process.off('warning', note);
  expectNone(warnings, 'warnings of the process');
});

describe('files in transit', () => {
  let folder = '';
  beforeAll(() => {
    folder = temporaryFolder('load');
    writeFileSync(join(folder, 'prompts.csv'), 'prompt\nHello\n');
  });

  const upload = (port: number, timeoutMs: number): HttpRequest => {
    const file = { entry: join(folder, 'prompts.csv'), name: 'prompts.csv', size: 13 };
    const form = { file, field: 'file', contentType: 'text/csv', parts: [] };
    return { method: 'POST', url: `http://127.0.0.1:${port}/`, headers: {}, upload: form, timeoutMs };
  };

  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('() => gc()') as () => void;
  const collectTwice = async () => {
    for (let times = 0; times < 2; times += 1) {
      await sleep(50);
      collect();
    }
  };

  test('an upload whose response stalls ends at its timeout, even after a garbage collection', async () => {
    const server = await serveHttp((incoming, outgoing) => {
      incoming.resume().on('end', () => outgoing.writeHead(200, { 'content-length': 10 }).flushHeaders());
    });
    const transport = nodeTransport({ insecure: false, proxy: false });
    const sent = transport.send(upload(server.port, 300)).catch((thrown: unknown) => thrown);
    await collectTwice();
    const outcome = await Promise.race([sent, sleep(LONG_MS, 'it goes on', { ref: false })]);
    await transport.close();
    expect(outcome).toMatchObject({ name: 'TimeoutError' });
  });

  test.each([
    ['is complete, whatever was collected meanwhile', false, { file: { size: 3000 } }],
    ['is ended by a stop, and never treated as complete', true, { name: 'CancelledError' }],
  ])('a download that arrived before it could be written %s', async (_, isStopped, expected) => {
    const server = await serveHttp((_incoming, outgoing) => outgoing.end('x'.repeat(3000)));
    const stopper = newStop();
    const keep: KeepBytes = async (name, contentType, bytes) => {
      await collectTwice();
      if (isStopped) stopper.now();
      await sleep(1);
      let size = 0;
      for await (const piece of bytes) size += piece.length;
      return { entry: name, name, size, contentType };
    };
    const transport = nodeTransport({ insecure: false, proxy: false, keep });
    const url = `http://127.0.0.1:${server.port}/`;
    const sent = transport
      .send({ method: 'GET', url, headers: {}, download: 'report.zip', timeoutMs: LONG_MS / 2, stop: stopper.stop })
      .catch((thrown: unknown) => thrown);
    const outcome = await Promise.race([sent, sleep(LONG_MS, 'it goes on', { ref: false })]);
    await transport.close();
    expect(outcome).toMatchObject(expected);
  });
});
