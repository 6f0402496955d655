/** The time to refuse an input grows with its size: for every argument of every command, with the build's validators. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { precompiledValidators } from '../../../scripts/validators.ts';
import { expectNone } from '../../support/expect-none.ts';
import { ROOT } from '../../support/program.ts';
import { scenario } from '../scenarios/claims.ts';

scenario('bounded-failures', 'a megabyte is refused within 100 ms of processor time', async () => {
  const outfile = join(ROOT, 'node_modules', '.cache', 'aisec', `refusals-${process.pid}.cjs`);
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['tests/system/laws/refusals.ts'],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    plugins: [await precompiledValidators(ROOT)],
    packages: 'external',
    logLevel: 'error',
  });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { encoding: 'utf8' });
  rmSync(outfile);
  const slow = stdout.split('\n').filter((line) => line !== '');
  expectNone(slow, 'values that take too long');
});
