/** Starts processes of the benchmarks: the simulated service, and measured programs. */
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

const started = new Set();

function killAll() {
  for (const child of started) child.kill('SIGKILL');
}

// A measurement that is stopped leaves nothing behind.
process.once('exit', killAll);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** Kills a process when the measurement ends, if it has not ended before. */
export function endWithUs(child) {
  started.add(child);
  child.once('close', () => started.delete(child));
  return child;
}

/**
 * Latencies of the service, in milliseconds: for a single scan, for a submission, for a poll, and until results are
 * available.
 */
export const REAL = ['300', '80', '80', '1500'];
export const NONE = ['0', '0', '0', '0'];
const [SYNC, SUBMIT, POLL, PROCESSING] = REAL;
export const LATENCY_NOTE = `The service answers a single scan after ${SYNC} ms, accepts submissions after ${SUBMIT} ms, answers polls after ${POLL} ms and has results
after ${PROCESSING} ms. It runs in its own process, over HTTP.`;

/**
 * Runs work with a temporary folder and services.
 * @param work gets the folder, and a function that opens a service with `settings`, and `close`, which returns the numbers
 *   of `requests`, and of `prompts` and `repeats` if `most` prompts are counted
 */
export async function withServices(work) {
  const cache = join(ROOT, 'node_modules', '.cache', 'aisec');
  const folder = mkdtempSync(join(tmpdir(), 'aisec-bench-'));
  const program = join(cache, `bench-service-${process.pid}.mjs`);
  const tidy = () => {
    for (const path of [program, folder]) rmSync(path, { recursive: true, force: true });
  };
  mkdirSync(cache, { recursive: true });
  process.once('exit', tidy);
  try {
    await bundleText("import './scripts/bench/bulk-service.ts';\n", program);
    return await work({
      folder,
      openService: (times, most = 0) => openService(program, [...times, String(most)]),
    });
  } finally {
    killAll();
    tidy();
  }
}

async function openService(program, times) {
  const service = spawn(process.execPath, [program, ...times], {
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const child = endWithUs(service);
  const output = collected(child.stdout);
  while (!output.text.includes('\n')) await once(child.stdout, 'data');
  const close = async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
    return JSON.parse(output.text.split('\n')[1]);
  };
  return { settings: JSON.parse(output.text.split('\n')[0]), close };
}

/**
 * Runs a program of Node to its end.
 * @param options.input stream for stdin
 * @returns stdout, `seconds`, `cpuMs` of all threads, and peak `megabytes`
 * @throws if it fails
 */
export async function costOf(args, { environment, folder, input }) {
  const files = { PEAK_MEMORY: join(folder, 'peak'), CPU_TIME: join(folder, 'cpu') };
  const start = process.hrtime.bigint();
  const child = spawn(process.execPath, ['-r', COST, ...args], {
    env: cleanEnvironment({ HOME: folder, ...environment, ...files }),
  });
  if (input === undefined) child.stdin.end();
  else input.pipe(child.stdin);
  const [stdout, stderr] = [collected(child.stdout), collected(child.stderr)];
  const [status] = await once(child, 'close');
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stdout.text.slice(-1000)}${stderr.text}`);
  const figure = (file) => Number(readFileSync(file, 'utf8'));
  return { stdout: stdout.text, seconds, cpuMs: figure(files.CPU_TIME), megabytes: figure(files.PEAK_MEMORY) };
}

/** Collects the text of a stream. */
export function collected(stream) {
  const into = { text: '' };
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => {
    into.text += chunk;
  });
  return into;
}
