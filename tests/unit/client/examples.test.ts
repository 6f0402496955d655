import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { installedLibrary } from '../../support/installed-library.ts';
import { ROOT } from '../../support/program.ts';

const run = promisify(execFile);
/** An import from a framework; `npm run test:guard-frameworks` runs such an example. */
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

/** The programs by name. One process runs all of them, because loading the library is most of the time. */
const PROGRAMS: Readonly<Record<string, string>> = Object.fromEntries([
  ...examples.map(([, heading, code]) => [heading, code]),
  ...guards.map(({ heading, code }) => [`guard: ${heading}`, code]),
  ...guards.map(({ heading, code }) => [`away: ${heading}`, code.replace(CLIENT, AWAY)]),
]);
const MARK = '\u0001';

let folder: string;
let printed: Readonly<Record<string, string>>;
beforeAll(async () => {
  folder = await installedLibrary();
  const names = Object.keys(PROGRAMS);
  const written = names.map(async (name, at) => {
    const stdin = { contents: PROGRAMS[name] ?? '', loader: 'ts' as const };
    const { outputFiles } = await build({ stdin, format: 'esm', write: false });
    writeFileSync(join(folder, `${at}.mjs`), outputFiles[0]?.text ?? '');
    return `process.stdout.write('${MARK}'); await import('./${at}.mjs');\n`;
  });
  writeFileSync(join(folder, 'all.mjs'), (await Promise.all(written)).join(''));
  const texts = (await printedBy('all.mjs')).split(MARK).slice(1);
  printed = Object.fromEntries(names.map((name, at) => [name, texts[at]?.trimEnd() ?? '']));
});

test('every example has its expectation', () => {
  expect(examples.map(([, heading]) => heading)).toEqual(Object.keys(PRINTED));
  expect(guards.map(({ heading }) => heading)).toEqual(['A chat endpoint', 'A stream', 'Tool calls']);
});

test.each(Object.entries(PRINTED))('%s runs', (heading, expected) => {
  expect(printed[heading]).toMatch(expected);
});

test.each(guards)('$heading prints what the page shows, also without a verdict', ({ heading, code, ...shown }) => {
  expect(code).toContain(CLIENT);
  expect(printed[`guard: ${heading}`]).toBe(shown.printed.trimEnd());
  expect(printed[`away: ${heading}`]).toBe(shown.without.trimEnd());
});

async function printedBy(name: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--no-warnings', join(folder, name)], {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
  });
  return stdout;
}

test('the package can be loaded with require', async () => {
  writeFileSync(
    join(folder, 'app.cjs'),
    "const all = require('aisec/catalogue');\nconst { createAisec } = require('aisec');\nconsole.log(all.length === createAisec().commands.length);\n",
  );
  expect(await printedBy('app.cjs')).toBe('true\n');
});
