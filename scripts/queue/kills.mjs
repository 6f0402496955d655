/**
 * `npm run test:queue-kills -- [--prompts N] [--kills N] [--pauses N] [--seed N]`: scans a file through the queue while coordinator,
 * workers and Redis are killed with -9 and paused in any order, and compares the result with that of an undisturbed run.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { writePrompts } from '../bench/bulk.mjs';
import { seededRandom } from '../bench/measure.mjs';
import { costOf, NONE, withServices } from '../bench/processes.mjs';
import { ensureBuilt } from '../ensure-built.mjs';
import { AISEC } from '../start-program.mjs';
import { digestOf, openCluster, SLOTS } from './cluster.mjs';

const { values } = parseArgs({
  options: {
    prompts: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '30' },
    pauses: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
  },
});
const prompts = Number(values.prompts);
const NAMES = ['coordinator', 'worker 1', 'worker 2', 'redis'];
/** A paused worker loses its lock after ten seconds; when it wakes, another worker has taken over its work. */
const PAUSE_MS = [1000, 20_000];
/** Exit code of a scan in which some prompts have no verdict. */
const PARTIAL = 10;
/** Prompts in one request. */
const AT_ONCE = 20;

async function disturbed({ folder, openService }, file) {
  const random = seededRandom(Number(values.seed));
  const service = await openService(NONE, prompts);
  const cluster = await openCluster({ folder, environment: service.settings });
  try {
    await cluster.redis();
    await Promise.all([cluster.worker(1), cluster.worker(2)]);
    const since = performance.now();
    await cluster.scan(file);
    const output = join(folder, 'out.jsonl');
    const { killed, paused } = await disturb(cluster, { file, output }, random);
    const { code, stderr, stdout } = await cluster.running('coordinator').ended;
    const rows = await digestOf(output);
    // A paused process loses its connections to the service, so the outcome of open requests is reported as unknown.
    const mayBeUnknown = paused['worker 1'] + paused['worker 2'] > 0 && rows.unknown.length > 0;
    const wasKilled = code === null;
    if (!wasKilled && code !== (mayBeUnknown ? PARTIAL : 0)) {
      throw new Error(`the coordinator ended with ${code}: ${stderr}${stdout.slice(-500)}`);
    }
    const seconds = (performance.now() - since) / 1000;
    const memory = await cluster.memory();
    return { ...rows, ...(await service.close()), killed, paused, seconds, memory };
  } finally {
    await cluster.close();
  }
}

/** Kills, pauses and restarts processes, until the plan or the scan ends. @returns how often, by name */
async function disturb(cluster, { file, output }, random) {
  const startAgain = {
    coordinator: () => cluster.scan(file, 'resume=true'),
    redis: () => cluster.redis(),
    'worker 1': () => cluster.worker(1),
    'worker 2': () => cluster.worker(2),
  };
  const killed = Object.fromEntries(NAMES.map((name) => [name, 0]));
  const paused = { ...killed };
  for (const { kind, name } of plan(random)) {
    await pause(500 + random() * 2500);
    if (cluster.running('coordinator').child.exitCode !== null) break;
    if (kind === 'pause') {
      await cluster.freeze(name, PAUSE_MS[0] + random() * (PAUSE_MS[1] - PAUSE_MS[0]));
      paused[name] += 1;
      continue;
    }
    await cluster.kill(name);
    killed[name] += 1;
    // The file gets its name with its last row: a coordinator that is killed after that has nothing to resume, and
    // would start again.
    if (name === 'coordinator' && existsSync(output)) break;
    await pause(random() * 1000);
    await startAgain[name]();
  }
  return { killed, paused };
}

/** Plans kills and pauses of any process, in order. */
function plan(random) {
  const of = (kind, names) => names.map((name) => ({ kind, name }));
  const any = (count) => Array.from({ length: Number(count) }, () => NAMES[Math.floor(random() * NAMES.length)]);
  const all = [...of('kill', any(values.kills)), ...of('pause', any(values.pauses))];
  return all
    .map((each) => ({ each, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ each }) => each);
}

async function undisturbed({ folder, openService }, file, left) {
  const { settings, close } = await openService(NONE);
  const line = `!aisec-runtime-bulk-scan profile_name=prod prompts_csv=file entry_id=${file} output_file=alone.jsonl`;
  await costOf([AISEC, '--files-dir', folder, '--output', 'context', line], { environment: settings, folder });
  await close();
  return digestOf(join(folder, 'alone.jsonl'), left);
}

await ensureBuilt();
await withServices(async (bench) => {
  const file = await writePrompts(join(bench.folder, 'prompts.txt'), prompts, (prompt) => prompt);
  const found = await disturbed(bench, file);
  const expected = await undisturbed(bench, file, found.unknown);
  const { rows, digest, end, unknown, repeats, killed, paused, seconds, memory } = found;
  const list = (counts) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  console.log(
    `killed: ${list(killed)}; paused: ${list(paused)}; ${seconds.toFixed(0)} s; Redis at most ${memory.toFixed(0)} MB`,
  );
  console.log(
    `rows: ${rows} of ${prompts}; sent twice: ${repeats}; reported: ${end.repeated_scans}; unknown: ${unknown.length}`,
  );
  const isSame = digest === expected.digest && rows === prompts;
  const isSaid = repeats <= end.repeated_scans;
  const isBounded = unknown.length <= (paused['worker 1'] + paused['worker 2']) * SLOTS * AT_ONCE;
  console.log(
    isSame
      ? "the rows with a verdict equal the undisturbed run's"
      : 'FAILED: the rows differ from those of the undisturbed run',
  );
  if (!isSaid) console.log('FAILED: more prompts were sent twice than reported');
  if (!isBounded) console.log('FAILED: more prompts are unknown than were in flight at a pause');
  process.exitCode = isSame && isSaid && isBounded ? 0 : 1;
});
