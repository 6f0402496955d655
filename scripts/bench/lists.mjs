/** Measures long lists from a service with latency: time in pages, and memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { importText } from '../bundle.mjs';
import { ROOT } from '../root.mjs';
import { withJsonService } from './json-client.mjs';
import { cleanEnvironment, spread, table } from './measure.mjs';

const PROGRAM = join(ROOT, 'dist', 'aisec.cjs');
const PEAK = join(ROOT, 'scripts', 'bench', 'peak-memory.cjs');
const LATENCY_MS = 100;
const PAGE = 100;
const LONG = 5000;
const LONGEST = 50_000;
const ROUNDS = 5;
const RUNS = 3;
/** Pages of a list of `LONG` records. */
const ALL = LONG / PAGE;

export async function measureLists() {
  const { openLists, PAGES_AT_ONCE } = await importText(
    "export { openLists, PAGES_AT_ONCE } from './scripts/bench/list-pages.ts';\n",
  );
  return withJsonService(LATENCY_MS, async (service) => {
    const times = await timesOf(openLists(service.settings), PAGES_AT_ONCE);
    const programs = await programsOf(service);
    return section(times, programs, PAGES_AT_ONCE);
  });
}

function kinds(atOnce) {
  return [
    { title: 'one after the other', kind: 'skip', atOnce: 1 },
    { title: `${atOnce} at once, the service reports the total`, kind: 'skip', atOnce },
    { title: `${atOnce} at once, it only reports a next page`, kind: 'offset', atOnce },
    { title: `for comparison: ${ALL} at once, total known`, kind: 'skip', atOnce: ALL },
    { title: `for comparison: ${ALL} at once, next page known`, kind: 'offset', atOnce: ALL },
  ];
}

/** Measures each kind of list. @returns times in pages of the same round */
async function timesOf(lists, atOnce) {
  // Warm-up: opens connections and compiles the code.
  for (const kind of ['skip', 'offset']) await lists.time(kind, LONG, ALL);
  const all = kinds(atOnce).map((row) => ({ ...row, ratios: [] }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const row of all) {
      const one = await lists.time(row.kind, PAGE, 1);
      row.ratios.push((await lists.time(row.kind, LONG, row.atOnce)) / one);
    }
  }
  await lists.close();
  return all;
}

/** Measures the built program with `--output jsonl`, by number of records. */
async function programsOf({ settings, seen }) {
  const folder = mkdtempSync(join(tmpdir(), 'aisec-bench-'));
  const all = [PAGE, LONG, LONGEST].map((limit) => ({ limit, seconds: [], megabytes: [], most: 0 }));
  try {
    await seen();
    for (let round = 0; round < RUNS; round += 1) {
      for (const row of all) {
        const { seconds, megabytes } = await programOf(row.limit, join(folder, 'peak'), settings);
        row.seconds.push(seconds);
        row.megabytes.push(megabytes);
        row.most = Math.max(row.most, (await seen()).most);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return all;
}

async function programOf(limit, peak, settings) {
  const start = process.hrtime.bigint();
  const child = spawn(
    process.execPath,
    ['-r', PEAK, PROGRAM, '--output', 'jsonl', `!aisec-runtime-topics-list limit=${limit}`],
    {
      env: cleanEnvironment({ HOME: dirname(peak), ...settings, PEAK_MEMORY: peak }),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let lines = 0;
  child.stdout.on('data', (piece) => {
    for (const byte of piece) if (byte === 10) lines += 1;
  });
  const [status] = await once(child, 'close');
  if (status !== 0 || lines !== limit) throw new Error(`status ${status}, ${lines} of ${limit} records`);
  return { seconds: Number(process.hrtime.bigint() - start) / 1e9, megabytes: Number(readFileSync(peak, 'utf8')) };
}

function section(times, programs, atOnce) {
  const [, long, longest] = programs;
  const each = longest.megabytes.map((megabytes, round) => megabytes / long.megabytes[round]);
  const pages = times.map(({ title, ratios }) => [title, spread(ratios, 1)]);
  const runs = programs.map(({ limit, seconds, megabytes, most }) => [
    String(limit),
    spread(seconds),
    spread(megabytes, 0),
    String(most),
  ]);
  return `## Lists

A list of ${LONG} records in ${ALL} pages, from a service that answers each page after ${LATENCY_MS} ms. One page is 1; the client alone, ${ROUNDS} rounds.
With ${atOnce} requests at once, ${ALL} pages take at least ${1 + Math.ceil((ALL - 1) / atOnce)} times that of one.

${table(['pages', 'time, one page is 1'], pages)}
The whole program, \`aisec --output jsonl '!aisec-runtime-topics-list limit=...'\`: ten times the records take ${spread(each)} times the memory.

${table(['records', 'seconds here', 'peak memory, MB', 'most requests in flight'], runs)}`;
}
