/** `npm run demo`: a scripted war room on the simulated service, inside its process. */
import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './ensure-built.mjs';
import { ROOT } from './root.mjs';

await ensureBuilt();
const script = openSync(join(ROOT, 'docs', 'demo.aisec'), 'r');
const words = [join(ROOT, 'dist', 'aisec.cjs'), '--simulate', '--output', 'table', '--echo'];
const { status } = spawnSync(process.execPath, words, { stdio: [script, 'inherit', 'inherit'] });
process.exitCode = status ?? 1;
