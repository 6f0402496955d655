/** Runs TypeScript of this project on a Node that cannot: bundled by esbuild into a file that is imported and removed. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from './root.mjs';

/**
 * Imports a module that is given as text; its imports are relative to the project's top.
 * Packages stay outside the bundle, so the file lies where Node finds them.
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

/** Bundles a module that is given as text into a file, which has to lie where Node finds the packages. */
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

/** The text of a module that exports `load`: from a path below `commands/` to the exports of that file. */
export function commandLoader() {
  const paths = readdirSync(join(ROOT, 'commands'), { recursive: true }).map((path) => path.replace(/\\/g, '/'));
  const files = paths.filter((path) => path.endsWith('.ts') && path !== 'index.ts');
  const entries = files.map(
    (path) => `  ${JSON.stringify(path)}: () => import(${JSON.stringify(`./commands/${path}`)}),`,
  );
  return `const files = {\n${entries.join('\n')}\n};\nexport const load = (path) => files[path]();\n`;
}
