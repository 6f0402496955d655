/**
 * `npm start`: builds if the build is missing or stale, then runs `dist/aisec.cjs` with the remaining arguments. It
 * runs in this process, so that the program gets the signals and the terminal, and sets the exit code.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './ensure-built.mjs';
import { ROOT } from './root.mjs';

await ensureBuilt();
const program = join(ROOT, 'dist', 'aisec.cjs');
process.argv[1] = program;
await import(pathToFileURL(program).href);
