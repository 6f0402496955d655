/** Starts the processes of the benchmarks: the simulated service, and measured programs. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundledProgram } from '../bundle.mjs';
import { ROOT } from '../root.mjs';
import { scratchFolder } from '../scratch-folder.mjs';
import { killAll, startProgram } from '../start-program.mjs';

const COST = join(ROOT, 'scripts', 'bench', 'peak-memory.cjs');

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
 * @param work gets the folder, and a function that opens a service; the service has `settings` and `close`, which
 * returns the number of `requests`, and of `prompts` and `repeats` if `most` is given
 */
export async function withServices(work) {
  const folder = scratchFolder('bench');
  const program = await bundledProgram('scripts/bench/bulk-service.ts');
  try {
    return await work({
      folder,
      openService: (times, most = 0) => openService(program, [...times, String(most)]),
    });
  } finally {
    killAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openService(program, times) {
  const { found, stop } = await startProgram([program, ...times], { ready: { settings: /^(\{.*\})\n/ } });
  const close = async () => JSON.parse((await stop()).stdout.split('\n')[1]);
  return { settings: JSON.parse(found.settings), close };
}

/**
 * Runs a Node program to its end.
 * @param options.input stream for stdin
 * @returns stdout, `seconds`, `cpuMs` of all threads, and peak `megabytes`
 * @throws if it fails
 */
export async function costOf(args, { environment, folder, input }) {
  const files = { PEAK_MEMORY: join(folder, 'peak'), CPU_TIME: join(folder, 'cpu') };
  const start = performance.now();
  const { child, ended } = await startProgram(['-r', COST, ...args], {
    environment: { HOME: folder, ...environment, ...files },
    stdio: 'pipe',
  });
  if (input === undefined) child.stdin.end();
  else input.pipe(child.stdin);
  const { code, stdout, stderr } = await ended;
  const seconds = (performance.now() - start) / 1000;
  if (code !== 0) throw new Error(`${args.join(' ')} failed: ${stdout.slice(-1000)}${stderr}`);
  const figure = (file) => Number(readFileSync(file, 'utf8'));
  return { stdout, seconds, cpuMs: figure(files.CPU_TIME), megabytes: figure(files.PEAK_MEMORY) };
}
