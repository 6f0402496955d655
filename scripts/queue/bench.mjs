/** Measures bulk scans through the queue. */
import { join } from 'node:path';
import { inBulk, writePrompts } from '../bench/bulk.mjs';
import { measuredOn, range, table } from '../bench/measure.mjs';
import { NONE, REAL, withServices } from '../bench/processes.mjs';
import { digestOf, openCluster } from './cluster.mjs';

/** Number of prompts with realistic latencies. */
const SOME = 80_000;
/** Rounds in which one process and the queue are measured in turn. */
const ROUNDS = 3;

let count = 0;

/** Measures with this many prompts; a million take a quarter of an hour. */
export function measureQueue(prompts) {
  return withServices(async (bench) => {
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await both(bench, Math.round(prompts / 10)));
    const many = await both(bench, prompts);
    const real = [];
    for (const workers of [1, 2, 4]) real.push(await inQueue(bench, SOME, REAL, workers));
    return section(rounds, many, real);
  });
}

/** Scans without and with the queue, one after the other. */
async function both(bench, prompts) {
  return { alone: await inBulk(bench, prompts, NONE), queue: await inQueue(bench, prompts, NONE, 2) };
}

async function inQueue({ folder: root, openService }, prompts, times, workers) {
  count += 1;
  const folder = join(root, `queue-${count}`);
  const service = await openService(times);
  const cluster = await openCluster({ folder, environment: service.settings });
  try {
    await cluster.redis();
    await Promise.all(Array.from({ length: workers }, (_, at) => cluster.worker(at + 1)));
    const file = await writePrompts(join(folder, 'prompts.txt'), prompts, (prompt) => prompt);
    const since = performance.now();
    await cluster.scan(file);
    const { code, stderr } = await cluster.running('coordinator').ended;
    const seconds = (performance.now() - since) / 1000;
    if (code !== 0) throw new Error(`the coordinator exited with ${code}: ${stderr}`);
    const { rows } = await digestOf(join(folder, 'out.jsonl'));
    if (rows !== prompts) throw new Error(`${rows} of ${prompts} rows`);
    return { prompts, seconds, workers, memory: await cluster.memory() };
  } finally {
    await cluster.close();
    await service.close();
  }
}

const rate = ({ prompts, seconds }) => prompts / seconds;

function throughRow(title, runs, of) {
  const [ratios, rates] = [runs.map((run) => rate(of(run)) / rate(run.alone)), runs.map((run) => rate(of(run)))];
  // Without the queue there is no Redis.
  const peaks = runs.flatMap((run) => of(run).memory ?? []);
  const memory = peaks.length === 0 ? '' : Math.max(...peaks).toFixed(0);
  return [title, String(of(runs[0]).prompts), range(ratios), range(rates, 0), memory];
}

function section(rounds, many, real) {
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
  return `## Bulk scans through the queue

By \`npm run bench:queue\`. Coordinator, workers of four slots, Redis and the simulated service share this machine. Figures with minimum and maximum
in parentheses are of ${ROUNDS} interleaved rounds, the others of one run. ${measuredOn()}

${table(['run, a service without latency', 'prompts', 'ratio', 'prompts per second here', 'peak memory of Redis, MB'], through)}
With the latencies of the section on bulk scans:

${table(['workers', 'prompts', 'ratio', 'prompts per second here'], scaled)}`;
}
