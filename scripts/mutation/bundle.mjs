/**
 * Bundles each suite of a folder, with its mutants, to one script, because loading hundreds of modules for each mutant is
 * slow. Stryker runs it in its copy of the project, which has no packages yet:
 * `node <project>/scripts/mutation/bundle.mjs arguments`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from '../root.mjs';

const folder = join(process.cwd(), 'tests', process.argv[2] ?? '');

/** Replaces `import.meta.url` by the module's URL, which a bundle would lose. */
const moduleUrls = {
  name: 'module-urls',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: source.replaceAll('import.meta.url', () => url), loader: path.endsWith('.ts') ? 'ts' : 'js' };
    }),
};

for (const name of readdirSync(folder).filter((file) => file.endsWith('.test.ts'))) {
  const path = join(folder, name);
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    plugins: [moduleUrls],
    nodePaths: [join(ROOT, 'node_modules')],
    // Loading these takes longer than most tests, and mutants do not change their state.
    external: ['fast-check', 'ajv', 'acorn'],
    write: false,
    logLevel: 'error',
  });
  writeFileSync(path.replace(/\.ts$/, '.cjs'), outputFiles[0]?.text ?? '');
}
