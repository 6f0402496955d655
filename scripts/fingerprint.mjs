/** Reports whether the build in `dist/` matches the sources. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './root.mjs';

const SOURCES = ['bin', 'commands', 'context', 'lib', 'web', 'fixtures/service', 'scripts'];
/** Benchmark scripts, which are not part of the build. */
const UNRELATED = /^scripts\/(?:bench|soak|mutation)/;
const FILES = ['package.json', 'package-lock.json'];

export const STAMP = join(ROOT, 'dist', 'fingerprint.txt');

/**
 * Hashes the paths and contents of all source files. Modification times are not reliable, because a checkout changes them.
 */
export function fingerprint() {
  const hash = createHash('sha256');
  const inFolders = SOURCES.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !UNRELATED.test(relative(ROOT, path))),
  );
  for (const path of [...inFolders.sort(), ...FILES.map((file) => join(ROOT, file))]) {
    hash
      .update(`${path.slice(ROOT.length)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Reports whether the build exists and matches the sources. */
export function isFresh() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === fingerprint();
}
