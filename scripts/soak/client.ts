/** The process that is watched. Its last line on the output is what it found, as JSON; on the error output it says how it goes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { registry } from '../../commands/index.ts';
import { LINE_FILES } from '../../tests/support/lines.ts';
import { chanceOf } from './chance.ts';
import { openDesk } from './desk.ts';
import { folders } from './folders.ts';
import { BOUNDS, judge, trendOf } from './judge.ts';
import { createMix, MANY_PROMPTS } from './mix.ts';
import { createOutcomes } from './outcomes.ts';
import { startTraffic, type Traffic } from './traffic.ts';
import { openDescriptors, openSockets, type Sample, watchProcess } from './watch.ts';

const [minutes = 0, seed = 0, commandsAtOnce = 0] = process.argv.slice(2).map(Number);
/** So often nothing new begins for a while, and what is still held is looked at. */
const RESTS = 20;
const SHORTEST_STRETCH_MS = 5000;
/** Long enough for nearly all; what waits for an answer that never comes goes on beside what follows. */
const SHORTEST_REST_MS = 3000;
const FOLDER_MS = 10_000;
const DRAIN_MS = 120_000;

// Whoever started it is gone, and nobody reads what it finds.
process.once('disconnect', () => process.exit());

// Lines name files as they are; a command looks for them where the process is.
const top = process.cwd();
for (const [name, text] of Object.entries({ ...LINE_FILES, [MANY_PROMPTS.name]: MANY_PROMPTS.text })) {
  writeFileSync(join(top, name), text);
}

const outcomes = createOutcomes();
const watch = watchProcess();
const samples: Sample[] = [];
const before = openDescriptors();
const places = folders(top);
const desk = await openDesk(process.env, places);
// What is run does not depend on when something else was.
const next = createMix(chanceOf(seed));
const chance = chanceOf(seed + 1);

const changing = setInterval(places.next, FOLDER_MS);

const started = performance.now();
const end = started + minutes * 60_000;
const stretchMs = Math.max(SHORTEST_STRETCH_MS, (minutes * 60_000) / RESTS);
const begun: Traffic[] = [];
const restMs = Math.max(SHORTEST_REST_MS, stretchMs / 5);
let busyMs = 0;
while (performance.now() < end) {
  const began = performance.now();
  const traffic = startTraffic({ commands: commandsAtOnce, next, chance, desk, outcomes });
  begun.push(traffic);
  await sleep(Math.min(stretchMs, Math.max(SHORTEST_STRETCH_MS, end - began)));
  busyMs += performance.now() - began;
  await traffic.end(restMs);
  samples.push(await watch.sample());
  say();
}
const hanging = (await Promise.all(begun.map((traffic) => traffic.end(DRAIN_MS)))).flat();
clearInterval(changing);
await desk.close();
places.removeAll();
await sleep(500);
const last = await watch.sample();
watch.stop();

const problems = judge({
  commandsAtOnce,
  samples,
  mostSockets: watch.mostSockets(),
  socketsLeft: openSockets(),
  descriptorsLeft: openDescriptors() - before,
  leftBehind: places.leftBehind,
  trouble: watch.trouble,
  unexpected: outcomes.unexpected,
  hanging,
  neverWell: outcomes.neverWell(),
  slowestStop: outcomes.slowestStop(),
  latenessMs: watch.lateness(99),
});
console.log(
  JSON.stringify({
    problems,
    bounds: BOUNDS,
    commands: outcomes.count(),
    kinds: [outcomes.succeeded.size, Object.keys(registry).length],
    seconds: busyMs / 1000,
    rests: samples.length,
    classes: outcomes.classes,
    heap: trendOf(samples, 'heap'),
    rss: trendOf(samples, 'rss'),
    last,
    mostSockets: watch.mostSockets(),
    socketsLeft: openSockets(),
    lateness: [50, 99].map(watch.lateness),
    slowestStop: outcomes.slowestStop(),
  }),
);
// What hangs has been told of; it need not keep the process.
process.exit(0);

function say(): void {
  const { heap = 0, rss = 0, sockets = 0 } = samples.at(-1) ?? {};
  const minute = ((performance.now() - started) / 60_000).toFixed(1);
  const figures = `${outcomes.count()} commands, at rest heap ${heap.toFixed(1)} MB, rss ${rss.toFixed(0)} MB, ${sockets} sockets`;
  console.error(`${minute} min: ${figures}, ${outcomes.unexpected.length + watch.trouble.length} unexpected`);
}
