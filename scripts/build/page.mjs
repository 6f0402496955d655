/** Bundles the war room in the browser: one script, one style sheet and the HTML that loads them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../root.mjs';

/** Returns the files of the page, by path in `dist/`, its sources, and what each source adds to the minified script. */
export async function pageFiles() {
  const { outputFiles, metafile } = await build({
    entryPoints: ['main.tsx', 'style/base.css'].map((path) => ({ in: join(ROOT, 'web', path), out: 'page' })),
    outdir: join(ROOT, 'dist', 'page'),
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    preserveSymlinks: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const bundled = outputFiles.map(({ path, text }) => [join('page', path.split(/[\\/]/).at(-1)), text]);
  return {
    files: [...bundled, ['page/index.html', readFileSync(join(ROOT, 'web', 'index.html'), 'utf8')]],
    inputs: Object.keys(metafile.inputs),
    script: Object.values(metafile.outputs).find(({ entryPoint = '' }) => entryPoint.endsWith('.tsx')).inputs,
  };
}
