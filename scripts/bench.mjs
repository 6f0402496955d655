/**
 * `npm run bench`: measures, prints ratios, and writes them to docs/benchmarks.md. Ratios carry over to other machines;
 * times do not. `npm run bench -- coldStart guard` measures only these sections; `million` and `queue` are measured
 * only if named.
 */
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { measureBulk, measureMillion } from './bench/bulk.mjs';
import { measureColdStart } from './bench/cold-start.mjs';
import { measureGuard } from './bench/guard.mjs';
import { measureMcp } from './bench/mcp.mjs';
import { keepSection } from './bench/measure.mjs';
import { measurePage } from './bench/page.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { measureQueue } from './queue/bench.mjs';

const SECTIONS = {
  machine: describeMachine,
  coldStart: measureColdStart,
  bulk: measureBulk,
  mcp: measureMcp,
  guard: measureGuard,
  page: measurePage,
};
const SLOW = { million: measureMillion, queue: measureQueue };
/** Number of prompts in the slow sections. */
const PROMPTS = 1_000_000;
const ALL = { ...SECTIONS, ...SLOW };

const { positionals } = parseArgs({ allowPositionals: true });
const unknown = positionals.filter((name) => !Object.hasOwn(ALL, name));
if (unknown.length > 0) {
  console.error(`Unknown section ${unknown.join(', ')}. Sections: ${Object.keys(ALL).join(', ')}.`);
  process.exit(2);
}

await ensureBuilt();
const began = Date.now();
for (const name of positionals.length > 0 ? positionals : Object.keys(SECTIONS)) {
  const section = await ALL[name](PROMPTS);
  console.log(section);
  keepSection(section);
}
console.log(`${Math.round((Date.now() - began) / 1000)} seconds`);

/** Describes the origin of the figures: machine, versions, date, and how to reproduce them. */
function describeMachine() {
  const [first] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB of memory`;
  const machine = `${cpus().length} cores (${first?.model.trim() || 'of no name'}), ${memory}, ${process.platform} ${process.arch}`;
  return `## The machine

${machine}; Node ${process.version}; ${new Date().toISOString().slice(0, 10)}.

- \`npm run bench\` measures most sections, in less than 10 minutes, on a machine that should be idle.
- \`npm run bench:million\` scans a million prompts, \`npm run bench:queue\` as many through the queue. A section that names another script has the figures of its own run.
`;
}
