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
const page = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const examples = [
  ...page('docs/library.md').matchAll(/## ([^\n]+)\n(?:(?!^## )[\s\S])*?```ts\n([\s\S]*?)```/gm),
].filter(([, , code = '']) => !FRAMEWORK.test(code));
const guards = Array.from(
  page('docs/guard.md').matchAll(
    /## ([^\n]+)\n```ts\n([\s\S]*?)```\n[^\n]+\n```text\n([\s\S]*?)```\n```text\n([\s\S]*?)```/g,
  ),
  ([, heading = '', code = '', printed = '', without = '']) => ({ heading, code, printed, without }),
);
const CLIENT = 'const aisec = createAisec({ simulate: true });';
const AWAY =
  "const aisec = { call: async () => { throw Object.assign(new Error('away'), { code: 'network' }); }, close() {} };";

/** Expected output of each example, by heading. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  'One call': /^allow$/m,
  Errors: /^not-found /m,
  'Jobs, progress and cancellation': /AiSec\.RedTeamScan/,
  'Lines and sessions': /^### Runtime Scan/m,
  Permissions: /^true$/m,
  'Testing your program': /^[1-9]\d*$/m,
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
    expect(await printedBy(heading, code)).toMatch(PRINTED[heading] ?? /$^/);
  },
);

test('the guard has its examples', () => {
  expect(guards.map(({ heading }) => heading)).toEqual(['A chat endpoint', 'A stream', 'Tool calls']);
});

test.each(guards)('$heading prints what the page shows', async ({ heading, code, printed }) => {
  expect((await printedBy(heading, code)).trimEnd()).toBe(printed.trimEnd());
});

test.each(guards)('$heading prints what the page shows without a verdict', async ({ heading, code, without }) => {
  expect(code).toContain(CLIENT);
  expect((await printedBy(`${heading} away`, code.replace(CLIENT, AWAY))).trimEnd()).toBe(without.trimEnd());
});

async function printedBy(heading: string, code: string): Promise<string> {
  const path = join(folder, `${heading.replace(/\W+/g, '-')}.mjs`);
  const { outputFiles } = await build({ stdin: { contents: code, loader: 'ts' }, format: 'esm', write: false });
  writeFileSync(path, outputFiles[0]?.text ?? '');
  const { stdout } = await run(process.execPath, [path], { cwd: folder, env: { PATH: process.env['PATH'] } });
  return stdout;
}

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
