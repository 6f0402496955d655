/** `npm run demo`: runs a scripted war room on the simulated service. */
import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './ensure-built.mjs';
import { ROOT } from './root.mjs';

await ensureBuilt();
const script = openSync(join(ROOT, 'docs', 'demo.aisec'), 'r');
const args = [join(ROOT, 'dist', 'aisec.cjs'), '--simulate', '--output', 'table', '--echo'];
const { status } = spawnSync(process.execPath, args, { stdio: [script, 'inherit', 'inherit'] });
process.exitCode = status ?? 1;
