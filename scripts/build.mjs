/** Builds the command line: `dist/aisec.js`, its lazily loaded chunks, and `dist/catalogue.json`. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build as esbuild } from 'esbuild';
import { importText } from './bundle.mjs';
import { fingerprint, STAMP } from './fingerprint.mjs';
import { BANNER, namedExports } from './packages.mjs';
import { ROOT } from './root.mjs';

const DIST = join(ROOT, 'dist');
const CHUNKS = join(DIST, 'chunks');
const TOOLS = `
export { catalogueOf } from './lib/manifest/describe.ts';
export { registry } from './commands/index.ts';
export { licencesOf } from './scripts/licences.ts';
`;

/** Builds into `dist/`; what is there stays usable until the new files are in place. */
export async function build() {
  const print = fingerprint();
  const { catalogueOf, licencesOf, registry } = await importText(TOOLS);
  const [{ files, inputs }, catalogue] = await Promise.all([bundle(), catalogueOf(registry)]);
  rmSync(STAMP, { force: true });
  for (const { path, contents } of files) put(path, contents);
  put(join(DIST, 'catalogue.json'), JSON.stringify(catalogue));
  put(join(DIST, 'licences.txt'), `${licencesOf(ROOT, inputs)}\n`);
  chmodSync(join(DIST, 'aisec.js'), 0o755);
  removeOldChunks(files);
  put(STAMP, print);
}

async function bundle() {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { outputFiles, metafile } = await esbuild({
    entryPoints: { aisec: join(ROOT, 'bin', 'aisec.ts') },
    outdir: DIST,
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: { js: BANNER },
    plugins: [namedExports],
    chunkNames: 'chunks/[name]-[hash]',
    define: { AISEC_VERSION: JSON.stringify(version) },
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  // The entry comes last: it must never point at chunks that are not there yet.
  const files = outputFiles.sort((one, other) => Number(isEntry(one.path)) - Number(isEntry(other.path)));
  return { files, inputs: Object.keys(metafile.inputs) };
}

// Renaming is atomic: a command that starts while another one builds sees the old file or the new one.
function put(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

function removeOldChunks(files) {
  const kept = new Set(files.map(({ path }) => path));
  const present = existsSync(CHUNKS) ? readdirSync(CHUNKS).map((name) => join(CHUNKS, name)) : [];
  for (const path of present.filter((name) => !kept.has(name))) rmSync(path, { force: true });
}

function isEntry(path) {
  return path === join(DIST, 'aisec.js');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await build();
