/** Generates files from the declarations: registry, catalogue, schemas and OpenAPI document, manifest and command reference. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogueEntry, catalogueJson } from '../lib/manifest/command-catalogue.ts';
import { commandTypes } from '../lib/manifest/command-types.ts';
import { describe } from '../lib/manifest/describe.ts';
import { manifestOf, manifestText } from '../lib/manifest/integration.ts';
import { referenceOf } from '../lib/manifest/reference.ts';
import { apiDocumentFiles } from './api/document.ts';
import { type CommandFile, discover, type LoadExports } from './discover.ts';
import { documentSchemaFiles } from './documents.ts';
import { write, writeOrCheck } from './written-files.ts';

/** Folder of the command reference, in which all files are generated. */
export const REFERENCE = 'docs/commands';
/**
 * Files that are not in git (.gitignore), because they are large and only programs read them. `npm ci`, tests and the
 * build write them.
 */
const UNTRACKED = /^(?:catalogue|docs\/api)\//;
const LINE_WIDTH = 120;

/** Generates all files. @returns file contents by path */
export async function generated(root: string, load: LoadExports): Promise<Map<string, string>> {
  const files = await discover(root, load);
  const resources = files.map(({ path, commands }) => ({
    name: path.replace(/\.ts$/, ''),
    commands: commands.map(({ command }) => describe(command)),
  }));
  const catalogue = resources.flatMap(({ commands }) => commands);
  const declared = files.flatMap(({ commands }) => commands.map(({ command }) => command));
  return new Map([
    ['commands/index.ts', registryText(files)],
    ['catalogue/commands.json', catalogueJson(declared.map(catalogueEntry))],
    ['catalogue/commands.ts', commandTypes(declared)],
    ...documentSchemaFiles(),
    ...apiDocumentFiles(declared, versionOf(root)),
    ['integration.yml', manifestText(manifestOf(catalogue))],
    ...referenceOf(resources).map(({ file, text }): [string, string] => [`${REFERENCE}/${file}`, text]),
  ]);
}

/** Runs `npm run generate`; `--check` does not write. @returns the exit code */
export async function main(root: string, load: LoadExports, args: readonly string[]): Promise<number> {
  return writeOrCheck(root, await generated(root, load), REFERENCE, { args, command: 'npm run generate' });
}

/** Writes the files that are not in git, if they are missing or out of date. */
export async function writeUntracked(root: string, load: LoadExports): Promise<void> {
  const files = [...(await generated(root, load))].filter(([path]) => UNTRACKED.test(path));
  write(root, new Map(files), 'catalogue');
}

/** Returns the version of the next release. */
function versionOf(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** Renders the registry: each command's name, and how to load its declaration. */
function registryText(files: readonly CommandFile[]): string {
  const lines = files.flatMap(({ path, commands }) =>
    commands.map(({ exportName, command }) => registryLine(command.name, path, exportName)),
  );
  return [
    '/** The registry: every command, loaded when it is first used. Written by `npm run generate` from this folder. */',
    "import type { Registry } from '../lib/runtime/engine/command.ts';",
    '',
    ...files.map(({ path }) => `const ${fileName(path)} = () => import('./${path}');`),
    '',
    'export const registry: Registry = {',
    ...lines,
    '};',
    '',
  ].join('\n');
}

function registryLine(name: string, path: string, exportName: string): string {
  const key = `  '${name}': () =>`;
  const value = `${fileName(path)}().then((file) => file.${exportName}),`;
  return key.length + 1 + value.length > LINE_WIDTH ? `${key}\n    ${value}` : `${key} ${value}`;
}

/** Converts a path to an identifier: `runtime/topics.ts` becomes `runtimeTopics`. */
function fileName(path: string): string {
  return path.replace(/\.ts$/, '').replace(/[^A-Za-z0-9]+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
