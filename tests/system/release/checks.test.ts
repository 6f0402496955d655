/** Checks before a release: the changelog, the lock file, and the package's contents, licences and words. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changelogOutcome, type LockFile, lockFileOutcome } from '../../../scripts/release/checkout.ts';
import { contentsOutcome, licencesOutcome, type Manifest, wordsOutcome } from '../../../scripts/release/package.ts';
import { ROOT } from '../../support/program.ts';

const MANIFEST: Manifest = {
  ...{ name: 'x', version: '1.0.0', license: 'MIT', dependencies: { ky: '1.14.3' } },
  ...{ bin: { x: 'dist/x.cjs' }, man: ['dist/x.1'], files: ['dist/x.cjs', 'dist/chunks-*.js', 'docs', '!docs/*.png'] },
  exports: { '.': { types: './dist/x.d.ts', default: './dist/x.js' }, './package.json': './package.json' },
};

test.each([
  { head: '## [1.2.0] - 2026-02-28\n- A command.', passed: true },
  { head: '## [1.2.0] - Unreleased\n- A command.', passed: true },
  { head: '## [1.2.0] - 28 February\n- A command.' },
  { head: '## [1.2.0]\n- A command.' },
  { head: '## [1.1.0] - 2026-01-01\n- A command.\n## [1.2.0] - 2026-02-28\n- A command.' },
  { head: '## [1.2.0] - 2026-02-28\n\n## [1.1.0] - 2026-01-01\n- A command.' },
  { head: 'Nothing yet.' },
])('a changelog that begins with $head releases 1.2.0: $passed', ({ head, passed = false }) => {
  expect(changelogOutcome(`# Changelog\n\n${head}\n`, '1.2.0').passed ?? false).toBe(passed);
});

const KY = { version: '1.14.3', integrity: 'sha512-AAAA' };
const locked = (packages: object): LockFile => ({ packages: { '': {}, 'node_modules/ky': KY, ...packages } });
const NEWER = { ...KY, engines: { node: '>=22' } };

test.each([
  { title: 'is complete', file: locked({}), found: '1 packages' },
  { title: 'bundles a package', file: locked({ 'node_modules/a': { inBundle: true } }), found: '2 packages' },
  {
    title: 'may leave out a package of a newer Node',
    file: locked({ a: { ...NEWER, optional: true } }),
    found: '2 packages',
  },
  { title: 'needs a newer Node', file: locked({ a: NEWER }), found: 'It has a package that needs a newer Node (a).' },
  { title: 'has addresses', file: locked({ a: { ...KY, resolved: 'https://x' } }), found: 'It has addresses (a).' },
  { title: 'has no digest', file: locked({ a: { version: '1.0.0' } }), found: 'It has no digest (a).' },
  { title: 'has a link', file: locked({ a: { link: true } }), found: 'It has no digest (a).' },
])('a lock file that $title: $found', ({ file, found }) => {
  const outcome = lockFileOutcome(file, { ...MANIFEST, engines: { node: '>=20.19' } });
  expect([outcome.found, outcome.passed ?? false]).toEqual([expect.stringContaining(found), /^\d/.test(found)]);
});

test('this checkout can be released', () => {
  const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  const manifest = JSON.parse(textOf('package.json')) as Manifest;
  expect(changelogOutcome(textOf('CHANGELOG.md'), manifest.version)).toMatchObject({ passed: true });
  expect(lockFileOutcome(JSON.parse(textOf('package-lock.json')) as LockFile, manifest)).toMatchObject({
    passed: true,
  });
  // npm silently ignores a string.
  expect(manifest.man).toEqual(['./dist/aisec.1']);
});

const PATHS = [
  'LICENSE',
  'README.md',
  'dist/chunks-0a.js',
  'dist/x.1',
  'dist/x.cjs',
  'dist/x.d.ts',
  'dist/x.js',
  'docs/a.md',
];
const packed = (paths: readonly string[]) => new Map([...paths, 'package.json'].map((path) => [path, '']));

test('a package has every file that package.json names', () => {
  expect(contentsOutcome(MANIFEST, packed(PATHS))).toEqual({ passed: true, found: expect.stringMatching(/^9 files/) });
});

test.each(PATHS)('a package without %s is reported', (path) => {
  const others = PATHS.filter((each) => each !== path);
  const named = path === 'docs/a.md' ? 'docs' : path.replace('0a', '*');
  // A file of the same name in another folder does not count.
  const found = contentsOutcome(MANIFEST, packed([...others, `other/${path}`]));
  expect(found).toMatchObject({ found: `It has no ${named}.` });
});

test.each([
  ...['/home/jane/aisec', '/Users/jane/x.ts', String.raw`C:\Users\jane`, '"/root/.npmrc"', '(/builds/group/x)'],
  ...['"https://npm.example.net/ky/-/ky-1.14.3.tgz"', '//npm.example.net/:_authToken=abc', `npm_${'a1'.repeat(18)}`],
  ...['-----BEGIN EC PRIVATE KEY-----', 'see /srv/checkout/lib', 'https://packages.example.net/ky'],
])('the word %s is found with its place', (text) => {
  const files = new Map([['dist/b.js', `first line\n${text}\n`]]);
  const outcome = wordsOutcome(files, ['/srv/checkout', 'packages.example.net']);
  expect([outcome.passed, outcome.found]).toEqual([undefined, 'They are in dist/b.js:2.']);
});

test.each([
  ...['~/.config/aisec:/home/aisec/.config/aisec:ro', 'FS.mkdir("/home/web_user")', 'GET /v1/work/items'],
  ...[
    'https://example.com/root/x',
    'https://packages.example.com/aisec-0.2.0.tgz',
    './aisec-1.0.0.tgz',
    'npm_config_registry',
    '/srv/checkout-2/lib',
  ],
])('the word %s is accepted', (text) => {
  expect(wordsOutcome(new Map([['a.md', text]]), ['/srv/checkout'])).toMatchObject({ passed: true });
});

test.each([
  { licence: { license: { id: 'ISC' } }, passed: true },
  { licence: { expression: '(GPL-2.0-only OR MIT)' }, passed: true },
  { licence: { expression: 'MIT AND BSD-3-Clause' }, passed: true },
  { licence: { expression: 'MIT AND GPL-2.0-only' } },
  { licence: { license: { name: 'See the file' } } },
  { licence: undefined },
])('a bundled package with $licence is permissive: $passed', ({ licence, passed = false }) => {
  const components = [{ name: 'yaml', licenses: licence === undefined ? [] : [licence] }];
  const outcome = licencesOutcome(new Map([['dist/sbom.cdx.json', JSON.stringify({ components })]]));
  expect([outcome.passed ?? false, outcome.found.includes('yaml')]).toEqual([passed, !passed]);
});
