/**
 * `npm run container`: builds the image of `Containerfile`, runs it, and writes it to `dist/container/`. `-- --stage` only
 * prepares the build context, for another builder; `-- --record` also writes the sizes to docs/benchmarks.md.
 */
import { parseArgs } from 'node:util';
import { keepSections } from './bench/document.mjs';
import { importText } from './bundle.mjs';
import { ROOT } from './root.mjs';

const { values } = parseArgs({ options: { stage: { type: 'boolean' }, record: { type: 'boolean' } } });
const { main } = await importText("export { main } from './scripts/container/main.ts';");
const { code, section } = await main(ROOT, values.stage === true);
process.exitCode = code;
if (values.record === true && section !== undefined) keepSections([section]);
