/** From the shell to the answer: whole processes, each compared with an empty Node of the same round. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../root.mjs';
import { median, table, timeOf } from './measure.mjs';

const ROUNDS = 15;
const AISEC = [process.execPath, join(ROOT, 'dist', 'aisec.js')];
const EMPTY = [process.execPath, '-e', '0'];

export async function measureColdStart() {
  const service = await startService();
  try {
    const rows = [
      ['`aisec --version`', [...AISEC, '--version']],
      ['`aisec commands`', [...AISEC, 'commands']],
      ['`aisec help aisec-runtime-scan`', [...AISEC, 'help', 'aisec-runtime-scan']],
      ['one scan against a service on this machine', [...AISEC, '!aisec-runtime-scan profile_name=prod prompt=hello']],
    ].map(([title, command]) => [title, ratio(command, service.settings).toFixed(2)]);
    return `## Cold start\n\nOne empty process (\`node -e 0\`) is 1.\n\n${table(['command', 'ratio'], rows)}`;
  } finally {
    service.stop();
  }
}

function ratio(command, settings) {
  timeOf(command, settings);
  const pairs = Array.from({ length: ROUNDS }, () => timeOf(command, settings) / timeOf(EMPTY));
  return median(pairs);
}

/** The simulated service in a process of its own; it says on its output how to reach it. */
async function startService() {
  const child = spawn(AISEC[0], [...AISEC.slice(1), 'simulate', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const settings = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const at = line.indexOf('=');
    settings[line.slice(0, at)] = line.slice(at + 1);
    if ('AISEC_BASE_URL' in settings && Object.keys(settings).length >= 8) break;
  }
  return {
    settings,
    stop: () => {
      child.kill('SIGTERM');
      return once(child, 'exit');
    },
  };
}
