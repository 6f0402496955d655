/** Imports this project's TypeScript: esbuild bundles it into a temporary module. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from './root.mjs';

/** Packages stay external, so bundles are below the project, where Node finds them. */
const FOLDER = join(ROOT, 'node_modules', '.cache', 'aisec');
let count = 0;

/** Imports a module from source text; its imports are relative to the project's root. */
export async function importText(contents) {
  const outfile = await bundled({ stdin: { contents, resolveDir: ROOT, loader: 'ts' } });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}

/**
 * Bundles a program, which is removed when this process ends.
 * @param path relative to the project's root
 * @returns its path
 */
export async function bundledProgram(path) {
  const outfile = await bundled({ entryPoints: [join(ROOT, path)] });
  process.once('exit', () => rmSync(outfile, { force: true }));
  return outfile;
}

async function bundled(entry) {
  count += 1;
  const outfile = join(FOLDER, `${process.pid}-${count}.mjs`);
  mkdirSync(FOLDER, { recursive: true });
  await build({
    ...entry,
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  });
  return outfile;
}

/** An esbuild plugin that gives each module its own `import.meta.url`, which a bundle has only once. */
export const withOwnAddress = {
  name: 'with-own-address',
  setup({ onLoad }) {
    onLoad({ filter: /\.(ts|mts|mjs|cjs|js)$/ }, ({ path }) => {
      const own = { url: pathToFileURL(path).href, dirname: dirname(path), filename: path };
      const contents = readFileSync(path, 'utf8').replace(/import\.meta\.(url|dirname|filename)/g, (_, name) =>
        JSON.stringify(own[name]),
      );
      return { contents, loader: /ts$/.test(path) ? 'ts' : 'js' };
    });
  },
};
