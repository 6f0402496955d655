/** `npm run bench:million`: a bulk scan of a million prompts; what it took is printed, and kept in docs/benchmarks.md. */
import { measureMillion } from './bench/bulk.mjs';
import { keepSections } from './bench/document.mjs';
import { ensureBuilt } from './ensure-built.mjs';

await ensureBuilt();
const section = await measureMillion();
console.log(section);
keepSections([section]);
