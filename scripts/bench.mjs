/** `npm run bench`: measures, prints ratios, and keeps them in docs/benchmarks.md. Ratios carry over to other machines; times do not. */
import { measureBulk } from './bench/bulk.mjs';
import { measureColdStart } from './bench/cold-start.mjs';
import { measureDispatch } from './bench/dispatch.mjs';
import { keepSections } from './bench/document.mjs';
import { measureLists } from './bench/lists.mjs';
import { describeMachine } from './bench/machine.mjs';
import { isInstalled, measurePeers } from './bench/peers.mjs';
import { measurePlatform } from './bench/platform.mjs';
import { measureSize } from './bench/size.mjs';
import { measureTransport } from './bench/transport.mjs';
import { ensureBuilt } from './ensure-built.mjs';

await ensureBuilt();
const began = Date.now();
const sections = [];
const all = [
  describeMachine,
  measureColdStart,
  measureDispatch,
  measureTransport,
  measureLists,
  measureBulk,
  ...(isInstalled() ? [measurePeers] : []),
  measurePlatform,
  measureSize,
];
for (const measure of all) {
  const section = await measure();
  console.log(section);
  sections.push(section);
}
keepSections(sections);
console.log(`${Math.round((Date.now() - began) / 1000)} seconds`);
