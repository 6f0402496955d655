/**
 * Bundles each suite of an area, with its mutants, to one script, because loading hundreds of modules for each mutant is
 * slow. Stryker runs it in its copy of the project, which has no packages yet:
 * `node <project>/scripts/mutation/bundle.mjs arguments`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from '../root.mjs';
import { areaOf } from './areas.mjs';

/** Replaces `import.meta.url` and `import.meta.dirname` by those of the module, which a bundle would lose. */
const moduleUrls = {
  name: 'module-urls',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const url = JSON.stringify(pathToFileURL(path).href);
      const folder = JSON.stringify(dirname(path));
      const contents = source.replaceAll('import.meta.url', () => url).replaceAll('import.meta.dirname', () => folder);
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
    }),
};

for (const suite of areaOf(process.argv[2]).suites) {
  const path = join(process.cwd(), 'tests', suite);
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    plugins: [moduleUrls],
    nodePaths: [join(ROOT, 'node_modules')],
    // Loading these takes longer than most tests, and mutants do not change their state.
    external: ['fast-check', 'ajv', 'acorn', '@swc/core'],
    write: false,
    logLevel: 'error',
  });
  writeFileSync(path.replace(/\.ts$/, '.cjs'), outputFiles[0]?.text ?? '');
}
