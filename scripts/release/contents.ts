/** Checks the contents of the package: all that package.json names, and no trace of the machine that built it. */
import { listed, type Problem } from '../checks.ts';
import type { Manifest } from '../manifest.ts';

/** Texts of the package by path. */
export type PackageFiles = ReadonlyMap<string, string>;

interface Pattern {
  readonly title: string;
  readonly pattern: RegExp;
}

/** Home folders of other systems: emscripten's, inside jq, and that of the container image. */
const KNOWN_HOMES = '(?!web_user\\b|aisec\\b)';
const FORBIDDEN: readonly Pattern[] = [
  { title: 'a home folder', pattern: new RegExp(`/(?:home|Users)/${KNOWN_HOMES}[\\w.-]+|\\\\Users\\\\\\w+`) },
  {
    title: 'a folder of a build machine',
    pattern: /(?<![\w.:~*}-])\/(?:root|work|workspace|builds|private\/var)\/[\w.]/,
  },
  { title: 'an address of a packed package', pattern: /https?:\/\/[^\s"'`]+\.tgz/ },
  { title: 'a credential of npm', pattern: /_authToken|\bnpm_[A-Za-z0-9]{36}\b/ },
  { title: 'a private key', pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/ },
];

/** Checks that the package has everything that package.json names. npm silently leaves out missing files. */
export function contentsOutcome(manifest: Manifest, files: PackageFiles): string | Problem {
  const missing = promised(manifest).filter((path) => !isThere(path, [...files.keys()]));
  if (missing.length === 0) return `${files.size} files, with all that package.json names`;
  return { found: `It has no ${listed(missing)}.`, remedy: 'Build it, or correct package.json.' };
}

/**
 * Checks that no file reveals the machine, a registry or a secret.
 * @param own further forbidden words: folders and hosts of this machine
 */
export function wordsOutcome(files: PackageFiles, own: readonly string[]): string | Problem {
  const patterns = [...FORBIDDEN, ...own.map((word) => ({ title: 'a name of this machine', pattern: literal(word) }))];
  const found = Array.from(files).flatMap(([path, text]) =>
    patterns.flatMap(({ title, pattern }) => {
      const place = pattern.exec(text)?.index;
      return place === undefined ? [] : [`${title} (${path}:${lineAt(text, place)})`];
    }),
  );
  if (found.length === 0) return `none of ${patterns.length} patterns in ${files.size} files`;
  return { found: `It has ${listed(found)}.`, remedy: 'Remove it from the sources, or from "files".' };
}

function promised({ bin = {}, man = [], exports = {}, files = [] }: Manifest): string[] {
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  // A leading ! leaves files out.
  const paths = [...Object.values(bin), ...man, ...targets, ...files.filter((path) => !path.startsWith('!'))];
  return [...new Set(['LICENSE', 'README.md', ...paths].map((path) => path.replace(/^\.\//, '')))];
}

/** Reports whether a file, a folder or a pattern with `*` is among paths. */
function isThere(wanted: string, paths: readonly string[]): boolean {
  const parts = wanted.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('[^/]*')}(?:/|$)`);
  return paths.some((path) => pattern.test(path));
}

/** Matches a word that does not continue: a folder, not the beginning of the name of another one. */
function literal(word: string): RegExp {
  return new RegExp(`${word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`);
}

function lineAt(text: string, place: number): number {
  return text.slice(0, place).split('\n').length;
}
