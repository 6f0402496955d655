/**
 * Makes one plain script of each suite of a folder, with the mutants in it: a mutant's run then takes a fraction of the time
 * that loading hundreds of modules would take. Stryker runs it in the copy that it makes of the project, which has no
 * packages yet: `node <project>/scripts/mutation/bundle.mjs arguments`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from '../root.mjs';

const folder = join(process.cwd(), 'tests', process.argv[2] ?? '');

/** Where a module lay is lost in a bundle: it is written down in it. */
const places = {
  name: 'places',
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
    plugins: [places],
    nodePaths: [join(ROOT, 'node_modules')],
    // Loading these takes longer than most tests, and no mutant changes what they keep.
    external: ['fast-check', 'ajv', 'acorn'],
    write: false,
    logLevel: 'error',
  });
  writeFileSync(path.replace(/\.ts$/, '.cjs'), outputFiles[0]?.text ?? '');
}
