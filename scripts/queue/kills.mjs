/**
 * `npm run test:queue-kills -- [--prompts N] [--kills N] [--each-once] [--seed N]`: scans a file through the queue while coordinator, workers and Redis are
 * killed with -9 in any order, and compares the result with that of an undisturbed run.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writePrompts } from '../bench/bulk.mjs';
import { AISEC, costOf, NONE, withServices } from '../bench/processes.mjs';
import { importText } from '../bundle.mjs';
import { ensureBuilt } from '../ensure-built.mjs';
import { digestOf, openCluster, pause } from './cluster.mjs';

const { values } = parseArgs({
  options: {
    prompts: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '30' },
    'each-once': { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
});
const prompts = Number(values.prompts);
const NAMES = ['coordinator', 'worker 1', 'worker 2', 'redis'];

async function disturbed({ folder, openService }, file) {
  const { seededRandom } = await importText("export { seededRandom } from './scripts/soak/random.ts';");
  const random = seededRandom(Number(values.seed));
  const service = await openService(NONE, prompts);
  const cluster = await openCluster({ folder, environment: service.settings });
  const { redis, worker, scan, kill, running } = cluster;
  const startAgain = {
    coordinator: () => scan(file, 'resume=true'),
    redis,
    'worker 1': () => worker(1),
    'worker 2': () => worker(2),
  };
  const killed = Object.fromEntries(NAMES.map((name) => [name, 0]));
  try {
    await redis();
    await Promise.all([worker(1), worker(2)]);
    const since = performance.now();
    await scan(file);
    const isOver = () => running('coordinator').child.exitCode !== null;
    const order = values['each-once'] ? ['worker 1', 'redis', 'coordinator', 'worker 2'] : undefined;
    const count = order?.length ?? Number(values.kills);
    for (let at = 0; at < count && !isOver(); at += 1) {
      await pause(order === undefined ? 500 + random() * 2500 : 8000);
      if (isOver()) break;
      const victim = order?.[at] ?? NAMES[Math.floor(random() * NAMES.length)];
      await kill(victim);
      killed[victim] += 1;
      await pause(random() * 1000);
      await startAgain[victim]();
    }
    const { code, stderr, stdout } = await running('coordinator').ended;
    if (code !== 0) throw new Error(`the coordinator ended with ${code}: ${stderr}${stdout.slice(-500)}`);
    const seconds = (performance.now() - since) / 1000;
    const memory = await cluster.memory();
    return { ...(await digestOf(join(folder, 'out.jsonl'))), ...(await service.close()), killed, seconds, memory };
  } finally {
    await cluster.close();
  }
}

async function undisturbed({ folder, openService }, file) {
  const { settings, close } = await openService(NONE);
  const line = `!aisec-runtime-bulk-scan profile_name=prod prompts_csv=file entry_id=${file} output_file=alone.jsonl`;
  await costOf([AISEC, '--files-dir', folder, '--output', 'context', line], { environment: settings, folder });
  await close();
  return digestOf(join(folder, 'alone.jsonl'));
}

await ensureBuilt();
await withServices(async (bench) => {
  const file = await writePrompts(join(bench.folder, 'prompts.txt'), prompts, (prompt) => prompt);
  const found = await disturbed(bench, file);
  const expected = await undisturbed(bench, file);
  const { rows, digest, end, repeats, killed, seconds, memory } = found;
  const kills = Object.entries(killed).map(([name, count]) => `${name} ${count}`);
  console.log(`killed: ${kills.join(', ')}; ${seconds.toFixed(0)} s; Redis at most ${memory.peak.toFixed(0)} MB`);
  console.log(`rows: ${rows} of ${prompts}; sent twice: ${repeats}; said: ${end.repeated_scans}`);
  const isSame = digest === expected.digest && rows === prompts;
  const isSaid = repeats <= end.repeated_scans;
  console.log(
    isSame ? 'the rows are those of the undisturbed run' : 'FAILED: the rows differ from those of the undisturbed run',
  );
  if (!isSaid) console.log('FAILED: more prompts were sent twice than it says');
  process.exitCode = isSame && isSaid ? 0 : 1;
});
