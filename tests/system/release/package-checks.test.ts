/** Checks of the package before a release: its contents, its wording, and its bundled packages. */

import type { Manifest } from '../../../scripts/manifest.ts';
import { contentsOutcome, wordsOutcome } from '../../../scripts/release/contents.ts';
import { licencesOutcome } from '../../../scripts/release/licences.ts';

const MANIFEST: Manifest = {
  name: 'x',
  version: '1.0.0',
  license: 'MIT',
  bin: { x: 'dist/x.cjs' },
  man: ['dist/x.1'],
  files: ['dist/x.cjs', 'dist/chunks-*.js', 'docs'],
  exports: { '.': { types: './dist/x.d.ts', default: './dist/x.js' }, './package.json': './package.json' },
  dependencies: { ky: '1.14.3' },
};
const PATHS = [
  ...['LICENSE', 'README.md', 'dist/chunks-0a.js', 'dist/x.1', 'dist/x.cjs', 'dist/x.d.ts', 'dist/x.js', 'docs/a.md'],
  'package.json',
];
const emptyFiles = (paths: readonly string[]) => new Map(paths.map((path) => [path, '']));

describe('the contents', () => {
  test('have every file that package.json names', () => {
    expect(contentsOutcome(MANIFEST, emptyFiles(PATHS))).toBe('9 files, with all that package.json names');
  });

  test.each([
    ['LICENSE', 'LICENSE'],
    ['README.md', 'README.md'],
    ['dist/x.cjs', 'dist/x.cjs'],
    ['dist/x.1', 'dist/x.1'],
    ['dist/x.d.ts', 'dist/x.d.ts'],
    ['dist/chunks-0a.js', 'dist/chunks-*.js'],
    ['docs/a.md', 'docs'],
  ])('without %s are reported', (path, named) => {
    const outcome = contentsOutcome(MANIFEST, emptyFiles(PATHS.filter((each) => each !== path)));
    expect(outcome).toMatchObject({ found: `It has no ${named}.` });
  });

  test('need no file that package.json excludes', () => {
    const manifest = { ...MANIFEST, files: [...(MANIFEST.files ?? []), '!docs/*.png'] };
    expect(contentsOutcome(manifest, emptyFiles(PATHS))).toBe('9 files, with all that package.json names');
  });

  test('do not accept a file of the same name in a subfolder', () => {
    const files = emptyFiles([
      ...PATHS.filter((path) => path !== 'dist/chunks-0a.js'),
      'dist/chunks-a/b.js',
      'docs.md',
    ]);
    expect(contentsOutcome(MANIFEST, files)).toMatchObject({ found: 'It has no dist/chunks-*.js.' });
  });
});

describe('words', () => {
  const OWN = ['/srv/checkout', 'packages.example.net'];
  test.each([
    ['const path = "/home/jane/aisec";', 'a home folder'],
    ['// /Users/jane/x.ts', 'a home folder'],
    [String.raw`C:\Users\jane`, 'a home folder'],
    ['"/root/.npmrc"', 'a folder of a build machine'],
    ['from /work/x', 'a folder of a build machine'],
    ['(/builds/group/x)', 'a folder of a build machine'],
    ['"https://npm.example.net/ky/-/ky-1.14.3.tgz"', 'an address of a packed package'],
    ['//npm.example.net/:_authToken=abc', 'a credential of npm'],
    [`npm_${'a1'.repeat(18)}`, 'a credential of npm'],
    ['-----BEGIN EC PRIVATE KEY-----', 'a private key'],
    ['see /srv/checkout/lib', 'a name of this machine'],
    ['https://packages.example.net/ky', 'a name of this machine'],
  ])('%s is %s', (text, title) => {
    const files = new Map([
      ['a.js', ''],
      ['dist/b.js', `first line\n${text}\n`],
    ]);
    expect(wordsOutcome(files, OWN)).toMatchObject({ found: `It has ${title} (dist/b.js:2).` });
  });

  test.each([
    '--volume ~/.config/aisec:/home/aisec/.config/aisec:ro',
    'FS.mkdir("/home/web_user")',
    'GET /v1/work/items and https://example.com/root/x',
    'https://registry.example.com/charts/channel-client',
    './aisec-1.0.0.tgz',
    'npm_config_registry',
    '/srv/checkout-2/lib',
  ])('%s is accepted', (text) => {
    expect(wordsOutcome(new Map([['a.md', text]]), OWN)).toBe('none of 7 patterns in 1 files');
  });
});

const part = (name: string, version: string, id = 'MIT') => ({
  ...{ name, version, hashes: [{ alg: 'SHA-512', content: 'ab' }] },
  licenses: [{ license: { id } }],
});
const PARTS = [part('@pinojs/redact', '0.4.0'), part('ky', '1.14.3'), part('yaml', '2.9.1', 'ISC')];

/** The files of a package, with the given parts in its bill of materials. */
function bundle(components: readonly object[] = PARTS) {
  return new Map([['dist/sbom.cdx.json', JSON.stringify({ components })]]);
}

describe('licences', () => {
  const withLicence = (licence: object) => [...PARTS.slice(0, 2), { ...part('yaml', '2.9.1'), licenses: [licence] }];
  const passed = (ids: string) => `MIT; of the bundled packages ${ids}`;
  test.each([
    { title: 'that are permissive', files: bundle(), outcome: passed('ISC, MIT') },
    {
      title: 'of which one can be chosen',
      files: bundle(withLicence({ expression: '(GPL-2.0-only OR MIT)' })),
      outcome: passed('(GPL-2.0-only OR MIT), MIT'),
    },
    {
      title: 'that hold together',
      files: bundle(withLicence({ expression: 'MIT AND BSD-3-Clause' })),
      outcome: passed('MIT, MIT AND BSD-3-Clause'),
    },
    {
      title: 'of which one that holds too is unknown',
      files: bundle(withLicence({ expression: 'MIT AND GPL-2.0-only' })),
      outcome: { found: 'Not a known permissive licence: yaml (MIT AND GPL-2.0-only).' },
    },
    {
      title: 'that are unknown',
      files: bundle(withLicence({ license: { name: 'See the file' } })),
      outcome: { found: 'Not a known permissive licence: yaml (See the file).' },
    },
    {
      title: 'of which there are none',
      files: bundle([{ ...part('yaml', '2.9.1'), licenses: [] }]),
      outcome: { found: 'Not a known permissive licence: yaml (none).' },
    },
  ])('$title', ({ files, outcome }) => {
    const found = licencesOutcome(files, MANIFEST);
    if (typeof outcome === 'string') expect(found).toBe(outcome);
    else expect(found).toMatchObject(outcome);
  });
});
