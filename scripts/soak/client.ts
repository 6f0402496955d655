/** The monitored process. It prints progress on stderr, and its results as JSON in the last line of stdout. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { registry } from '../../commands/index.ts';
import { LINE_FILES } from '../../tests/support/lines.ts';
import { failedChecks, LIMITS, trendOf } from './checks.ts';
import { folders } from './folders.ts';
import { monitorProcess, openDescriptors, openSockets, type Sample } from './monitor.ts';
import { createOutcomes } from './outcomes.ts';
import { seededRandom } from './random.ts';
import { openSoakSession } from './session.ts';
import { runTheRestAlone, startTraffic, type Traffic } from './traffic.ts';
import { createWorkload, MANY_PROMPTS } from './workload.ts';

const [minutes = 0, seed = 0, commandsAtOnce = 0] = process.argv.slice(2).map(Number);
/** Number of pauses in the traffic, in which memory is sampled. */
const PAUSES = 20;
const MIN_STRETCH_MS = 5000;
/** Long enough for most commands to end; hanging ones continue during the next stretch. */
const MIN_PAUSE_MS = 3000;
const FOLDER_MS = 10_000;
const DRAIN_MS = 120_000;
/** Several renewals of the service, each of which brings back what was deleted. */
const ALONE_MS = 60_000;

// The parent has exited, so the results have no reader.
process.once('disconnect', () => process.exit());

// Lines name files relative to the working directory.
const top = process.cwd();
for (const [name, text] of Object.entries({ ...LINE_FILES, [MANY_PROMPTS.name]: MANY_PROMPTS.text })) {
  writeFileSync(join(top, name), text);
}

const outcomes = createOutcomes();
const monitor = monitorProcess();
const samples: Sample[] = [];
const before = openDescriptors();
const outputFolders = folders(top);
const session = await openSoakSession(process.env, outputFolders);
// The workload has its own generator, so that it does not depend on timing.
const next = createWorkload(seededRandom(seed));
const random = seededRandom(seed + 1);

const changing = setInterval(outputFolders.next, FOLDER_MS);

const started = performance.now();
const end = started + minutes * 60_000;
const stretchMs = Math.max(MIN_STRETCH_MS, (minutes * 60_000) / PAUSES);
const runs: Traffic[] = [];
const pauseMs = Math.max(MIN_PAUSE_MS, stretchMs / 5);
let busyMs = 0;
while (performance.now() < end) {
  const began = performance.now();
  const traffic = startTraffic({ commands: commandsAtOnce, next, random, session, outcomes });
  runs.push(traffic);
  await sleep(Math.min(stretchMs, Math.max(MIN_STRETCH_MS, end - began)));
  busyMs += performance.now() - began;
  await traffic.end(pauseMs);
  samples.push(await monitor.sample());
  printProgress();
}
const hanging = (await Promise.all(runs.map((traffic) => traffic.end(DRAIN_MS)))).flat();
const neverSucceeded = await runTheRestAlone({ random, session, outcomes, longestMs: ALONE_MS, pauseMs: 1000 });
clearInterval(changing);
await session.close();
outputFolders.removeAll();
await sleep(500);
const last = await monitor.sample();
monitor.stop();

const problems = failedChecks({
  commandsAtOnce,
  samples,
  mostSockets: monitor.mostSockets(),
  socketsLeft: openSockets(),
  descriptorsLeft: openDescriptors() - before,
  leftovers: outputFolders.leftovers,
  processErrors: monitor.processErrors,
  unexpected: outcomes.unexpected,
  hanging,
  neverSucceeded,
  slowestStop: outcomes.slowestStop(),
  loopDelayMs: monitor.loopDelay(99),
});
console.log(
  JSON.stringify({
    problems,
    limits: LIMITS,
    commands: outcomes.count(),
    kinds: [outcomes.succeeded.size, Object.keys(registry).length],
    seconds: busyMs / 1000,
    pauses: samples.length,
    classes: outcomes.classes,
    heap: trendOf(samples, 'heap'),
    rss: trendOf(samples, 'rss'),
    last,
    mostSockets: monitor.mostSockets(),
    socketsLeft: openSockets(),
    loopDelay: [50, 99].map(monitor.loopDelay),
    slowestStop: outcomes.slowestStop(),
  }),
);
// Hanging commands are reported; they must not keep the process alive.
process.exit(0);

function printProgress(): void {
  const { heap = 0, rss = 0, sockets = 0 } = samples.at(-1) ?? {};
  const minute = ((performance.now() - started) / 60_000).toFixed(1);
  const figures = `${outcomes.count()} commands, at rest heap ${heap.toFixed(1)} MB, rss ${rss.toFixed(0)} MB, ${sockets} sockets`;
  console.error(`${minute} min: ${figures}, ${outcomes.unexpected.length + monitor.processErrors.length} unexpected`);
}
