/**
 * `npm run bench`: measures, prints ratios, and writes them to docs/benchmarks.md. Ratios carry over to other machines; times do not.
 * `npm run bench -- coldStart size` measures only these sections.
 */
import { measureBulk } from './bench/bulk.mjs';
import { measureColdStart } from './bench/cold-start.mjs';
import { measureDispatch } from './bench/dispatch.mjs';
import { keepSections } from './bench/document.mjs';
import { measureHttp } from './bench/http.mjs';
import { measureLists } from './bench/lists.mjs';
import { describeMachine } from './bench/machine.mjs';
import { measureMcp } from './bench/mcp.mjs';
import { isInstalled, measurePeers } from './bench/peers.mjs';
import { measurePlatform } from './bench/platform.mjs';
import { measureSize } from './bench/size.mjs';
import { measureTransport } from './bench/transport.mjs';
import { ensureBuilt } from './ensure-built.mjs';

const ALL = {
  machine: describeMachine,
  coldStart: measureColdStart,
  dispatch: measureDispatch,
  transport: measureTransport,
  lists: measureLists,
  bulk: measureBulk,
  ...(isInstalled() ? { peers: measurePeers } : {}),
  platform: measurePlatform,
  mcp: measureMcp,
  http: measureHttp,
  size: measureSize,
};
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !Object.hasOwn(ALL, name));
if (unknown.length > 0) {
  console.error(`Unknown section ${unknown.join(', ')}. Sections: ${Object.keys(ALL).join(', ')}.`);
  process.exit(2);
}

await ensureBuilt();
const began = Date.now();
for (const name of chosen.length > 0 ? chosen : Object.keys(ALL)) {
  const section = await ALL[name]();
  console.log(section);
  keepSections([section]);
}
console.log(`${Math.round((Date.now() - began) / 1000)} seconds`);
