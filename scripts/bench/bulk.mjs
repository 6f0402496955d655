/** Bulk scans against a service over HTTP, each in processes of their own, compared with a loop around the single scan. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundleText } from '../bundle.mjs';
import { ROOT } from '../root.mjs';
import { table } from './measure.mjs';

/** Milliseconds: for a scan by itself, for taking prompts on, for a look at results, and until those are there. */
const REAL = ['300', '80', '80', '1500'];
const NONE = ['0', '0', '0', '0'];
const SERIAL = 200;

export async function measureBulk() {
  return withPrograms(async (run) => {
    const serial = await run('serially', SERIAL, REAL);
    const rows = [row('a loop around the single scan', serial, serial)];
    for (const count of [1000, 20_000]) rows.push(row('bulk scan', await run('in bulk', count, REAL), serial));
    rows.push(row('bulk scan, a service without latency', await run('in bulk', 100_000, NONE), undefined));
    return section(rows);
  });
}

/** A million prompts; takes a while. */
export async function measureMillion() {
  return withPrograms(async (run) =>
    section([row('bulk scan, a service without latency', await run('in bulk', 1_000_000, NONE))]),
  );
}

function section(rows) {
  const note = `The service answers a single scan after ${REAL[0]} ms, takes prompts on after ${REAL[1]} ms, answers a look after ${REAL[2]} ms and has results after
${REAL[3]} ms. Service and client are processes of their own and talk HTTP. The loop is 1; memory is the peak of the client's whole process.`;
  const columns = ['run', 'prompts', 'ratio', 'prompts a second here', 'requests a prompt', 'peak memory, MB'];
  return `## Bulk scans\n\n${note}\n\n${table(columns, rows)}`;
}

function row(title, { prompts, seconds, requests, megabytes }, base) {
  const rate = prompts / seconds;
  const ratio = base === undefined ? '' : (rate / (base.prompts / base.seconds)).toFixed(0);
  return [title, String(prompts), ratio, rate.toFixed(0), (requests / prompts).toFixed(3), megabytes.toFixed(0)];
}

async function withPrograms(measure) {
  const cache = join(ROOT, 'node_modules', '.cache', 'aisec');
  const folder = mkdtempSync(join(tmpdir(), 'aisec-bench-'));
  const programs = { client: '', service: '' };
  mkdirSync(cache, { recursive: true });
  try {
    for (const name of Object.keys(programs)) {
      programs[name] = join(cache, `bench-${name}-${process.pid}.mjs`);
      await bundleText(`import './scripts/bench/bulk-${name}.ts';\n`, programs[name]);
    }
    return await measure((how, count, times) => run(programs, folder, how, count, times));
  } finally {
    for (const path of [...Object.values(programs), folder]) rmSync(path, { recursive: true, force: true });
  }
}

async function run({ client, service }, folder, how, count, times) {
  const file = join(folder, `${count}.txt`);
  await writePrompts(file, count);
  const server = spawn(process.execPath, [service, ...times], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    const env = { ...process.env, ...JSON.parse(line) };
    const words = [client, how === 'serially' ? how : 'in-bulk', file, folder];
    const { status, stdout, stderr } = await finished(spawn(process.execPath, words, { env }));
    if (status !== 0) throw new Error(`${how} with ${count} prompts failed: ${stderr}`);
    return JSON.parse(stdout);
  } finally {
    server.kill();
  }
}

async function finished(child) {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].on('data', (chunk) => {
      texts[name] += chunk;
    });
  }
  const [status] = await once(child, 'close');
  return { status, ...texts };
}

/** Prompts of ordinary length, one a line. */
async function writePrompts(file, count) {
  const out = createWriteStream(file);
  for (let index = 0; index < count; index += 1) {
    const prompt = `Please summarise the attached report for the regional sales meeting, part ${index + 1}, in three sentences.\n`;
    if (!out.write(prompt)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}
