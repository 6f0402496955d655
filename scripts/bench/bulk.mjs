/** Bulk scans with the built program, against a service over HTTP, compared with a loop around the single scan. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleText } from '../bundle.mjs';
import { ROOT } from '../root.mjs';
import { table } from './measure.mjs';

const PROGRAM = join(ROOT, 'dist', 'aisec.js');
const PEAK = join(ROOT, 'scripts', 'bench', 'peak-memory.cjs');
/** Milliseconds: for a scan by itself, for taking prompts on, for a look at results, and until those are there. */
const REAL = ['300', '80', '80', '1500'];
const NONE = ['0', '0', '0', '0'];
const SERIAL = 200;

export async function measureBulk() {
  return withService(async (run) => {
    const serial = await run(serially, SERIAL, REAL);
    const rows = [row('a loop around the single scan', serial, serial)];
    for (const count of [1000, 20_000]) rows.push(row('bulk scan', await run(inBulk, count, REAL), serial));
    rows.push(row('bulk scan, a service without latency', await run(inBulk, 100_000, NONE)));
    return section(rows);
  });
}

/** A million prompts; takes a while. */
export async function measureMillion() {
  return withService(async (run) => {
    return section([row('bulk scan, a service without latency', await run(inBulk, 1_000_000, NONE))]);
  });
}

function section(rows) {
  const [sync, submit, look, processing] = REAL;
  const note = `The service answers a single scan after ${sync} ms, takes prompts on after ${submit} ms, answers a look at results after ${look} ms and has them
after ${processing} ms. It runs in a process of its own and is asked over HTTP. The loop is 1; memory is the peak of the program's whole process.`;
  const columns = ['run', 'prompts', 'ratio', 'prompts a second here', 'requests a prompt', 'peak memory, MB'];
  return `## Bulk scans\n\n${note}\n\n${table(columns, rows)}`;
}

function row(title, { prompts, seconds, requests, megabytes }, base) {
  const rate = prompts / seconds;
  const ratio = base === undefined ? '' : (rate / (base.prompts / base.seconds)).toFixed(0);
  return [title, String(prompts), ratio, rate.toFixed(0), (requests / prompts).toFixed(3), megabytes.toFixed(0)];
}

async function withService(measure) {
  const cache = join(ROOT, 'node_modules', '.cache', 'aisec');
  const folder = mkdtempSync(join(tmpdir(), 'aisec-bench-'));
  const program = join(cache, `bench-service-${process.pid}.mjs`);
  mkdirSync(cache, { recursive: true });
  try {
    await bundleText("import './scripts/bench/bulk-service.ts';\n", program);
    return await measure((how, count, times) => run(how, count, { folder, program, times }));
  } finally {
    for (const path of [program, folder]) rmSync(path, { recursive: true, force: true });
  }
}

async function run(how, count, { folder, program, times }) {
  const service = spawn(process.execPath, [program, ...times], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = collected(service.stdout);
  try {
    while (!said.text.includes('\n')) await once(service.stdout, 'data');
    const settings = JSON.parse(said.text);
    const peak = join(folder, 'peak');
    const start = process.hrtime.bigint();
    await how(count, folder, { ...process.env, ...settings, PEAK_MEMORY: peak });
    const seconds = Number(process.hrtime.bigint() - start) / 1e9;
    service.kill('SIGTERM');
    await once(service, 'close');
    const { requests } = JSON.parse(said.text.split('\n')[1]);
    return { prompts: count, seconds, requests, megabytes: Number(readFileSync(peak, 'utf8')) };
  } finally {
    service.kill('SIGKILL');
  }
}

/** One prompt after the other, each with a request of its own, in one process. */
async function serially(count, folder, env) {
  const file = await write(
    join(folder, 'lines.txt'),
    count,
    (prompt) => `!aisec-runtime-scan profile_name=prod prompt="${prompt}"`,
  );
  const answers = await aisec(['--output', 'jsonl'], env, file);
  if (answers.trim().split('\n').length !== count) throw new Error('the loop lost prompts');
}

async function inBulk(count, folder, env) {
  const file = await write(join(folder, 'prompts.txt'), count, (prompt) => prompt);
  const line = `!aisec-runtime-bulk-scan profile_name=prod prompts_csv=file entry_id=${file}`;
  const answer = await aisec(['--files-dir', folder, '--output', 'context', line], env);
  const { total, errors } = JSON.parse(answer);
  if (total !== count || errors > 0) throw new Error(`${total} of ${count} prompts, ${errors} errors`);
}

async function aisec(words, env, input) {
  const child = spawn(process.execPath, ['-r', PEAK, PROGRAM, ...words], { env });
  if (input === undefined) child.stdin.end();
  else createReadStream(input).pipe(child.stdin);
  const [stdout, stderr] = [collected(child.stdout), collected(child.stderr)];
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`${words.join(' ')} failed: ${stderr.text}`);
  return stdout.text;
}

function collected(stream) {
  const into = { text: '' };
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => {
    into.text += chunk;
  });
  return into;
}

/** Prompts of ordinary length, one a line. */
async function write(file, count, lineOf) {
  const out = createWriteStream(file);
  for (let index = 1; index <= count; index += 1) {
    const prompt = `Please summarise the attached report for the regional sales meeting, part ${index}, in three sentences.`;
    if (!out.write(`${lineOf(prompt)}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  return file;
}
