/**
 * The monitored process: many war rooms in one process, which share one connection, token and log. It prints progress on stderr, and
 * its problems and figures as JSON in the last line of stdout.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { registry } from '../../commands/index.ts';
import { openProgram } from '../../lib/client/program.ts';
import { readEnvironment } from '../../lib/node/configuration.ts';
import { keepBytes, nodeFiles } from '../../lib/node/files/files.ts';
import { LINE_FILES } from '../../tests/support/lines.ts';
import { failedChecks, LIMITS, trendOf } from './checks.ts';
import { monitorProcess, openDescriptors, openSockets, type Sample } from './monitor.ts';
import { createOutcomes } from './outcomes.ts';
import { seededRandom } from './random.ts';
import { type RoomOptions, runTheRestAlone, startTraffic } from './traffic.ts';
import { createWorkload, MANY_PROMPTS } from './workload.ts';

const [minutes = 0, seed = 0, commandsAtOnce = 0] = process.argv.slice(2).map(Number);
/** Timeout of one command. */
const BUDGET_MS = 8000;
/** Number of pauses in the traffic, in which memory is sampled. */
const PAUSES = 20;
const MIN_STRETCH_MS = 5000;
/** Long enough for most commands to end; hanging ones continue during the next stretch. */
const MIN_PAUSE_MS = 3000;
const FOLDER_MS = 10_000;
/** Folders to keep: commands that write into a folder end long before it is removed. */
const FOLDERS = 12;
const DRAIN_MS = 120_000;
/** Several renewals of the service; each restores deleted resources. */
const ALONE_MS = 60_000;

// The parent has exited, so the results have no reader.
process.once('disconnect', () => process.exit());

// Lines name files relative to the working directory.
for (const [name, text] of Object.entries({ ...LINE_FILES, [MANY_PROMPTS.name]: MANY_PROMPTS.text })) {
  writeFileSync(name, text);
}

const monitor = monitorProcess();
const outcomes = createOutcomes();
const descriptorsBefore = openDescriptors();

// Commands write into a new folder every few seconds, so that files do not accumulate.
const newFolder = () => mkdtempSync(join(process.cwd(), 'output-'));
const folders = [newFolder()];
const leftovers: string[] = [];
const folder = () => folders.at(-1) ?? '';
const changing = setInterval(() => {
  folders.push(newFolder());
  removeFolders(FOLDERS);
}, FOLDER_MS);

const program = await openProgram({
  configuration: await readEnvironment(process.env),
  environment: {},
  files: {
    files: nodeFiles(folder()),
    keep: (name, contentType, bytes) => keepBytes(folder())(name, contentType, bytes),
  },
  log: { level: 'debug', stream: { write: () => true } },
  advice: { settings: 'Set it.', time: 'Give it more time.', commands: 'See all commands.' },
  budgetMs: BUDGET_MS,
});
const options: RoomOptions = {
  random: seededRandom(seed + 1),
  runtime: (context, stop) => program.runtime(stop, { context, progress: () => undefined, files: nodeFiles(folder()) }),
  outcomes,
};

// The workload has its own generator, so that it does not depend on timing.
const next = createWorkload(seededRandom(seed));
const samples: Sample[] = [];
const stretches: ReturnType<typeof startTraffic>[] = [];
const started = performance.now();
const end = started + minutes * 60_000;
const stretchMs = Math.max(MIN_STRETCH_MS, (minutes * 60_000) / PAUSES);
const pauseMs = Math.max(MIN_PAUSE_MS, stretchMs / 5);
let busyMs = 0;
while (performance.now() < end) {
  const began = performance.now();
  const endTraffic = startTraffic(commandsAtOnce, next, options);
  stretches.push(endTraffic);
  await sleep(Math.min(stretchMs, Math.max(MIN_STRETCH_MS, end - began)));
  busyMs += performance.now() - began;
  await endTraffic(pauseMs);
  samples.push(await monitor.sample());
  printProgress();
}
const hanging = (await Promise.all(stretches.map((endTraffic) => endTraffic(DRAIN_MS)))).flat();
const neverSucceeded = await runTheRestAlone(options, ALONE_MS, 1000);
clearInterval(changing);
await program.close();
removeFolders(0);
await sleep(500);
const last = await monitor.sample();

const slowestStop = outcomes.slowestStop();
const problems = failedChecks({
  commandsAtOnce,
  samples,
  mostSockets: monitor.mostSockets(),
  socketsLeft: openSockets(),
  descriptorsLeft: openDescriptors() - descriptorsBefore,
  leftovers,
  processErrors: [...monitor.processErrors],
  unexpected: outcomes.unexpected(),
  hanging,
  neverSucceeded,
  slowestStop,
  loopDelayMs: monitor.loopDelay(99),
});
const classes = Object.entries(outcomes.classes).sort(
  ([one], [other]) => Number.parseInt(one, 10) - Number.parseInt(other, 10),
);
const figures = [
  ['commands', outcomes.count()],
  ['different commands that succeeded', `${outcomes.succeeded.size} of ${Object.keys(registry).length}`],
  ['commands per second here', ((1000 * outcomes.count()) / busyMs).toFixed(0)],
  ...classes.map(([kind, count]) => [`exit code and class: ${kind}`, count]),
  ['heap, median and growth, MB', trendText('heap')],
  ['heap after closing, MB', last.heap.toFixed(1)],
  ['memory of the process, median and growth, MB', trendText('rss')],
  ['most connections at once', monitor.mostSockets()],
  ['connections after closing', openSockets()],
  [
    'event loop delay, median and 99th percentile, ms',
    [50, 99].map((share) => monitor.loopDelay(share).toFixed(0)).join(', '),
  ],
  ['longest time from stop to end, ms', slowestStop.ms.toFixed(0)],
];
console.log(JSON.stringify({ problems, figures, limits: LIMITS }));
// Hanging commands are reported; they must not keep the process alive.
process.exit(0);

/** Removes the oldest folders, and notes temporary files and locks in them. */
function removeFolders(kept: number): void {
  for (const old of folders.splice(0, folders.length - kept)) {
    leftovers.push(...readdirSync(old).filter((name) => /^\.|\.(?:lock|takeover)$/.test(name)));
    rmSync(old, { recursive: true });
  }
}

function trendText(figure: 'heap' | 'rss'): string {
  const { median, growth } = trendOf(samples, figure);
  return `${median.toFixed(1)}, ${growth < 0 ? '' : '+'}${growth.toFixed(1)}`;
}

function printProgress(): void {
  const { heap = 0, rss = 0 } = samples.at(-1) ?? {};
  const minute = ((performance.now() - started) / 60_000).toFixed(1);
  const found = outcomes.unexpected().length + monitor.processErrors.size;
  console.error(
    `${minute} min: ${outcomes.count()} commands, at rest heap ${heap.toFixed(1)} MB, rss ${rss.toFixed(0)} MB, ${found} unexpected`,
  );
}
