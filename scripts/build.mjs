/** Builds the command line: `dist/aisec.cjs`, the chunks that it loads, and `dist/catalogue.txt`. The same sources make the same bytes. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build as esbuild } from 'esbuild';
import { programOf } from './build/chunks.mjs';
import { libraryModules, writeTypes } from './build/library.mjs';
import { importText } from './bundle.mjs';
import { fingerprint, STAMP } from './fingerprint.mjs';
import { namedExports } from './packages.mjs';
import { ROOT } from './root.mjs';

const DIST = join(ROOT, 'dist');
/** What earlier builds have left: chunks of other sources, and unfinished files. */
const OLD = /^(?:chunks-\w+\.js|packs|.*\.tmp)$/;
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
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { catalogueOf, catalogueText, licencesOf, madeValidators, registry } = await importText(TOOLS);
  const [{ chunks, inputs }, catalogue] = await Promise.all([
    bundle(await madeValidators(ROOT), version),
    catalogueOf(registry),
  ]);
  // The program comes last: it must never point at chunks that are not there yet.
  const files = new Map([
    ['catalogue.txt', catalogueText(catalogue)],
    ['licences.txt', `${licencesOf(ROOT, inputs)}\n`],
    ...(await libraryModules()),
    ...(await programOf(chunks, version)),
  ]);
  rmSync(STAMP, { force: true });
  mkdirSync(join(DIST, 'lib'), { recursive: true });
  for (const [name, contents] of files) put(join(DIST, name), contents, name === 'aisec.cjs' ? 0o755 : 0o644);
  for (const name of readdirSync(join(DIST, 'lib'))) {
    if (!files.has(join('lib', name))) rmSync(join(DIST, 'lib', name));
  }
  for (const name of readdirSync(DIST)) {
    if (OLD.test(name) && !files.has(name)) rmSync(join(DIST, name), { recursive: true, force: true });
  }
  put(STAMP, print, 0o644);
}

async function bundle(validators, version) {
  const { outputFiles, metafile } = await esbuild({
    entryPoints: { aisec: join(ROOT, 'bin', 'aisec.ts') },
    outdir: DIST,
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // The names of modules in the bundle are their paths: those below the project, wherever its packages really are.
    preserveSymlinks: true,
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

// Renaming is atomic: a command that starts while another one builds sees the old file or the new one.
function put(path, contents, mode) {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, contents);
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await build();
  writeTypes();
}
