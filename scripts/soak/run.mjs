/** Runs the service and the commands in two processes. */
import { bundledProgram } from '../bundle.mjs';
import { scratchFolder } from '../scratch-folder.mjs';
import { startProgram } from '../start-program.mjs';

const RENEW_SECONDS = 15;
/** The programs end with this process, by the channel between them. */
const stdio = ['ignore', 'pipe', 'inherit', 'ipc'];

/** Runs the soak test. @returns results of the monitored process, and the service's counts */
export async function runSoak({ minutes, seed, commandsAtOnce }) {
  const folder = scratchFolder('soak');
  const [service, client] = await Promise.all(
    ['service', 'client'].map((name) => bundledProgram(`scripts/soak/${name}.ts`)),
  );
  const { found, stop } = await startProgram([service, String(seed), String(RENEW_SECONDS)], {
    environment: { HOME: folder },
    stdio,
    ready: { settings: /^(\{.*\})\n/ },
  });
  const { ended } = await startProgram(
    ['--expose-gc', client, ...[minutes, seed, commandsAtOnce].map(String)],
    // A clean environment, without the user's proxy and settings.
    { environment: { HOME: folder, ...JSON.parse(found.settings) }, cwd: folder, stdio },
  );
  const { code, stdout } = await ended;
  const counts = await stop();
  if (code !== 0) throw new Error(`The commands of the run ended with ${code}.`);
  return { ...lastLine(stdout), service: lastLine(counts.stdout) };
}

function lastLine(text) {
  return JSON.parse(text.trim().split('\n').at(-1));
}
