/** Finds changed and obsolete files among those that a script writes. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** File contents by path, relative to the project's root. */
export type Files = ReadonlyMap<string, string>;

/** Lists files that differ from the generated contents: changed, missing, or obsolete in a folder of generated files. */
export function drifted(root: string, wanted: Files, folder: string): string[] {
  const changed = [...wanted].filter(([path, text]) => textOf(join(root, path)) !== text).map(([path]) => path);
  return [...changed, ...obsolete(root, wanted, folder)];
}

/** Writes files that differ, and removes obsolete ones. @returns the changed paths */
export function write(root: string, wanted: Files, folder: string): string[] {
  const paths = drifted(root, wanted, folder);
  for (const path of paths) {
    const text = wanted.get(path);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (text === undefined) rmSync(join(root, path));
    else writeFileSync(join(root, path), text);
  }
  return paths;
}

/**
 * Writes the files, or with `--check` reports changed files.
 * @param command the command that writes them
 * @returns the exit code
 */
export function writeOrCheck(root: string, wanted: Files, folder: string, { args, command }: Run): number {
  if (!args.includes('--check')) {
    const paths = write(root, wanted, folder);
    console.log(paths.length === 0 ? 'Nothing to write.' : paths.map((path) => `wrote ${path}`).join('\n'));
    return 0;
  }
  const paths = drifted(root, wanted, folder);
  if (paths.length > 0) console.error(`Run ${command}; these have drifted:\n${paths.join('\n')}`);
  return paths.length > 0 ? 1 : 0;
}

interface Run {
  readonly args: readonly string[];
  readonly command: string;
}

function obsolete(root: string, wanted: Files, folder: string): string[] {
  const found = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [];
  return found.map((file) => `${folder}/${file}`).filter((path) => !wanted.has(path));
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
