/** Writes the registry, `integration.yml` and the command reference; with `--check` it only reports differences. */
import { commandLoader, importText } from './bundle.mjs';
import { ROOT } from './root.mjs';

const { main, load } = await importText(`export { main } from './scripts/generate.ts';\n${commandLoader()}`);
process.exitCode = await main(ROOT, load, process.argv.slice(2));
