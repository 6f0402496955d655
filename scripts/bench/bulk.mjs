/** Measures bulk scans of the built program over HTTP, compared with a loop of single scans. */
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { AISEC } from '../start-program.mjs';
import { median, range, table } from './measure.mjs';
import { costOf, LATENCY_NOTE, NONE, REAL, withServices } from './processes.mjs';

/** Number of prompts in the loop. */
const SERIAL = 200;

const RUNS = [
  { prompts: 1000, times: REAL, rounds: 5, title: 'bulk scan' },
  { prompts: 20_000, times: REAL, rounds: 3, title: 'bulk scan' },
  { prompts: 100_000, times: NONE, rounds: 5, title: 'bulk scan, a service without latency' },
];
const NOTE = `${LATENCY_NOTE} The loop, run once in one process, has the ratio 1. CPU time is
the program's own, memory is the peak of its process; repeated runs have minimum and maximum in parentheses.`;

export async function measureBulk() {
  return withServices(async (bench) => {
    const serial = await oneByOne(bench);
    const rows = [bulkRow('a loop around the single scan', [serial], serial)];
    for (const { prompts, times, rounds, title } of RUNS) {
      const found = [];
      for (let round = 0; round < rounds; round += 1) found.push(await inBulk(bench, prompts, times));
      rows.push(bulkRow(title, found, times === REAL ? serial : undefined));
    }
    return `## Bulk scans\n\n${NOTE}\n\n${bulkTable(rows)}`;
  });
}

/** Measures a million prompts; takes a few minutes. */
export async function measureMillion(prompts) {
  return withServices(async (bench) => {
    const found = await inBulk(bench, prompts, NONE);
    const note = 'By `npm run bench:million`: one run. Memory is the peak of the process.';
    const rows = [bulkRow('bulk scan, a service without latency', [found])];
    return `## A million prompts\n\n${note}\n\n${bulkTable(rows)}`;
  });
}

/**
 * Creates a row.
 * @param runs repeated runs: prompts, seconds, requests, cpuMs, megabytes
 * @param base the run with ratio 1
 */
function bulkRow(title, runs, base) {
  const of = (figure, digits) => range(runs.map(figure), digits);
  const rate = ({ prompts, seconds }) => prompts / seconds;
  const ratio = base === undefined ? '' : (median(runs.map(rate)) / rate(base)).toFixed(1);
  return [
    title,
    String(runs[0].prompts),
    ratio,
    of(rate, rate(runs[0]) < 10 ? 1 : 0),
    of(({ requests, prompts }) => requests / prompts, 3),
    of(({ cpuMs, prompts }) => cpuMs / prompts, 3),
    of(({ megabytes }) => megabytes, 0),
  ];
}

function bulkTable(rows) {
  const columns = [
    'run',
    'prompts',
    'ratio',
    'prompts per second here',
    'requests per prompt',
    'CPU per prompt here, ms',
  ];
  return table([...columns, 'peak memory, MB'], rows);
}

/** Scans prompts one by one, in one process. */
async function oneByOne(bench) {
  return served(bench, REAL, async (environment) => {
    const lineOf = (prompt) => `!aisec-runtime-scan profile_name=prod prompt="${prompt}"`;
    const input = createReadStream(await writePrompts(join(bench.folder, 'lines.txt'), SERIAL, lineOf));
    const cost = await costOf([AISEC, '--output', 'jsonl'], { environment, folder: bench.folder, input });
    if (cost.stdout.trim().split('\n').length !== SERIAL) throw new Error('the loop lost prompts');
    return { ...cost, prompts: SERIAL };
  });
}

/** Measures a bulk scan. @param times latencies of the service */
export async function inBulk(bench, prompts, times) {
  return served(bench, times, async (environment) => {
    const { folder } = bench;
    const file = await writePrompts(join(folder, 'prompts.txt'), prompts, (prompt) => prompt);
    const line = `!aisec-runtime-bulk-scan profile_name=prod prompts_csv=file entry_id=${file}`;
    const cost = await costOf([AISEC, '--files-dir', folder, '--output', 'context', line], { environment, folder });
    const { total, errors } = JSON.parse(cost.stdout);
    if (total !== prompts || errors > 0) throw new Error(`${total} of ${prompts} prompts, ${errors} errors`);
    return { ...cost, prompts };
  });
}

/** Runs work against a new service. @returns the work's result, and the number of requests */
async function served({ openService }, times, work) {
  const service = await openService(times);
  const done = await work(service.settings);
  return { ...done, requests: (await service.close()).requests };
}

/** Writes prompts of ordinary length, one per line. */
export async function writePrompts(file, count, lineOf) {
  const out = createWriteStream(file);
  for (let index = 1; index <= count; index += 1) {
    const prompt = `Please summarise the attached report for the regional sales meeting, part ${index}, in three sentences.`;
    if (!out.write(`${lineOf(prompt)}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  return file;
}
