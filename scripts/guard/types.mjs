/** Compiles programs beside the packed program and a framework, as a user of both does. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installed, packed } from '../foreign.mjs';
import { ROOT } from '../root.mjs';
import { scratchFolder } from '../scratch-folder.mjs';

const COMPILER = join(ROOT, 'node_modules', 'typescript7', 'bin', 'tsc');
const OPTIONS = ['--strict', '--noEmit', '--target', 'ES2023', '--module', 'nodenext', '--types', 'node'];
const OURS = /^(?:uses\.mts|node_modules\/aisec\/.*)\(\d+,\d+\): error TS/;
const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** The package of Node's types, which programs need. */
export const NODE_TYPES = `@types/node@${devDependencies['@types/node']}`;
const EXPECTED = /@ts-expect-error/;

/** Installs the packed program and packages. @param packages names with their exact versions @returns the folder */
export async function installedBeside(packages) {
  // The runner packs the program once for all files.
  const program = process.env.AISEC_PACKAGE ?? (await packed(scratchFolder('guard-package')));
  return installed('guard-framework', [program, ...packages]);
}

/**
 * Compiles a text under `strict` beside the program and packages. A type that is not found is `any` and takes everything, so
 * the text has wrong uses as well, each below a line with `@ts-expect-error`.
 * @param packages names with their exact versions @param source text of a module in TypeScript @returns lines of errors
 */
export async function compiles(packages, source) {
  return compilesIn(await installedBeside([...packages, NODE_TYPES]), source);
}

/**
 * Compiles a text as `compiles` does, in a folder of `installedBeside` that has `@types/node`.
 * @returns lines of errors in the text and in the declarations of the program; frameworks have errors in their own
 */
export async function compilesIn(folder, source) {
  if (!EXPECTED.test(source)) throw new Error('The text has no wrong use.');
  writeFileSync(join(folder, 'uses.mts'), source);
  const compiling = promisify(execFile)(process.execPath, [COMPILER, ...OPTIONS, 'uses.mts'], { cwd: folder });
  const { stdout } = await compiling.catch((failed) => failed);
  return stdout.split('\n').filter((line) => OURS.test(line));
}
