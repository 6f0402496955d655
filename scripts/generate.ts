/** Generates the checked-in files from the declarations: registry, catalogue, schemas and OpenAPI documents, manifest and command reference. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogueJson, entryOf } from '../lib/manifest/command-catalogue.ts';
import { commandTypes } from '../lib/manifest/command-types.ts';
import { describe } from '../lib/manifest/describe.ts';
import { manifestOf, manifestText } from '../lib/manifest/integration.ts';
import { referenceOf } from '../lib/manifest/reference.ts';
import { apiDocumentFiles } from './api-documents.ts';
import { type CommandFile, discover, type LoadExports } from './discover.ts';
import { documentSchemaFiles } from './documents.ts';

const REFERENCE = 'docs/commands';
const LINE_WIDTH = 120;

/** Generates all files. @returns texts by path */
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
    ['catalogue/commands.json', catalogueJson(declared.map(entryOf))],
    ['catalogue/commands.ts', commandTypes(declared)],
    ...documentSchemaFiles(),
    ...apiDocumentFiles(declared, versionOf(root)),
    ['integration.yml', manifestText(manifestOf(catalogue))],
    ...referenceOf(resources).map(({ file, text }): [string, string] => [`${REFERENCE}/${file}`, text]),
  ]);
}

/** Lists files that differ from the generated ones: changed, missing or obsolete. */
export function drifted(root: string, wanted: ReadonlyMap<string, string>): string[] {
  const changed = [...wanted].filter(([path, text]) => textOf(join(root, path)) !== text).map(([path]) => path);
  return [...changed, ...obsolete(root, wanted)];
}

/** Writes files that differ, and removes obsolete pages. @returns the changed paths */
export function write(root: string, wanted: ReadonlyMap<string, string>): string[] {
  const paths = drifted(root, wanted);
  for (const path of paths) {
    const text = wanted.get(path);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (text === undefined) rmSync(join(root, path));
    else writeFileSync(join(root, path), text);
  }
  return paths;
}

/** Runs `npm run generate`; `--check` does not write. @returns the exit code */
export async function main(root: string, load: LoadExports, args: readonly string[]): Promise<number> {
  const wanted = await generated(root, load);
  if (!args.includes('--check')) {
    const paths = write(root, wanted);
    console.log(paths.length === 0 ? 'Nothing to write.' : paths.map((path) => `wrote ${path}`).join('\n'));
    return 0;
  }
  const paths = drifted(root, wanted);
  if (paths.length > 0) console.error(`Run npm run generate; these have drifted:\n${paths.join('\n')}`);
  return paths.length > 0 ? 1 : 0;
}

/** Returns the version of the next release. */
function versionOf(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** Renders the registry: every command's name, and how to load its declaration. */
function registryText(files: readonly CommandFile[]): string {
  const lines = files.flatMap(({ path, commands }) =>
    commands.map(({ exportName, command }) => registryLine(command.name, path, exportName)),
  );
  return [
    '/** The registry: every command, loaded when it is first used. Written by `npm run generate` from this folder. */',
    "import type { Registry } from '../lib/engine/command.ts';",
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

function obsolete(root: string, wanted: ReadonlyMap<string, string>): string[] {
  const folder = join(root, REFERENCE);
  const found = existsSync(folder) ? readdirSync(folder) : [];
  return found.map((file) => `${REFERENCE}/${file}`).filter((path) => !wanted.has(path));
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
