import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { installedLibrary } from '../../support/installed-library.ts';
import { ROOT } from '../../support/program.ts';

const run = promisify(execFile);
/** An import of a framework; `npm run test:guard-frameworks` runs such an example. */
const FRAMEWORK = /^import .* from '(?!aisec|node:)/m;
const examples = [
  ...['docs/library.md', 'docs/guard.md']
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n')
    .matchAll(/## ([^\n]+)\n(?:(?!^## )[\s\S])*?```ts\n([\s\S]*?)```/gm),
].filter(([, , code = '']) => !FRAMEWORK.test(code));

/** Expected output of each example, by heading. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  'One call': /^allow$/m,
  Errors: /^not-found /m,
  'Jobs, progress and cancellation': /AiSec\.RedTeamScan/,
  'Lines and sessions': /^### Runtime Scan/m,
  Permissions: /^true$/m,
  'Testing your program': /^[1-9]\d*$/m,
  'A chat endpoint': /^This content was blocked by a security policy\.\nWater damage\.\n$/,
  'A stream': /^(?:The policy covers water damage\. ){20}$/,
  'Calls of tools': /^block injection$/m,
};

let folder: string;
beforeAll(async () => {
  folder = await installedLibrary();
});

test('every example has its expectation', () => {
  expect(examples.map(([, heading]) => heading)).toEqual(Object.keys(PRINTED));
});

test.each(examples.map(([, heading = '', code = '']) => ({ heading, code })))(
  '$heading runs',
  async ({ heading, code }) => {
    const path = join(folder, `${heading.replace(/\W+/g, '-')}.mjs`);
    const { outputFiles } = await build({ stdin: { contents: code, loader: 'ts' }, format: 'esm', write: false });
    writeFileSync(path, outputFiles[0]?.text ?? '');
    const { stdout } = await run(process.execPath, [path], { cwd: folder, env: { PATH: process.env['PATH'] } });
    expect(stdout).toMatch(PRINTED[heading] ?? /$^/);
  },
);

test('the package can be loaded with require', async () => {
  const path = join(folder, 'app.cjs');
  writeFileSync(
    path,
    "const all = require('aisec/catalogue');\nconst { createAisec } = require('aisec');\nconsole.log(all.length === createAisec().commands.length);\n",
  );
  const { stdout } = await run(process.execPath, ['--no-warnings', path], {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
  });
  expect(stdout).toBe('true\n');
});
