/**
 * Bundles each suite of an area, with its mutants, to one script, because loading hundreds of modules for each mutant is
 * slow. Stryker runs it in its copy of the project, which has no packages yet:
 * `node <project>/scripts/mutation/bundle.mjs arguments`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { withOwnAddress } from '../bundle.mjs';
import { ROOT } from '../root.mjs';
import { areaOf } from './areas.mjs';

for (const suite of areaOf(process.argv[2]).suites) {
  const path = join(process.cwd(), 'tests', suite);
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    plugins: [withOwnAddress],
    nodePaths: [join(ROOT, 'node_modules')],
    // Loading these takes longer than most tests, and mutants do not change their state.
    external: ['fast-check', 'ajv', 'acorn', '@swc/core'],
    write: false,
    logLevel: 'error',
  });
  writeFileSync(path.replace(/\.ts$/, '.cjs'), outputFiles[0]?.text ?? '');
}
