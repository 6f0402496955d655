/**
 * `npm run release`: prints the steps of a release; `-- --check` checks that a release is possible. Nothing is
 * published.
 */
import { importText } from './bundle.mjs';
import { ROOT } from './root.mjs';

const { main } = await importText("export { main } from './scripts/release/main.ts';");
process.exitCode = main(ROOT, process.argv.includes('--check'));
