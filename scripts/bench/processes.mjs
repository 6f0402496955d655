/** What the benchmarks start: the simulated service in a process of its own, and programs whose cost is measured. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleText } from '../bundle.mjs';
import { ROOT } from '../root.mjs';
import { cleanEnvironment } from './measure.mjs';

/** The built program. */
export const AISEC = join(ROOT, 'dist', 'aisec.cjs');
const COST = join(ROOT, 'scripts', 'bench', 'peak-memory.cjs');

/**
 * How long the service takes, in milliseconds: for a scan by itself, for taking prompts on, for a look at results, and until
 * those are there.
 */
export const REAL = ['300', '80', '80', '1500'];
export const NONE = ['0', '0', '0', '0'];
const [SYNC, SUBMIT, LOOK, PROCESSING] = REAL;
export const REAL_WORDS = `The service answers a single scan after ${SYNC} ms, takes prompts on after ${SUBMIT} ms, answers a look at results after ${LOOK} ms and has them
after ${PROCESSING} ms. It runs in a process of its own and is asked over HTTP.`;

/**
 * @param work gets a folder that is removed afterwards, and a function that opens a service: with the settings to reach it,
 *   and `close`, which says how many requests it had
 */
export async function withServices(work) {
  const cache = join(ROOT, 'node_modules', '.cache', 'aisec');
  const folder = mkdtempSync(join(tmpdir(), 'aisec-bench-'));
  const program = join(cache, `bench-service-${process.pid}.mjs`);
  const open = new Set();
  mkdirSync(cache, { recursive: true });
  try {
    await bundleText("import './scripts/bench/bulk-service.ts';\n", program);
    return await work({ folder, openService: (times) => openService(program, times, open) });
  } finally {
    for (const child of open) child.kill('SIGKILL');
    for (const path of [program, folder]) rmSync(path, { recursive: true, force: true });
  }
}

async function openService(program, times, open) {
  const child = spawn(process.execPath, [program, ...times], {
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  open.add(child);
  const said = collected(child.stdout);
  while (!said.text.includes('\n')) await once(child.stdout, 'data');
  const close = async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
    open.delete(child);
    return JSON.parse(said.text.split('\n')[1]).requests;
  };
  return { settings: JSON.parse(said.text.split('\n')[0]), close };
}

/**
 * Runs a program of Node to its end.
 * @param options.input a stream of what is typed
 * @returns what it said, and its cost: `seconds`, `cpuMs` of all its threads, `megabytes` at the peak
 * @throws when it fails
 */
export async function costOf(words, { environment, folder, input }) {
  const files = { PEAK_MEMORY: join(folder, 'peak'), CPU_TIME: join(folder, 'cpu') };
  const start = process.hrtime.bigint();
  const child = spawn(process.execPath, ['-r', COST, ...words], {
    env: cleanEnvironment({ HOME: folder, ...environment, ...files }),
  });
  if (input === undefined) child.stdin.end();
  else input.pipe(child.stdin);
  const [stdout, stderr] = [collected(child.stdout), collected(child.stderr)];
  const [status] = await once(child, 'close');
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  if (status !== 0) throw new Error(`${words.join(' ')} failed: ${stdout.text.slice(-1000)}${stderr.text}`);
  const figure = (file) => Number(readFileSync(file, 'utf8'));
  return { stdout: stdout.text, seconds, cpuMs: figure(files.CPU_TIME), megabytes: figure(files.PEAK_MEMORY) };
}

/** What a stream says, as far as it has said it. */
export function collected(stream) {
  const into = { text: '' };
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => {
    into.text += chunk;
  });
  return into;
}
