/** Builds the command line: `dist/aisec.cjs`, the packs that it loads, and `dist/catalogue.txt`. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build as esbuild } from 'esbuild';
import { packed } from './build/packs.mjs';
import { importText } from './bundle.mjs';
import { fingerprint, STAMP } from './fingerprint.mjs';
import { namedExports } from './packages.mjs';
import { ROOT } from './root.mjs';

const DIST = join(ROOT, 'dist');
const PACKS = join(DIST, 'packs');
const TOOLS = `
export { catalogueOf } from './lib/manifest/describe.ts';
export { catalogueText } from './lib/manifest/catalogue-text.ts';
export { registry } from './commands/index.ts';
export { licencesOf } from './scripts/licences.ts';
export { madeValidators } from './scripts/validators.ts';
`;

/** Builds into `dist/`; what is there stays usable until the new files are in place. */
export async function build() {
  const print = fingerprint();
  const { catalogueOf, catalogueText, licencesOf, madeValidators, registry } = await importText(TOOLS);
  const [{ chunks, inputs }, catalogue] = await Promise.all([
    bundle(await madeValidators(ROOT)),
    catalogueOf(registry),
  ]);
  const files = await tried(chunks, catalogueText(catalogue));
  rmSync(STAMP, { force: true });
  // The program comes last: it must never point at packs that are not there yet.
  for (const { path, contents } of files.sort((one, other) => Number(isProgram(one)) - Number(isProgram(other)))) {
    put(join(DIST, path), contents);
  }
  put(join(DIST, 'licences.txt'), `${licencesOf(ROOT, inputs)}\n`);
  chmodSync(join(DIST, 'aisec.cjs'), 0o755);
  removeOthers(files);
  put(STAMP, print);
}

async function bundle(validators) {
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
    plugins: [namedExports, validators],
    chunkNames: '[name]-[hash]',
    define: { AISEC_VERSION: JSON.stringify(version) },
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  return { chunks: outputFiles, inputs: Object.keys(metafile.inputs) };
}

/** The program is put together and run in a folder of its own. */
async function tried(chunks, catalogue) {
  const folder = mkdtempSync(join(tmpdir(), 'aisec-build-'));
  try {
    writeFileSync(join(folder, 'catalogue.txt'), catalogue);
    return [{ path: 'catalogue.txt', contents: catalogue }, ...(await packed(chunks, folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Renaming is atomic: a command that starts while another one builds sees the old file or the new one.
function put(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

function removeOthers(files) {
  const kept = new Set(files.map(({ path }) => join(DIST, path)));
  const present = existsSync(PACKS) ? readdirSync(PACKS).map((name) => join(PACKS, name)) : [];
  for (const path of present.filter((name) => !kept.has(name))) rmSync(path, { force: true });
}

function isProgram({ path }) {
  return path === 'aisec.cjs';
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await build();
