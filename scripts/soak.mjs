/**
 * `npm run soak`: runs 200 concurrent commands for ten minutes in one process, against the simulated service in another, and
 * then requests to `aisec serve` for a third of that time.
 * Options: `-- --minutes 1` for a short run, `--seed N` to repeat a run, `--commands N` for another concurrency. Exit 1 after
 * leaks, hangs or unexpected outcomes. A run of ten minutes or more is written to docs/benchmarks.md.
 */
import { parseArgs } from 'node:util';
import { keepSections } from './bench/document.mjs';
import { soakHttp } from './soak/http.mjs';
import { runSoak } from './soak/run.mjs';
import { soakSection } from './soak/section.mjs';

const FULL_MINUTES = 10;
/** The service gets this part of the time. */
const HTTP_PART = 3;

const { values } = parseArgs({
  options: { minutes: { type: 'string' }, seed: { type: 'string' }, commands: { type: 'string' } },
});
const minutes = positive('minutes', values.minutes ?? String(FULL_MINUTES));
const seed = positive('seed', values.seed ?? String(1 + Math.floor(Math.random() * 1e9)));
const commandsAtOnce = positive('commands', values.commands ?? '200');

console.log(`seed ${seed}, ${minutes} min, ${commandsAtOnce} commands at once`);
const found = await runSoak({ minutes, seed, commandsAtOnce });
const http = await soakHttp({ minutes: minutes / HTTP_PART, seed });
found.problems.push(...http.problems.map((problem) => `HTTP: ${problem}`));
const section = soakSection({ ...found, http, minutes, seed, commandsAtOnce });
console.log(section);
for (const problem of found.problems) console.error(`FAILED: ${problem}`);
if (found.problems.length > 0) process.exitCode = 1;
else {
  console.log('passed');
  if (minutes >= FULL_MINUTES) keepSections([section]);
}

function positive(name, text) {
  const number = Number(text);
  if (number > 0) return number;
  console.error(`--${name} is a number above 0, not ${text}`);
  process.exit(2);
}
