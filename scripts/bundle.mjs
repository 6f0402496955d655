/** Imports TypeScript of this project: esbuild bundles it to a temporary module. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from './root.mjs';

/**
 * Imports a module from source text; its imports are relative to the project's root.
 * Packages stay external, so the temporary module is below the project, where Node finds them.
 */
export async function importText(contents) {
  const folder = join(ROOT, 'node_modules', '.cache', 'aisec');
  const outfile = join(folder, `${process.pid}-${Date.now()}.mjs`);
  mkdirSync(folder, { recursive: true });
  try {
    await bundleText(contents, outfile);
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}

/** Bundles a module from source text to a file, which has to be below the project so that Node finds the packages. */
export async function bundleText(contents, outfile) {
  await build({
    stdin: { contents, resolveDir: ROOT, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  });
}

/** Creates the source of a module that exports `load`, which imports a file of `commands/` by path. */
export function commandLoader() {
  const paths = readdirSync(join(ROOT, 'commands'), { recursive: true }).map((path) => path.replace(/\\/g, '/'));
  const files = paths.filter((path) => path.endsWith('.ts') && path !== 'index.ts');
  const entries = files.map(
    (path) => `  ${JSON.stringify(path)}: () => import(${JSON.stringify(`./commands/${path}`)}),`,
  );
  return `const files = {\n${entries.join('\n')}\n};\nexport const load = (path) => files[path]();\n`;
}
