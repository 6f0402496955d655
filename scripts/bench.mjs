/** `npm run bench`: measures, prints ratios, and writes docs/benchmarks.md. Ratios carry over to other machines; times do not. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureBulk } from './bench/bulk.mjs';
import { measureColdStart } from './bench/cold-start.mjs';
import { measureDispatch } from './bench/dispatch.mjs';
import { measurePlatform } from './bench/platform.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { ROOT } from './root.mjs';

await ensureBuilt();
const sections = [];
for (const measure of [measureColdStart, measureDispatch, measurePlatform, measureBulk]) {
  const section = await measure();
  console.log(section);
  sections.push(section);
}
const head = `# Benchmarks

Written by \`npm run bench\` with Node ${process.version}; run it to have the figures of your own machine. Each figure is the median of
several runs that take turns with what they are compared to, and is given as a ratio of the same run.
`;
writeFileSync(join(ROOT, 'docs', 'benchmarks.md'), [head, ...sections].join('\n'));
