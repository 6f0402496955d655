/** `npm run bench:million`: measures a bulk scan of a million prompts, prints the figures and writes them to docs/benchmarks.md. */
import { measureMillion } from './bench/bulk.mjs';
import { keepSections } from './bench/document.mjs';
import { ensureBuilt } from './ensure-built.mjs';

await ensureBuilt();
const section = await measureMillion();
console.log(section);
keepSections([section]);
