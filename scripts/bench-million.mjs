/** `npm run bench:million`: a bulk scan of a million prompts; it prints what it took, and writes nothing. */
import { measureMillion } from './bench/bulk.mjs';
import { ensureBuilt } from './ensure-built.mjs';

await ensureBuilt();
console.log(await measureMillion());
