/** Measures the guard of streams against the same stream without it: scanned text, delay of the shown text, and cost of a chunk. */
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { importText } from '../bundle.mjs';
import { cpuTimeOf, interleaved, measuredOn, over, spread, table } from './measure.mjs';

const TEXT = 'The policy covers water damage, but no floods. '.repeat(51).slice(0, 2400);
/** A model that writes 240 characters a second, and a service that takes 200 ms. */
const [CHUNK, PAUSE_MS, SCAN_MS] = [6, 25, 200];
const CHUNKS = TEXT.match(/.{1,6}/gsu);
const PACED_ROUNDS = 3;
const CPU_ROUNDS = 7;
const STREAMS = 10_000;
/** Characters scanned over characters streamed at the default windows. */
const SCANNED_LIMIT = 1.3;
/** Memory in use after ten thousand streams, over that before them, in MB. */
const GROWTH_LIMIT = 10;

const MODES = [
  { name: 'no guard' },
  { name: 'default windows', stream: {} },
  { name: 'windows of 200', stream: { first: 200, max: 200 } },
  { name: 'hold all', stream: 'all' },
];

export async function measureGuard() {
  const { createGuard } = await importText("export { createGuard } from './bin/guard.ts';");
  const paced = await interleaved(MODES, PACED_ROUNDS, (mode) => pacedStream(createGuard, mode));
  const [, { scanned }] = paced.map((runs) => runs[0]);
  if (!(scanned < SCANNED_LIMIT)) throw new Error(`The default windows scan ${scanned} times the text.`);
  const processor = await interleaved(MODES, CPU_ROUNDS, (mode) => processorTime(createGuard, mode));
  const rows = MODES.map(({ name }, at) => {
    const figure = (member) => paced[at].map((run) => run[member]);
    return [
      name,
      spread(figure('scanned')),
      at === 1 ? String(SCANNED_LIMIT) : '',
      spread(figure('first'), 1),
      spread(figure('silence'), 1),
      spread(
        over(
          figure('end'),
          paced[0].map(({ end }) => end),
        ),
      ),
      spread(processor[at], 1),
    ];
  });
  const columns = [
    'stream',
    'scanned over streamed',
    'limit',
    'first text, s',
    'longest silence, s',
    'end relative to no guard',
    'CPU of a chunk here, µs',
  ];
  const note = `A model that writes ${TEXT.length} characters, ${CHUNK} each ${PAUSE_MS} ms, and a service that answers after ${SCAN_MS} ms; ${PACED_ROUNDS} rounds. CPU is that of this process without pauses, ${CPU_ROUNDS} rounds.\n${measuredOn()}`;
  return `## The guard\n\n${note}\n\n${table(columns, rows)}\n${await memoryOf(createGuard)}`;
}

/** Creates a guard over a service that allows everything, and counts what it was asked for. */
function guardOf(createGuard, stream, scanMs) {
  const counted = { characters: 0 };
  const raw = { action: 'allow', category: 'benign', profile_name: 'prod', timeout: false, error: false };
  const call = async (_, { response }) => {
    counted.characters += response.length;
    if (scanMs > 0) await sleep(scanMs);
    return { raw };
  };
  return { guard: createGuard({ call }, { profile: 'prod', stream, cache: false }), counted };
}

/** Streams a text at the pace of a model. @returns seconds, and characters scanned over characters streamed */
async function pacedStream(createGuard, { stream }) {
  const { guard, counted } = guardOf(createGuard, stream, SCAN_MS);
  const start = performance.now();
  const shown = [];
  const show = (text) => {
    if (text !== '') shown.push((performance.now() - start) / 1000);
  };
  const held = stream === undefined ? undefined : guard.stream();
  // The reader reads on while a window is scanned, as a network would.
  const pushed = [];
  for (const [at, chunk] of CHUNKS.entries()) {
    await sleep(Math.max(0, start + (at + 1) * PAUSE_MS - performance.now()));
    if (held === undefined) show(chunk);
    else pushed.push(held.push(chunk).then(show));
  }
  if (held !== undefined) show(await held.end());
  await Promise.all(pushed);
  const gaps = shown.map((time, at) => time - (shown[at - 1] ?? time));
  return { scanned: counted.characters / TEXT.length, first: shown[0], silence: Math.max(...gaps), end: shown.at(-1) };
}

/** Measures the processor time of a chunk over a hundred streams. @returns microseconds */
async function processorTime(createGuard, { stream }) {
  const streams = 100;
  const { guard } = guardOf(createGuard, stream, 0);
  const milliseconds = await cpuTimeOf(async () => {
    for (let count = 0; count < streams; count += 1) await streamed(guard, stream);
  });
  return (milliseconds * 1000) / (streams * CHUNKS.length);
}

async function streamed(guard, stream) {
  const held = stream === undefined ? undefined : guard.stream();
  for (const chunk of CHUNKS) await (held === undefined ? Promise.resolve(chunk) : held.push(chunk));
  await held?.end();
}

async function memoryOf(createGuard) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const inUse = () => {
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const { guard } = guardOf(createGuard, {}, 0);
  await streamed(guard, {});
  const before = inUse();
  const open = Array.from({ length: STREAMS }, () => streamed(guard, {}));
  await Promise.all(open);
  open.length = 0;
  const growth = inUse() - before;
  if (!(growth <= GROWTH_LIMIT)) throw new Error(`Memory grew by ${growth.toFixed(1)} MB.`);
  const rows = [[String(STREAMS), growth.toFixed(1), String(GROWTH_LIMIT)]];
  return table(['streams at once', 'growth of the memory in use after them, MB', 'limit'], rows);
}
