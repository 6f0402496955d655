/** Packs the chunks of the bundle into one file, from which the loader reads only the chunks that a run needs. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { transform } from 'esbuild';
import { ROOT } from '../root.mjs';

const source = (name) => readFileSync(join(ROOT, 'scripts', 'build', name), 'utf8');

/**
 * Creates the files of the program.
 * @param chunks chunks of the bundle, with the entry `aisec.js`
 * @param version version of the program
 * @returns file contents by path
 */
export async function programOf(chunks, version) {
  const functions = await Promise.all(chunks.map(asFunction));
  functions.sort((one, other) => (one.name < other.name ? -1 : 1));
  const index = [];
  let bytes = 0;
  let line = 0;
  for (const { name, code } of functions) {
    index.push([name, bytes, Buffer.byteLength(code), line]);
    bytes += Buffer.byteLength(code);
    line += code.split('\n').length - 1;
  }
  const text = functions.map(({ code }) => code).join('');
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const file = `chunks-${digest}.js`;
  const values = { __CHUNKS__: index, __FILE__: file, __BUILD__: `${version}-${digest}` };
  const loader = source('loader.cjs').replace(/__[A-Z]+__/g, (name) => JSON.stringify(values[name]));
  return new Map([
    [file, text],
    ['code-cache.cjs', source('code-cache.cjs')],
    ['aisec.cjs', loader],
  ]);
}

/** A lazy import as esbuild writes it, which would copy the chunk's members at each call. */
const LAZY = /Promise\.resolve\(\)\.then\(\(\) => __toESM\(require\(("\.\/[^"]+\.js")\)\)\)/g;

/** Wraps a chunk in a function for the loader. */
async function asFunction({ path, text }) {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // Dynamic imports become calls to the loader, which is synchronous.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__filename', 'import.meta.dirname': '__dirname' },
  });
  const parameters = 'require, module, exports, __filename, __dirname, __import';
  return { name: basename(path), code: `(function (${parameters}) {\n${code.replace(LAZY, '__import($1)')}})\n` };
}
