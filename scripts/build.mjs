/**
 * Writes the generated files that are not in git, then builds `dist/`: the program with its chunks, `catalogue.txt`,
 * the manual page; for the package also the library with its types, licences and the bill of materials. The build is
 * reproducible.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { programOf } from './build/chunks.mjs';
import { libraryModules, writeTypes } from './build/library.mjs';
import { bundleModules, DIST } from './build/modules.mjs';
import { pageFiles } from './build/page.mjs';
import { importText } from './bundle.mjs';
import { fingerprint, STAMP } from './fingerprint.mjs';
import { writeUntracked } from './generate.mjs';
import { namedExports } from './packages.mjs';
import { ROOT } from './root.mjs';

/** Files of earlier builds: chunks of other sources, and unfinished files. */
const STALE = /^(?:chunks-\w+\.js|packs|.*\.tmp)$/;
const TOOLS = `
export { catalogueOf } from './lib/manifest/describe.ts';
export { catalogueText } from './lib/manifest/catalogue.ts';
export { registry } from './commands/index.ts';
export { DOCUMENT_SCHEMAS } from './scripts/documents.ts';
export { manPage } from './scripts/man-page.ts';
export { precompiledValidators } from './scripts/validators.ts';
`;
const PACKAGE_TOOLS = `
export { billOfMaterials, licencesOf } from './scripts/bundled-packages.ts';
`;

/**
 * Builds into `dist/`; the previous build stays usable until the new files are in place.
 * @param forPackage whether to build everything in the package; otherwise only the program is built, which is faster
 * and keeps the library of an earlier build
 */
export async function build({ forPackage = false } = {}) {
  const print = fingerprint();
  await writeUntracked();
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { catalogueOf, catalogueText, DOCUMENT_SCHEMAS, manPage, precompiledValidators, registry } =
    await importText(TOOLS);
  const [program, catalogue, page] = await Promise.all([
    bundleProgram(await precompiledValidators(ROOT, Object.values(DOCUMENT_SCHEMAS)), version),
    catalogueOf(registry),
    pageFiles(),
  ]);
  // The program comes last, because it must not refer to chunks that do not exist yet.
  const files = new Map([
    ['catalogue.txt', catalogueText(catalogue)],
    ['aisec.1', manPage(version)],
    ['playbooks.json', playbooksText()],
    ...page.files,
    ...(forPackage ? await packageFiles([...program.inputs, ...page.inputs]) : []),
    ...(await programOf(program.outputFiles, version)),
  ]);
  rmSync(STAMP, { force: true });
  for (const [name, contents] of files)
    writeAtomically(join(DIST, name), contents, name === 'aisec.cjs' ? 0o755 : 0o644);
  removeStale(DIST, (name) => STALE.test(name) && !files.has(name));
  if (forPackage) {
    removeStale(join(DIST, 'lib'), (name) => !files.has(join('lib', name)));
    writeTypes();
  }
  writeAtomically(STAMP, print, 0o644);
}

/** Returns the playbooks of the content pack as JSON, for agents. */
function playbooksText() {
  const folder = join(ROOT, 'lib', 'manifest', 'assets', 'playbooks');
  const names = readdirSync(folder).sort();
  const texts = names.map((name) => ({
    name: name.replace(/\.yml$/, ''),
    text: readFileSync(join(folder, name), 'utf8'),
  }));
  return `${JSON.stringify(texts)}\n`;
}

function bundleProgram(validators, version) {
  return bundleModules(
    { aisec: 'bin/aisec.ts' },
    {
      plugins: [namedExports, validators],
      // The declarations already check the MCP server's arguments; a second ajv would only cost time.
      alias: { '@modelcontextprotocol/server/_shims': join(ROOT, 'lib', 'hosts', 'mcp', 'without-validator.ts') },
      chunkNames: '[name]-[hash]',
      define: { AISEC_VERSION: JSON.stringify(version) },
    },
  );
}

/** Creates the files that only the package needs. */
async function packageFiles(programInputs) {
  const { billOfMaterials, licencesOf } = await importText(PACKAGE_TOOLS);
  const library = await libraryModules();
  const inputs = [...programInputs, ...library.inputs];
  return [
    ['licences.txt', `${licencesOf(ROOT, inputs)}\n`],
    ['sbom.cdx.json', billOfMaterials(ROOT, inputs)],
    ...library.files,
  ];
}

function removeStale(folder, isStale) {
  for (const name of readdirSync(folder).filter(isStale)) rmSync(join(folder, name), { recursive: true, force: true });
}

// A rename is atomic: a command that starts during a build reads the old file or the new one.
function writeAtomically(path, contents, mode) {
  const temporary = `${path}.${process.pid}.tmp`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(temporary, contents);
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await build({ forPackage: true });
