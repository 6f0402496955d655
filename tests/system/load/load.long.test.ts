import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { registry } from '../../../commands/index.ts';
import { AisecError, CancelledError, NotFoundError, ResponseError } from '../../../lib/core/errors.ts';
import type { HttpRequest, KeepBytes } from '../../../lib/core/ports.ts';
import { newStop } from '../../../lib/core/stop.ts';
import { nodeClock } from '../../../lib/node/clock.ts';
import { stopOf } from '../../../lib/node/stop.ts';
import { nodeTransport } from '../../../lib/transport/node.ts';
import { withSection } from '../../../scripts/bench/measure.mjs';
import { failedChecks, type Measurements, trendOf } from '../../../scripts/soak/checks.ts';
import type { Sample } from '../../../scripts/soak/monitor.ts';
import { createOutcomes } from '../../../scripts/soak/outcomes.ts';
import { seededRandom } from '../../../scripts/soak/random.ts';
import { type RoomOptions, runTheRestAlone } from '../../../scripts/soak/traffic.ts';
import { createWorkload, lineFor } from '../../../scripts/soak/workload.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { lineRoom } from '../../support/lines.ts';
import { closeServersAfterEach, serveHttp } from '../../unit/transport/servers.ts';

closeServersAfterEach();

/** Far above any limit of a request here, even on a machine that is busy. */
const LONG_MS = 60_000;

const sample = (second: number, figures: Partial<Sample> = {}): Sample => ({
  ...{ seconds: second, heap: 40, rss: 150 },
  ...figures,
});

/** A run of a hundred seconds whose memory goes up and down, and stays where it is. */
const FLAT: Measurements = {
  commandsAtOnce: 200,
  samples: Array.from({ length: 100 }, (_, second) => sample(second, { heap: 40 + (second % 7) })),
  mostSockets: 250,
  socketsLeft: 0,
  descriptorsLeft: 0,
  leftovers: [],
  processErrors: [],
  unexpected: [],
  hanging: [],
  neverSucceeded: [],
  slowestStop: { line: '', ms: 50 },
  loopDelayMs: 20,
};
const growing = (figure: 'heap' | 'rss', perSecond: number) =>
  FLAT.samples.map((one) => ({ ...one, [figure]: one[figure] + one.seconds * perSecond }));

test('a run passes when memory and connections stay bounded and nothing is left behind', () => {
  expectNone(failedChecks(FLAT), 'objections to a flat run');
});

test('memory that grows at first and then stays constant is not a leak', () => {
  const samples = FLAT.samples.map((one) => ({ ...one, heap: one.heap + 2 * Math.min(one.seconds, 40) }));
  expectNone(failedChecks({ ...FLAT, samples }), 'objections to such a run');
});

test.each([
  ['the system takes and gives back', (second: number) => (second < 20 || second > 75 ? 150 : 120)],
  ['the allocator keeps for a while', (second: number) => (second > 75 ? 172 : 120)],
])('memory that %s is not a leak', (_what, rss) => {
  const samples = FLAT.samples.map((one) => ({ ...one, rss: rss(one.seconds) }));
  expect(trendOf(samples, 'rss').growth).toBeGreaterThan(20);
  expectNone(failedChecks({ ...FLAT, samples }), 'objections to such a run');
});

test.each<[string, Partial<Measurements>, RegExp]>([
  ['a heap that grows by a tenth of a MB a second', { samples: growing('heap', 0.1) }, /^The heap grew by 4\.\d MB/],
  ['memory outside the heap that grows', { samples: growing('rss', 0.5) }, /^The memory of the process grew by 2\d/],
  ['being too short to tell', { samples: [sample(0), sample(9), sample(10)] }, /^2 memory samples .* too few/],
  ['more connections than commands explain', { mostSockets: 401 }, /401 connections at once; 400/],
  ['a connection that stays open', { socketsLeft: 1 }, /^1 connections were open/],
  ['a file that stays open', { descriptorsLeft: 1 }, /^1 descriptors were open/],
  ['half a file', { leftovers: ['.report.zip.0a1b'] }, /^Left behind: \.report/],
  ['an unhandled rejection', { processErrors: ['a rejection'] }, /^Process error: a rejection/],
  ['an outcome that nothing explains', { unexpected: ['aisec-x: 2 UsageError'] }, /^Unexpected: aisec-x/],
  ['a command that never ends', { hanging: ['!aisec-x'] }, /^Never ended: !aisec-x/],
  ['a command that never succeeds', { neverSucceeded: ['aisec-x'] }, /^Never succeeded: aisec-x/],
  [
    'a command that takes no notice of a stop',
    { slowestStop: { line: '!aisec-x', ms: 15_000 } },
    /^!aisec-x took 15000/,
  ],
])('a run fails because of %s', (_, found, problem) => {
  const problems = failedChecks({ ...FLAT, ...found });
  expect(problems).toEqual([expect.stringMatching(problem)]);
});

test('growth is reported only for the second half, in MB', () => {
  const { median, growth } = trendOf(growing('rss', 1), 'rss');
  expect([median, Math.round(growth)]).toEqual([225, 49]);
});

test.each<[string, unknown, number | undefined, number]>([
  ['nothing failed', undefined, undefined, 0],
  ['the service has no such thing', new NotFoundError('gone'), undefined, 0],
  ['a user stopped it', new CancelledError('Stopped.'), 5, 0],
  ['not stopped', new CancelledError('Stopped.'), undefined, 1],
  ['the answer is not understood', new ResponseError('strange'), undefined, 1],
  ['the program is at fault', new AisecError('Unexpected failure'), undefined, 1],
  ['what is thrown is not ours', new TypeError('x is not a function'), undefined, 1],
])('an outcome is expected or not: %s', (_, thrown, afterStopMs, unexpected) => {
  const outcomes = createOutcomes();
  outcomes.note({ name: 'aisec-x', line: '!aisec-x', thrown, afterStopMs });
  expect([outcomes.count(), outcomes.unexpected().length]).toEqual([1, unexpected]);
  expect(outcomes.succeeded.has('aisec-x')).toBe(thrown === undefined);
});

test('commands that failed under load run alone until they succeed or time out', async () => {
  const outcomes = createOutcomes();
  const rare = 'aisec-runtime-topics-apply';
  const others = Object.keys(registry).filter((name) => name !== rare);
  for (const name of others) outcomes.note({ name, line: `!${name}`, afterStopMs: undefined });
  const [asBefore, changed] = [lineRoom(), lineRoom()];
  await changed.run(lineFor('aisec-runtime-topics-delete', 1));
  let attempts = 0;
  const renewedAt =
    (attempt: number): RoomOptions['runtime'] =>
    async () => {
      attempts += 1;
      return attempts < attempt ? changed.runtime : asBefore.runtime;
    };
  const run = (runtime: RoomOptions['runtime'], longestMs: number) =>
    runTheRestAlone({ random: () => 0.5, runtime, outcomes }, longestMs, 1);
  expect(await run(renewedAt(Number.POSITIVE_INFINITY), 50)).toEqual([rare]);
  attempts = 0;
  expect(await run(renewedAt(3), LONG_MS)).toEqual([]);
  expect(attempts).toBe(3);
});

test('the same seed runs the same lines, and another seed other lines', () => {
  const lines = (seed: number) => Array.from({ length: 100 }, createWorkload(seededRandom(seed))).flat();
  expect(lines(7)).toEqual(lines(7));
  expect(lines(8)).not.toEqual(lines(7));
});

test('each script replaces only its own sections of the document', () => {
  const before = '# Head\n\n## Cold start\n\none\n\n### Detail\n\n## Bulk scans\n\ntwo\n';
  const after = ['## Bulk scans\n\nthree\n', '## Under load\n\nfour\n'].reduce(withSection, before);
  expect(after).toBe(
    '# Head\n\n## Cold start\n\none\n\n### Detail\n\n## Bulk scans\n\nthree\n\n## Under load\n\nfour\n',
  );
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
  // Warnings come in a later turn.
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
    ['is whole, whatever was cleared meanwhile', false, { file: { size: 3000 } }],
    ['is stopped by a stop, and never taken for complete', true, { name: 'CancelledError' }],
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
