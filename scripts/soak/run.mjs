/** Runs the service and the commands in two processes. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnvironment } from '../bench/measure.mjs';
import { collected } from '../bench/processes.mjs';
import { bundleText } from '../bundle.mjs';
import { ROOT } from '../root.mjs';

const RENEW_SECONDS = 15;

/** Runs the soak test. @returns results of the monitored process, and the service's counts */
export async function runSoak({ minutes, seed, commandsAtOnce }) {
  const cache = join(ROOT, 'node_modules', '.cache', 'aisec');
  mkdirSync(cache, { recursive: true });
  const program = (name) => join(cache, `soak-${name}-${process.pid}.mjs`);
  const folder = mkdtempSync(join(tmpdir(), 'aisec-soak-'));
  try {
    for (const name of ['service', 'client']) await bundleText(`import './scripts/soak/${name}.ts';\n`, program(name));
    return await withService(program('service'), [seed, RENEW_SECONDS], folder, (settings) =>
      runClient(program('client'), [minutes, seed, commandsAtOnce], folder, settings),
    );
  } finally {
    for (const path of [program('service'), program('client'), folder]) rmSync(path, { recursive: true, force: true });
  }
}

/** Starts a child process that is killed with this one. */
function start(program, args, options) {
  const child = fork(program, args.map(String), { ...options, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill('SIGKILL'));
  return child;
}

async function withService(program, args, folder, use) {
  const child = start(program, args, { env: cleanEnvironment({ HOME: folder }) });
  const output = collected(child.stdout);
  try {
    while (!output.text.includes('\n')) {
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(([code]) => fail('service', code))]);
    }
    const settings = JSON.parse(output.text);
    const found = await use(settings);
    child.kill('SIGTERM');
    await once(child, 'close');
    return { ...found, service: JSON.parse(output.text.trim().split('\n')[1]) };
  } finally {
    child.kill('SIGKILL');
  }
}

async function runClient(program, args, folder, settings) {
  const child = start(program, args, {
    cwd: folder,
    // A clean environment, without the user's proxy and settings.
    env: cleanEnvironment({ HOME: folder, ...settings }),
    execArgv: ['--expose-gc'],
  });
  const output = collected(child.stdout);
  try {
    const [code] = await once(child, 'close');
    if (code !== 0) fail('client', code);
    return JSON.parse(output.text.trim().split('\n').at(-1));
  } finally {
    child.kill('SIGKILL');
  }
}

function fail(name, code) {
  throw new Error(`The ${name} of the run ended with ${code}.`);
}
