/** Writes everything that is derived from the declarations; with `--check` it only reports differences. */
import { importText } from './bundle.mjs';
import { ROOT } from './root.mjs';

const { main, load } = await importText(
  "export { main } from './scripts/generate.ts';\nexport const load = (path) => import(`./commands/${path}`);",
);
process.exitCode = await main(ROOT, load, process.argv.slice(2));
