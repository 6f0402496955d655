/** Measures a guarded stream against the same stream without a guard: scanned text, and delay of the shown text. */
import { setTimeout as sleep } from 'node:timers/promises';
import { importText } from '../bundle.mjs';
import { interleaved, measuredOn, over, spread, table } from './measure.mjs';

const TEXT = 'The policy covers water damage, but no floods. '.repeat(51).slice(0, 2400);
/** A model that writes 240 characters a second, and a service that responds after 200 ms. */
const [CHUNK, PAUSE_MS, SCAN_MS] = [6, 25, 200];
const CHUNKS = TEXT.match(/.{1,6}/gsu);
const ROUNDS = 3;
/** Maximum ratio of characters scanned to characters streamed, with the default windows. */
const SCANNED_LIMIT = 1.3;

const MODES = [
  { name: 'no guard' },
  { name: 'default windows', stream: {} },
  { name: 'windows of 200', stream: { first: 200, max: 200 } },
  { name: 'hold all', stream: 'all' },
];

export async function measureGuard() {
  const { createGuard } = await importText("export { createGuard } from './bin/guard.ts';");
  const paced = await interleaved(MODES, ROUNDS, (mode) => pacedStream(createGuard, mode));
  const [, { scanned }] = paced.map((runs) => runs[0]);
  if (!(scanned < SCANNED_LIMIT)) throw new Error(`The default windows scan ${scanned} times the text.`);
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
    ];
  });
  const columns = [
    'stream',
    'scanned over streamed',
    'limit',
    'first text, s',
    'longest silence, s',
    'end relative to no guard',
  ];
  const note = `A model that writes ${TEXT.length} characters, ${CHUNK} each ${PAUSE_MS} ms, and a service that answers after ${SCAN_MS} ms; ${ROUNDS} rounds.\n${measuredOn()}`;
  return `## The guard\n\n${note}\n\n${table(columns, rows)}`;
}

/** Creates a guard with a service that allows everything and counts the scanned characters. */
function guardOf(createGuard, stream) {
  const counted = { characters: 0 };
  const raw = { action: 'allow', category: 'benign', profile_name: 'prod', timeout: false, error: false };
  const call = async (_, { response }) => {
    counted.characters += response.length;
    await sleep(SCAN_MS);
    return { raw };
  };
  return { guard: createGuard({ call }, { profile: 'prod', stream, cache: false }), counted };
}

/** Streams a text at the pace of a model. @returns seconds, and the ratio of characters scanned to characters streamed */
async function pacedStream(createGuard, { stream }) {
  const { guard, counted } = guardOf(createGuard, stream);
  const start = performance.now();
  const shown = [];
  const show = (text) => {
    if (text !== '') shown.push((performance.now() - start) / 1000);
  };
  const held = stream === undefined ? undefined : guard.stream();
  // The reader keeps reading while a window is scanned, like a network.
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
