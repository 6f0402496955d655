/** The package's declarations reject the same code as the sources. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/program.ts';
import { sharedPackage } from './package.ts';

const run = promisify(execFile);
const LONG_MS = 400_000;
const COMPILER = join(ROOT, 'node_modules', 'typescript7', 'bin', 'tsc');
const USES = readFileSync(join(ROOT, 'tests', 'unit', 'guard', 'uses.ts'), 'utf8')
  .replace("'../../../bin/guard.ts'", "'aisec/guard'")
  .replace("'../../../bin/guard-ai-sdk.ts'", "'aisec/guard/ai-sdk'");
const EXPECTED = /^ *\/\/ @ts-expect-error.*\n/gm;

/** Compiles a text next to the installed package. @returns lines of errors */
async function compiled(text: string): Promise<readonly string[]> {
  const folder = temporaryFolder('guard-types');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync((await sharedPackage()).installed, join(folder, 'node_modules', 'aisec'));
  // The framework's declarations need those of Node.
  for (const name of ['ai', '@types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'uses.ts'), text);
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--lib', 'ES2023,DOM', '--types', 'node'];
  const compiling = run(process.execPath, [COMPILER, ...options, 'uses.ts'], { cwd: folder });
  const { stdout } = await compiling.catch((failed: unknown) => failed as { readonly stdout: string });
  // Errors in the framework's own declarations are not ours to fix.
  return stdout.split('\n').filter((line) => line.includes('error TS') && !line.includes('/@ai-sdk/'));
}

test(
  '[guard-types] the declarations of the guard reject each wrong use, and accept each valid use',
  async () => {
    expect(await compiled(USES)).toEqual([]);
  },
  LONG_MS,
);

test(
  'each wrong use is a separate error',
  async () => {
    const errors = await compiled(USES.replace(EXPECTED, ''));
    expect(new Set(errors.map((line) => /^uses\.ts\((\d+)/.exec(line)?.[1])).size).toBe(USES.match(EXPECTED)?.length);
  },
  LONG_MS,
);
