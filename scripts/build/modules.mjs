/** Bundles entry points into modules for Node, split at their lazy imports: the program and the library. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../root.mjs';

export const DIST = join(ROOT, 'dist');

/**
 * Bundles modules without writing them.
 * @param entries source files by the name of their module in `dist/`
 * @param options further esbuild options
 * @returns `outputFiles`, and `inputs`, the sources of the bundle
 */
export async function bundleModules(entries, options) {
  const { outputFiles, metafile } = await build({
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(ROOT, path)])),
    outdir: DIST,
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Module names in the bundle are paths; preserved symlinks keep them relative to the project.
    preserveSymlinks: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'error',
    ...options,
  });
  return { outputFiles, inputs: Object.keys(metafile.inputs) };
}
