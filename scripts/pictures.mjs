/**
 * `npm run pictures`: draws every list, record and view of the terminal into `docs/images/`, with their index `docs/screens.md`.
 * With `--check` it only reports stale pictures.
 */
import { importText } from './bundle.mjs';
import { ROOT } from './root.mjs';
import { scratchFolder } from './scratch-folder.mjs';

const { main } = await importText("export { main } from './scripts/pictures/main.ts';");
process.exitCode = await main(ROOT, scratchFolder('pictures'), process.argv.slice(2));
