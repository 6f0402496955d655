/** Tells whether the build in `dist/` still belongs to the sources. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './root.mjs';

const SOURCES = ['bin', 'catalogue', 'commands', 'context', 'lib', 'fixtures/service', 'scripts'];
/** Measurements, which change nothing in the build. */
const ASIDE = /^scripts\/(?:bench|soak|mutation)/;
const FILES = ['package.json', 'package-lock.json'];

export const STAMP = join(ROOT, 'dist', 'fingerprint.txt');

/**
 * A hash over every source file's path and content. Times would not do: a checkout changes them, or does not.
 */
export function fingerprint() {
  const hash = createHash('sha256');
  const inFolders = SOURCES.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !ASIDE.test(relative(ROOT, path))),
  );
  for (const path of [...inFolders.sort(), ...FILES.map((file) => join(ROOT, file))]) {
    hash
      .update(`${path.slice(ROOT.length)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Is there a build, and was it made of what is there now? */
export function isFresh() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === fingerprint();
}
