/**
 * `npm run pictures`: draws every list, record and view of the terminal into `dist/screens/`, with an index. Another folder may be
 * named after `--`. A command with an unexpected exit code fails it.
 */
import { importText } from './bundle.mjs';
import { scratchFolder } from './scratch-folder.mjs';

const { main } = await importText("export { main } from './scripts/pictures/main.ts';");
await main(scratchFolder('pictures'), process.argv[2] ?? 'dist/screens');
