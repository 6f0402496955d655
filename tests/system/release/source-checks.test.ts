/** Checks of the checkout before a release: version, changelog, tree, lock file, and what npm needs to know. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../../scripts/manifest.ts';
import { changelogOutcome } from '../../../scripts/release/changelog.ts';
import { type LockFile, lockFileOutcome } from '../../../scripts/release/lock-file.ts';
import { planOf } from '../../../scripts/release/plan.ts';
import { repositoryOutcome } from '../../../scripts/release/repository.ts';
import { tagsOf, treeOutcome } from '../../../scripts/release/tree.ts';
import { versionOutcome } from '../../../scripts/release/version.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/program.ts';

describe('versions', () => {
  test.each([
    { version: '0.2.0', tags: [], outcome: '0.2.0, the first release' },
    { version: '0.2.0', tags: ['nightly', 'v0.1', 'w9.9.9'], outcome: '0.2.0, the first release' },
    { version: '0.10.0', tags: ['v0.2.0', 'v0.9.0'], outcome: '0.10.0, after 0.9.0' },
    { version: '1.0.0', tags: ['v1.0.0-rc.1'], outcome: '1.0.0, after 1.0.0-rc.1' },
    { version: '0.2.0', tags: ['v0.2.0'], outcome: { found: '0.2.0 is not newer than v0.2.0, the last tag.' } },
    {
      version: '0.9.0',
      tags: ['v0.10.0', 'v0.2.0'],
      outcome: { found: '0.9.0 is not newer than v0.10.0, the last tag.' },
    },
    {
      version: '1.0.0-rc.1',
      tags: ['v1.0.0'],
      outcome: { found: '1.0.0-rc.1 is not newer than v1.0.0, the last tag.' },
    },
    ...['1.0', 'v1.0.0', '01.0.0', '1.0.0-', '1.0.0-01', '1.0.0+build'].map((version) => ({
      version,
      tags: [],
      outcome: { found: `${version} is no semantic version.` },
    })),
  ])('$version with the tags $tags', ({ version, tags, outcome }) => {
    expectOutcome(versionOutcome(version, tags), outcome);
  });
});

describe('the head of the changelog', () => {
  const entries = '\n\n### Added\n- A command.\n';
  const wrong = (found: string) => ({ found, remedy: expect.stringContaining('"## [1.2.0] - Unreleased"') });
  test.each([
    { head: `## [1.2.0] - 2026-02-28${entries}`, outcome: '1.2.0 of 2026-02-28' },
    {
      head: `## [1.2.0] - Unreleased${entries}`,
      outcome: '1.2.0, not released yet: the date is written on the day of the release',
    },
    { head: `## [1.2.0] - 2026-02-29${entries}`, outcome: wrong('"2026-02-29" is no date.') },
    { head: `## [1.2.0] - 28 February${entries}`, outcome: wrong('"28 February" is no date.') },
    { head: `## [1.2.0]${entries}`, outcome: wrong('"" is no date.') },
    { head: `## [Unreleased]${entries}`, outcome: wrong('The first heading is about Unreleased, not 1.2.0.') },
    {
      head: `## [1.1.0] - 2026-01-01${entries}\n## [1.2.0] - 2026-02-28${entries}`,
      outcome: wrong('The first heading is about 1.1.0, not 1.2.0.'),
    },
    {
      head: `## [1.2.0] - 2026-02-28\n\n## [1.1.0] - 2026-01-01${entries}`,
      outcome: { found: '1.2.0 has no entries.' },
    },
    { head: 'Nothing yet.\n', outcome: wrong('No version has a heading.') },
  ])('$head', ({ head, outcome }) => {
    expectOutcome(changelogOutcome(`# Changelog\n\n${head}`, '1.2.0'), outcome);
  });
});

describe('the lock file', () => {
  const manifest: Manifest = { name: 'x', version: '1.0.0', license: 'MIT', dependencies: { ky: '1.14.3' } };
  const root = { name: 'x', version: '1.0.0', license: 'MIT', dependencies: { ky: '1.14.3' } };
  const ky = { version: '1.14.3', integrity: 'sha512-AAAA' };
  const lock = (packages: LockFile['packages'], others: object = {}): LockFile => ({
    ...{ name: 'x', version: '1.0.0', ...others },
    packages: { '': root, 'node_modules/ky': ky, ...packages },
  });
  test.each([
    { title: 'is complete', file: lock({}), outcome: '1 packages, each with its digest and none with an address' },
    {
      title: 'has a package that needs a newer Node than this one',
      file: lock({
        '': { ...root, engines: { node: '>=20.19' } } as LockFile['packages'][string],
        'node_modules/a': { ...ky, engines: { node: '>=22' } },
        'node_modules/b': { ...ky, engines: { node: '^20.17.0 || >=22' } },
        'node_modules/c': { ...ky, engines: { node: '>=22' }, optional: true },
      }),
      engines: { node: '>=20.19' },
      outcome: { found: 'It has packages that need a newer Node: node_modules/a.' },
    },
    {
      title: 'has a bundled package, which has no digest of its own',
      file: lock({ 'node_modules/a/node_modules/b': { version: '1.0.0', inBundle: true } }),
      outcome: '2 packages, each with its digest and none with an address',
    },
    {
      title: 'has addresses',
      file: lock({ 'node_modules/ky': { ...ky, resolved: 'https://registry.example.com/ky/-/ky-1.14.3.tgz' } }),
      outcome: { found: 'It has addresses of node_modules/ky.' },
    },
    {
      title: 'has a package without a digest',
      file: lock({ 'node_modules/a': { version: '1.0.0' } }),
      outcome: { found: 'It has no digest of node_modules/a.' },
    },
    {
      title: 'has a link',
      file: lock({ 'node_modules/a': { link: true } }),
      outcome: { found: 'It has no digest of node_modules/a.' },
    },
    {
      title: 'has another version of a dependency',
      file: lock({ '': { ...root, dependencies: { ky: '1.14.2' } } } as LockFile['packages']),
      outcome: { found: 'It differs from package.json: dependencies.' },
    },
    {
      title: 'has members that package.json has not',
      file: lock({ '': { ...root, engines: { node: '>=20' } } } as LockFile['packages']),
      outcome: { found: 'It differs from package.json: engines.' },
    },
    {
      title: 'has frameworks that package.json has not',
      file: lock({ '': { ...root, peerDependencies: { ai: '>=5' } } } as LockFile['packages']),
      outcome: { found: 'It differs from package.json: peerDependencies.' },
    },
    {
      title: 'was left behind by a new version',
      file: lock({}, { version: '0.9.0' }),
      outcome: { found: 'It differs from package.json: name and version.' },
    },
  ])('$title', ({ file, outcome, engines }) => {
    expectOutcome(lockFileOutcome(file, engines === undefined ? manifest : { ...manifest, engines }), outcome);
  });
});

describe('package.json for npm', () => {
  const base: Manifest = { name: 'x', version: '1.0.0' };
  const strange = (url: string) => ({
    found: `${url} is no https address of a repository on github.com or gitlab.com.`,
  });
  test.each([
    ['git+https://github.com/owner/name.git', 'git+https://github.com/owner/name.git'],
    ['https://gitlab.com/group/name', 'https://gitlab.com/group/name'],
    ['https://github.com/owner', strange('https://github.com/owner')],
    ['git@github.com:owner/name.git', strange('git@github.com:owner/name.git')],
    ['https://git.example.com/owner/name', strange('https://git.example.com/owner/name')],
    ['', { found: 'package.json has no "repository".' }],
  ])('with the repository "%s"', (url, outcome) => {
    for (const repository of [url, { type: 'git', url }]) {
      expectOutcome(repositoryOutcome({ ...base, repository }), outcome);
    }
    expectOutcome(repositoryOutcome(base), { found: 'package.json has no "repository".' });
  });
});

describe('the repository', () => {
  const SETTINGS = ['user.name=a', 'user.email=a@example.com', 'commit.gpgSign=false', 'tag.gpgSign=false'];

  /** Makes a repository with one commit. */
  function repository(): { readonly root: string; readonly git: (...words: readonly string[]) => string } {
    const root = temporaryFolder('repository');
    const git = (...words: readonly string[]) =>
      execFileSync('git', [...SETTINGS.flatMap((setting) => ['-c', setting]), ...words], { cwd: root }).toString();
    git('init', '--quiet');
    writeFileSync(join(root, '.gitignore'), 'dist/\n');
    writeFileSync(join(root, 'a.txt'), 'a');
    git('add', '.');
    git('commit', '--quiet', '--message', 'Begin');
    return { root, git };
  }

  test.each([
    { title: 'without changes', change: () => undefined, outcome: expect.stringMatching(/^clean at [0-9a-f]{7,}$/) },
    {
      title: 'with ignored files',
      change: (root: string) => {
        mkdirSync(join(root, 'dist'));
        writeFileSync(join(root, 'dist', 'b.txt'), 'b');
      },
      outcome: expect.stringMatching(/^clean at /),
    },
    {
      title: 'with a change',
      change: (root: string) => writeFileSync(join(root, 'a.txt'), 'b'),
      outcome: { found: 'Not committed: a.txt.' },
    },
    {
      title: 'with a new file',
      change: (root: string) => writeFileSync(join(root, 'b.txt'), 'b'),
      outcome: { found: 'Not committed: b.txt.' },
    },
  ])('$title', ({ change, outcome }) => {
    const { root } = repository();
    change(root);
    expectOutcome(treeOutcome(root), outcome);
  });

  test('with a staged change', () => {
    const { root, git } = repository();
    git('rm', '--quiet', 'a.txt');
    expectOutcome(treeOutcome(root), { found: 'Not committed: a.txt.' });
  });

  test('with tags', () => {
    const { root, git } = repository();
    expect(tagsOf(root)).toEqual([]);
    git('tag', 'v0.1.0');
    git('tag', '--annotate', '--message', 'x', 'v0.2.0');
    expect(tagsOf(root)).toEqual(['v0.1.0', 'v0.2.0']);
  });

  test('a folder without a repository is an error', () => {
    const folder = temporaryFolder('repository');
    expect(() => treeOutcome(folder)).toThrow(/^git status failed: /);
  });
});

describe('the steps of a release', () => {
  const head = { version: '1.2.0', hasEntries: true };
  test.each([
    {
      title: 'begin with the check when the changelog has a date',
      head: { ...head, date: '2026-01-01' },
      first: 'npm run release -- --check',
    },
    {
      title: 'begin with the date when it has none',
      head,
      first: expect.stringMatching(/^write the date in CHANGELOG.md/),
    },
    {
      title: 'begin with the date when the head is about another version',
      head: { ...head, version: '1.1.0', date: '2026-01-01' },
      first: expect.stringMatching(/^write the date in CHANGELOG.md: "## \[1\.2\.0\]/),
    },
  ])('$title', ({ head: given, first }) => {
    expect(planOf('1.2.0', given)[0]).toEqual(first);
  });

  test('tag the version and publish the package that was checked', () => {
    const steps = planOf('1.2.0', { ...head, date: '2026-01-01' });
    expect(steps.slice(1, 4)).toEqual([
      'git tag --annotate v1.2.0 --message "aisec 1.2.0"',
      'git push origin v1.2.0',
      'npm publish dist/release/aisec-1.2.0.tgz --provenance --access public',
    ]);
  });

  test('publish a pre-release under a tag of its own', () => {
    expect(planOf('1.2.0-beta.1', undefined).join('\n')).toContain('--access public --tag next');
  });
});

test('this checkout has one version everywhere, and can be published except for its repository', () => {
  const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  const manifest = JSON.parse(textOf('package.json')) as Manifest;
  const outcomes = [
    versionOutcome(manifest.version, []),
    changelogOutcome(textOf('CHANGELOG.md'), manifest.version),
    lockFileOutcome(JSON.parse(textOf('package-lock.json')) as LockFile, manifest),
  ];
  expect(outcomes).toEqual(outcomes.map(() => expect.any(String)));
});

test('package.json names the manual page as a list with a section, as npm requires', () => {
  const { man } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  // A text is passed over without a message.
  expect(man).toEqual(['./dist/aisec.1']);
});

/** Compares an outcome with its text, or with the expected parts of a problem, which always has a remedy. */
function expectOutcome(outcome: unknown, wanted: unknown): void {
  if (typeof wanted === 'object' && wanted !== null && 'found' in wanted) {
    expect(outcome).toEqual({ remedy: expect.stringMatching(/\S.*\.$/), ...wanted });
  } else expect(outcome).toEqual(wanted);
}
