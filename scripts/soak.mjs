/**
 * `npm run soak`: runs 200 concurrent commands for ten minutes in one process, against the simulated service in another, and
 * then requests to `aisec serve` for a third of that time.
 * Options: `-- --minutes 1` for a short run, `--seed N` to repeat a run, `--commands N` for another concurrency. Exit 1 after
 * leaks, hangs or unexpected outcomes. A run of ten minutes or more is written to docs/benchmarks.md.
 */
import { parseArgs } from 'node:util';
import { keepSection, table } from './bench/measure.mjs';
import { bundledProgram } from './bundle.mjs';
import { scratchFolder } from './scratch-folder.mjs';
import { soakHttp } from './soak/http.mjs';
import { startProgram } from './start-program.mjs';

const FULL_MINUTES = 10;
/** The service gets this part of the time. */
const HTTP_PART = 3;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: String(FULL_MINUTES) },
    seed: { type: 'string', default: String(1 + Math.floor(Math.random() * 1e9)) },
    commands: { type: 'string', default: '200' },
  },
});
for (const [name, text] of Object.entries(values)) {
  if (Number(text) > 0) continue;
  console.error(`--${name} is a number above 0, not ${text}`);
  process.exit(2);
}
const [minutes, seed, commandsAtOnce] = [values.minutes, values.seed, values.commands].map(Number);

console.log(`seed ${seed}, ${minutes} min, ${commandsAtOnce} commands at once`);
const { problems, figures, limits, service } = await soakCommands();
const http = await soakHttp({ minutes: minutes / HTTP_PART, seed });
problems.push(...http.problems.map((problem) => `HTTP: ${problem}`));
const section = sectionOf();
console.log(section);
for (const problem of problems) console.error(`FAILED: ${problem}`);
if (problems.length > 0) process.exitCode = 1;
else {
  console.log('passed');
  if (minutes >= FULL_MINUTES) keepSection(section);
}

/** Runs the service and the commands in two processes. @returns results of the commands, and the service's counts */
async function soakCommands() {
  const folder = scratchFolder('soak');
  const [serviceProgram, client] = await Promise.all(
    ['service', 'client'].map((name) => bundledProgram(`scripts/soak/${name}.ts`)),
  );
  // The programs end with this process, by the channel between them.
  const stdio = ['ignore', 'pipe', 'inherit', 'ipc'];
  const { found, stop } = await startProgram([serviceProgram, String(seed)], {
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

function sectionOf() {
  const growth = ({ share, megabytes }) => `${share * 100} % or ${megabytes} MB`;
  const faults = Object.entries(service.faults).map(([kind, count]) => `${count} ${kind}`);
  const note = `By \`npm run soak\`: ${commandsAtOnce} commands at once in one process for ${minutes} min with Node ${process.version}, against the simulated service in another
process (seed ${seed}; it answered ${service.requests} requests and was restarted ${service.renewals} times). All commands in a random mix, paging, bulk scans,
uploads, downloads and jobs; some were stopped, and faults were injected: ${faults.join(', ') || 'none'}.
Memory is sampled after a forced collection, in pauses of the traffic; growth is a linear fit over the second half. Allowed
are ${growth(limits.heap)} of the heap, ${growth(limits.rss)} of the process, ${limits.socketsPerCommand} connections for each command, and no unhandled rejection, exception or warning.`;
  const last = ['unhandled rejections, exceptions and warnings; unexplained outcomes', problems.length];
  return `## Under load\n\n${note}\n\n${table(['what', 'figure'], [...figures, ...http.figures, last])}`;
}
