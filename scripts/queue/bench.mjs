/** Measures bulk scans and runs through the queue. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inBulk, writePrompts } from '../bench/bulk.mjs';
import { measuredOn, range, table } from '../bench/measure.mjs';
import { NONE, REAL, withServices } from '../bench/processes.mjs';
import { digestOf, openCluster, pause } from './cluster.mjs';
import { measureRuns } from './runs.mjs';

/** Prompts for realistic latencies, and for the recoveries. */
const [SOME, KILLED] = [80_000, 60_000];
/** Prompts, and requests per second, of three workers that share a limit. */
const [LIMITED, LIMIT] = [30_000, 100];
/** Rounds in which one process and the queue take turns. */
const ROUNDS = 3;
/** Time after a kill in which rows are watched, in milliseconds. */
const WATCH_MS = 25_000;

let count = 0;

/** Scans through the queue. @param options `words` for the workers; `disturb` is called while it runs */
async function inQueue({ folder: root, openService }, prompts, times, workers, { words = [], disturb } = {}) {
  count += 1;
  const folder = join(root, `queue-${count}`);
  const service = await openService(times, prompts);
  const cluster = await openCluster({ folder, environment: service.settings });
  try {
    await cluster.redis();
    await Promise.all(Array.from({ length: workers }, (_, at) => cluster.worker(at + 1, ...words)));
    const file = await writePrompts(join(folder, 'prompts.txt'), prompts, (prompt) => prompt);
    const since = performance.now();
    await cluster.scan(file);
    const noticed = await disturb?.(cluster, file, folder);
    const { code, stderr } = await cluster.running('coordinator').ended;
    const seconds = (performance.now() - since) / 1000;
    if (code !== 0) throw new Error(`the coordinator ended with ${code}: ${stderr}`);
    const { rows } = await digestOf(join(folder, 'out.jsonl'));
    if (rows !== prompts) throw new Error(`${rows} of ${prompts} rows`);
    const memory = await cluster.memory();
    await cluster.close();
    return { prompts, seconds, workers, noticed, memory, ...(await service.close()) };
  } finally {
    await cluster.close();
  }
}

/** Kills a process, starts it again, and returns the longest time without a new row, in seconds. */
function killing(name) {
  return async (cluster, file, folder) => {
    await pause(3000);
    await cluster.kill(name);
    if (name === 'coordinator') await cluster.scan(file, 'resume=true');
    else if (name === 'redis') await cluster.redis();
    else await cluster.worker(1);
    return longestGap(folder, cluster);
  };
}

async function longestGap(folder, cluster) {
  const size = () => {
    const name = readdirSync(folder).find((each) => each.endsWith('.partial.jsonl'));
    return name === undefined ? -1 : statSync(join(folder, name)).size;
  };
  const began = performance.now();
  let [last, since, longest] = [size(), began, 0];
  while (performance.now() - began < WATCH_MS && cluster.running('coordinator').child.exitCode === null) {
    await pause(20);
    const now = size();
    if (now === last) continue;
    longest = Math.max(longest, performance.now() - since);
    [last, since] = [now, performance.now()];
  }
  return longest / 1000;
}

/** Scans without and with the queue, one after the other. */
async function both(bench, prompts) {
  return { alone: await inBulk(bench, prompts, NONE), queue: await inQueue(bench, prompts, NONE, 2) };
}

const rate = ({ prompts, seconds }) => prompts / seconds;

function throughRow(title, runs, of) {
  const [ratios, rates] = [runs.map((run) => rate(of(run)) / rate(run.alone)), runs.map((run) => rate(of(run)))];
  const peaks = runs.map((run) => of(run).memory?.peak ?? Number.NaN);
  const memory = Number.isNaN(peaks[0]) ? '' : Math.max(...peaks).toFixed(0);
  return [title, String(of(runs[0]).prompts), range(ratios), range(rates, 0), memory];
}

/** Measures with so many prompts; takes a quarter of an hour for a million. */
export function measureQueue(prompts) {
  return withServices((bench) => queueSection(bench, prompts));
}

async function queueSection(bench, prompts) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await both(bench, Math.round(prompts / 10)));
  const many = await both(bench, prompts);
  const real = [];
  for (const workers of [1, 2, 4]) real.push(await inQueue(bench, SOME, REAL, workers));
  const kills = [];
  for (const name of ['worker 1', 'redis', 'coordinator']) {
    kills.push([name, await inQueue(bench, KILLED, NONE, 2, { disturb: killing(name) })]);
  }
  const limited = await inQueue(bench, LIMITED, NONE, 3, { words: ['--requests-per-second', String(LIMIT)] });
  const runs = await measureRuns(bench);
  const through = [rounds, [many]].flatMap((runs) => [
    throughRow('one process, no queue', runs, ({ alone }) => alone),
    throughRow('two workers', runs, ({ queue }) => queue),
  ]);
  const scaled = real.map((run) => [
    String(run.workers),
    String(run.prompts),
    (rate(run) / rate(real[0])).toFixed(2),
    rate(run).toFixed(0),
  ]);
  const recovered = kills.map(([name, { noticed }]) => [name.replace(/ \d/, ''), noticed.toFixed(1)]);
  return `## Bulk scans through the queue

By \`npm run bench:queue\`. Coordinator, workers of four slots, Redis and the simulated service share this machine. Figures with minimum and maximum
in parentheses are of ${ROUNDS} interleaved rounds, the others of one run. ${measuredOn()}

${table(['run, a service without latency', 'prompts', 'ratio', 'prompts per second here', 'peak memory of Redis, MB'], through)}
With the latencies of the section on bulk scans:

${table(['workers', 'prompts', 'ratio', 'prompts per second here'], scaled)}
The longest time without a new row after a kill -9, when the process is started again at once (a dead worker's shards wait for its lock: ten
seconds, and up to five more until somebody looks):

${table(['killed', 'seconds'], recovered)}
**One rate.** Three workers with \`--requests-per-second ${LIMIT}\` sent ${limited.tenSeconds.fewest} to ${limited.tenSeconds.most} requests in any ten seconds, as the service counted them;
${LIMIT * 10} would be exact.

${runs}`;
}
