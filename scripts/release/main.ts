/** `npm run release`: checks a release, or prints its steps. It publishes nothing. */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { npm, outputOf } from '../processes.ts';
import { scratchFolder } from '../scratch-folder.mjs';
import { changelogOutcome, type LockFile, lockFileOutcome } from './checkout.ts';
import {
  contentsOutcome,
  licencesOutcome,
  type Manifest,
  type Outcome,
  type PackageFiles,
  wordsOutcome,
} from './package.ts';

/** Two clones that differ in ways that might affect a build. */
const PLACES = [
  { folder: 'one', zone: 'UTC' },
  { folder: 'another/and/deeper', zone: 'Pacific/Kiritimati' },
];

/** Checks a release, or prints its steps. @returns the exit code */
export function main(root: string, isCheck: boolean): number {
  const manifest = JSON.parse(textOf(root, 'package.json')) as Manifest;
  if (!isCheck) {
    console.log(`To release ${manifest.name} ${manifest.version} (none of these steps was run):`);
    for (const [index, step] of stepsOf(manifest.version).entries()) console.log(`${index + 1}. ${step}`);
    return 0;
  }
  const outcomes = Object.entries(checksOf(root, manifest)).map(([title, check]) => {
    const { found, remedy = '', passed = false } = outcomeOf(check);
    console.log(`${passed ? '✓' : '✗'} ${title}: ${`${found} ${remedy}`.trim().replace(/\s*\n\s*/g, ' ')}`);
    return passed;
  });
  return outcomes.every(Boolean) ? 0 : 1;
}

/** npm itself refuses a version that exists, and provenance without a public repository. */
function stepsOf(version: string): string[] {
  return [
    `write the date in CHANGELOG.md: "## [${version}] - YYYY-MM-DD", and commit it`,
    'npm run release -- --check',
    `git tag --annotate v${version} --message "aisec ${version}"`,
    `git push origin v${version}`,
    // Without its own tag, npm would install a pre-release by default.
    `npm publish ${packagePath(version)} --provenance --access public${version.includes('-') ? ' --tag next' : ''}`,
    'npm version --no-git-tag-version minor, and a new head of CHANGELOG.md: "## [VERSION] - Unreleased"',
  ];
}

function outcomeOf(check: () => Outcome): Outcome {
  try {
    return check();
  } catch (error) {
    return { found: error instanceof Error ? error.message : String(error) };
  }
}

/** Lists the checks of the checkout, then the checks of the package, which is built from the last commit. */
function checksOf(root: string, manifest: Manifest): Readonly<Record<string, () => Outcome>> {
  const folder = scratchFolder('release');
  let files: PackageFiles = new Map();
  return {
    Changelog: () => changelogOutcome(textOf(root, 'CHANGELOG.md'), manifest.version),
    'Working tree': () => treeOutcome(root),
    'Lock file': () => lockFileOutcome(JSON.parse(textOf(root, 'package-lock.json')) as LockFile, manifest),
    'Generated files': () => {
      outputOf(process.execPath, [join(root, 'scripts', 'generate.mjs'), '--check']);
      return { passed: true, found: 'as the declarations say' };
    },
    'Reproducible package': () => {
      const built = PLACES.map((place) => freshPackage(root, join(folder, place.folder), place.zone));
      const [digest = '', other = ''] = built.map((each) => digestOf(each.archive));
      files = built[0]?.files ?? files;
      if (digest !== other) return { found: `Two clones gave ${digest} and ${other}.`, remedy: 'Unpack and compare.' };
      const kept = join(root, packagePath(manifest.version));
      mkdirSync(dirname(kept), { recursive: true });
      copyFileSync(built[0]?.archive ?? '', kept);
      return { passed: true, found: `${digest} (${packagePath(manifest.version)})` };
    },
    Contents: () => contentsOutcome(manifest, files),
    Licences: () => licencesOutcome(files),
    'Forbidden words': () => wordsOutcome(files, machineNames(root, folder)),
  };
}

/** Checks that nothing is changed or new. */
function treeOutcome(root: string): Outcome {
  const changes = outputOf('git', ['status', '--porcelain'], { cwd: root }).trim();
  if (changes !== '') return { found: `Not committed: ${changes}.`, remedy: 'Commit it, or remove it.' };
  return { passed: true, found: `clean at ${outputOf('git', ['rev-parse', '--short', 'HEAD'], { cwd: root }).trim()}` };
}

/** Folder below the project where `--check` leaves the checked package. */
function packagePath(version: string): string {
  return `dist/release/aisec-${version}.tgz`;
}

/**
 * Clones the last commit, installs its packages and packs it, as any user could.
 * @param folder a folder that does not exist
 * @param zone the time zone of the build
 */
function freshPackage(root: string, folder: string, zone: string): { archive: string; files: PackageFiles } {
  const clone = join(folder, 'clone');
  // `npm run` describes its own package to the programs that it starts.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_(?:package|lifecycle)_/.test(name));
  const options = { cwd: clone, env: { ...Object.fromEntries(own), TZ: zone } };
  mkdirSync(folder, { recursive: true });
  outputOf('git', ['clone', '--quiet', '--no-hardlinks', root, clone]);
  npm(['ci', '--prefer-offline', '--no-audit', '--no-fund'], options);
  const archive = join(folder, npm(['pack', '--silent', '--pack-destination', folder], options).trim());
  outputOf('tar', ['-xzf', archive, '-C', folder]);
  const unpacked = join(folder, 'package');
  const paths = readdirSync(unpacked, { recursive: true, encoding: 'utf8' }).sort();
  const files = paths.filter((path) => statSync(join(unpacked, path)).isFile());
  return { archive, files: new Map(files.map((path) => [path, readFileSync(join(unpacked, path), 'utf8')])) };
}

/** Lists folders and hosts of this machine that a package must not mention. The home folder may be the root folder. */
function machineNames(root: string, folder: string): string[] {
  const registry = new URL(npm(['config', 'get', 'registry'], { cwd: root }).trim()).host;
  return [root, folder, homedir(), registry].filter((name) => name.length > 1);
}

/** Returns the digest in the form that npm and the registry show. */
function digestOf(path: string): string {
  return `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`;
}

function textOf(root: string, name: string): string {
  return readFileSync(join(root, name), 'utf8');
}
