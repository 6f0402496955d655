/** `npm run bench:peers`: installs another command line for the same service, apart from this project's packages, and measures both. */
import { keepSections } from './bench/document.mjs';
import { installPeers, measurePeers } from './bench/peers.mjs';
import { ensureBuilt } from './ensure-built.mjs';

try {
  installPeers();
} catch (thrown) {
  console.error(`${thrown.message}\nNothing was measured: npm needs access to a package registry.`);
  process.exit(1);
}
await ensureBuilt();
const section = await measurePeers();
console.log(section);
keepSections([section]);
