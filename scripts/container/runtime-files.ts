/** Finds what the program needs of the system: Node, `flock`, the libraries that they are linked with, and their licences. */
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '../processes.ts';

/** A file of this machine, and its place in the image. */
export interface RuntimeFile {
  readonly source: string;
  readonly target: string;
}

/** Where the image has Node, on whatever path this machine has it. */
export const NODE = '/usr/bin/node';
/** Locks bulk scans in the kernel, so that containers that share a folder cannot take each other's lock. */
const FLOCK = '/usr/bin/flock';
/** Licence files of a Debian package. */
const LICENCES: readonly string[] = ['copyright', 'LICENSE'];

/** Lists the files of Node, of `flock` if the machine has it, and of their libraries. */
export function runtimeFiles(): RuntimeFile[] {
  const programs = [
    { source: process.execPath, target: NODE },
    { source: FLOCK, target: FLOCK },
  ].filter(({ source }) => existsSync(source));
  const libraries = new Set(programs.flatMap(({ source }) => librariesOf(linked(source))));
  return [...programs, ...[...libraries].sort().map((path) => ({ source: path, target: path }))];
}

/** Lists the licence files of the Debian packages that files come from; none on another system. */
export function licenceFiles(files: readonly RuntimeFile[]): RuntimeFile[] {
  const names = files.flatMap(({ source }) => [source, realpathSync(source), `/usr${source}`]);
  // It fails if it does not know one of the names, and prints the others.
  const { error, stdout } = spawnSync('dpkg-query', ['--search', ...names], { encoding: 'utf8' });
  const paths = packagesOf(error === undefined ? stdout : '').flatMap((name) =>
    LICENCES.map((file) => join('/usr/share/doc', name, file)).filter((path) => existsSync(path)),
  );
  return paths.map((path) => ({ source: path, target: path }));
}

/** Reads the paths of libraries from the output of `ldd`. @throws Error if one was not found */
export function librariesOf(output: string): string[] {
  const missing = /^\s*(\S+) => not found/m.exec(output)?.[1];
  if (missing !== undefined) throw new Error(`The library ${missing} is not installed.`);
  return Array.from(output.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x[0-9a-f]+\)$/gm), ([, path = '']) => path);
}

/** Reads package names from the output of `dpkg-query --search`, sorted. */
export function packagesOf(output: string): string[] {
  const names = output.split('\n').flatMap((line) => /^([a-z0-9][a-z0-9.+-]*)(?::\w+)?: \//.exec(line)?.[1] ?? []);
  return [...new Set(names)].sort();
}

/** Returns the output of `ldd`; empty for a program that is linked statically, for which ldd fails. */
function linked(program: string): string {
  try {
    return outputOf('ldd', [program]);
  } catch (error) {
    if (/not a dynamic executable|Not a valid dynamic program/.test(String(error))) return '';
    throw error;
  }
}
