/** Prepares the build context of the image: what `Containerfile` copies. */
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from '../manifest.ts';
import { packInto } from '../pack-into.ts';
import { licenceFiles, runtimeFiles } from './runtime-files.ts';

/** Mount points, and the working folder. Builders and runtimes would create them with modes of their own. */
const FOLDERS: readonly string[] = ['data', 'dev', 'home/aisec', 'proc', 'sys', 'tmp'];
/** Number of the user and of the group; `Containerfile` has it too. */
export const USER = 10001;
/** What the C library reads to find users and hosts. */
const ACCOUNTS: Readonly<Record<string, string>> = {
  'etc/passwd': `root:x:0:0:root:/nonexistent:/nonexistent\naisec:x:${USER}:${USER}:aisec:/home/aisec:/nonexistent\n`,
  'etc/group': `root:x:0:\naisec:x:${USER}:\n`,
  'etc/hosts': '127.0.0.1 localhost\n::1 localhost\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/**
 * Prepares a folder for `COPY`: `runtime/` with Node and what it needs, and `program/` with the packed program.
 * @param root the project
 * @param context an earlier one is replaced
 * @param scratch where the program is packed; it is created
 */
export function stage(root: string, context: string, scratch: string): void {
  rmSync(context, { recursive: true, force: true });
  stageProgram(root, join(context, 'program'), scratch);
  stageRuntime(join(context, 'runtime'));
  setModes(context);
}

/** Packs the program as for its users, and copies what runs it. */
function stageProgram(root: string, target: string, scratch: string): void {
  mkdirSync(scratch);
  const { installed, files } = packInto(scratch, root);
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest;
  for (const name of programFiles(manifest, files)) cpSync(join(installed, name), join(target, name));
}

/**
 * Selects the files that run the program, and what belongs to every copy of it: its licence, those of the bundled packages,
 * and the bill of materials. The library, its types, documents and manual page are for others.
 * @param files paths in the package
 */
export function programFiles(
  { man = [], exports = {} }: Pick<Manifest, 'man' | 'exports'>,
  files: readonly string[],
): string[] {
  const entries = Object.values(exports).map((entry) => (typeof entry === 'string' ? entry : entry['default']));
  const others = new Set([...man, ...entries].map((path) => path?.replace(/^\.\//, '')));
  const isProgram = (path: string) => /^dist\/[^/]+$/.test(path) && !others.has(path);
  return files.filter((path) => path === 'LICENSE' || path === 'package.json' || isProgram(path));
}

function stageRuntime(target: string): void {
  const files = runtimeFiles();
  for (const { source, target: place } of [...files, ...licenceFiles(files)]) {
    cpSync(source, join(target, place), { dereference: true });
  }
  for (const [name, text] of Object.entries(ACCOUNTS)) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    writeFileSync(join(target, name), text);
  }
  for (const name of FOLDERS) mkdirSync(join(target, name), { recursive: true });
}

/** Makes the modes independent of the umask: everyone can read, only root can write. */
function setModes(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) setModes(path);
    else chmodSync(path, (statSync(path).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
  chmodSync(folder, 0o755);
}
