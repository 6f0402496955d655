/** Bulk scans with the built program, against a service over HTTP, compared with a loop around the single scan. */
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { median, range, table } from './measure.mjs';
import { AISEC, costOf, NONE, REAL, REAL_WORDS, withServices } from './processes.mjs';

/** So many prompts are what a loop is measured with. */
export const SERIAL = 200;
const MILLION = 1_000_000;

const RUNS = [
  { prompts: 1000, times: REAL, rounds: 5, title: 'bulk scan' },
  { prompts: 20_000, times: REAL, rounds: 3, title: 'bulk scan' },
  { prompts: 100_000, times: NONE, rounds: 5, title: 'bulk scan, a service without latency' },
];
const NOTE = `${REAL_WORDS} The loop, in one process and run once, is 1. CPU is that of the
program alone, memory the peak of its whole process; where a run was repeated, the median and between which figures all of them lie.`;

export async function measureBulk() {
  return withServices(async (place) => {
    const serial = await inLoop(place);
    const rows = [bulkRow('a loop around the single scan', [serial], serial)];
    for (const { prompts, times, rounds, title } of RUNS) {
      const found = [];
      for (let round = 0; round < rounds; round += 1) found.push(await inBulk(place, prompts, times));
      rows.push(bulkRow(title, found, times === REAL ? serial : undefined));
    }
    return `## Bulk scans\n\n${NOTE}\n\n${bulkTable(rows)}`;
  });
}

/** A million prompts; takes a few minutes. */
export async function measureMillion() {
  return withServices(async (place) => {
    const found = await inBulk(place, MILLION, NONE);
    const note = 'By `npm run bench:million`: one run to its end. Memory is the peak of the whole process.';
    const rows = [bulkRow('bulk scan, a service without latency', [found])];
    return `## A million prompts\n\n${note}\n\n${bulkTable(rows)}`;
  });
}

/** @param runs of the same work: prompts, seconds, requests, cpuMs, megabytes @param base what the ratio is to */
export function bulkRow(title, runs, base) {
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

export function bulkTable(rows) {
  const columns = ['run', 'prompts', 'ratio', 'prompts a second here', 'requests a prompt', 'CPU a prompt here, ms'];
  return table([...columns, 'peak memory, MB'], rows);
}

let loop;

/** What a loop takes, which is what the others are compared to. It takes a minute, so it is run once. */
export async function inLoop(place) {
  loop ??= await oneByOne(place);
  return loop;
}

/** One prompt after the other, each with a request of its own, in one process. */
async function oneByOne(place) {
  return served(place, REAL, async (environment) => {
    const lineOf = (prompt) => `!aisec-runtime-scan profile_name=prod prompt="${prompt}"`;
    const input = createReadStream(await writePrompts(join(place.folder, 'lines.txt'), SERIAL, lineOf));
    const cost = await costOf([AISEC, '--output', 'jsonl'], { environment, folder: place.folder, input });
    if (cost.stdout.trim().split('\n').length !== SERIAL) throw new Error('the loop lost prompts');
    return { ...cost, prompts: SERIAL };
  });
}

/** @param times of the service */
export async function inBulk(place, prompts, times) {
  return served(place, times, async (environment) => {
    const { folder } = place;
    const file = await writePrompts(join(folder, 'prompts.txt'), prompts, (prompt) => prompt);
    const line = `!aisec-runtime-bulk-scan profile_name=prod prompts_csv=file entry_id=${file}`;
    const cost = await costOf([AISEC, '--files-dir', folder, '--output', 'context', line], { environment, folder });
    const { total, errors } = JSON.parse(cost.stdout);
    if (total !== prompts || errors > 0) throw new Error(`${total} of ${prompts} prompts, ${errors} errors`);
    return { ...cost, prompts };
  });
}

/** Runs something against a service of its own. @returns what the work returns, with the requests that the service had */
export async function served({ openService }, times, work) {
  const service = await openService(times);
  const done = await work(service.settings);
  return { ...done, requests: await service.close() };
}

/** Prompts of ordinary length, one a line. */
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
