/** `npm run release`: checks a release, or prints how it is made. It publishes nothing. */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Check, type Problem, runChecks } from '../checks.ts';
import type { Manifest } from '../manifest.ts';
import { npm, npmResult, outputOf } from '../processes.ts';
import { scratchFolder } from '../scratch-folder.mjs';
import { changelogHead, changelogOutcome } from './changelog.ts';
import { contentsOutcome, wordsOutcome } from './contents.ts';
import { type FreshPackage, freshPackage, PLACES } from './fresh-package.ts';
import { licencesOutcome } from './licences.ts';
import { type LockFile, lockFileOutcome } from './lock-file.ts';
import { packagePath, planOf } from './plan.ts';
import { repositoryOutcome } from './repository.ts';
import { tagsOf, treeOutcome } from './tree.ts';
import { versionOutcome } from './version.ts';

/** Checks a release, or prints its steps. @returns the exit code */
export async function main(root: string, isCheck: boolean): Promise<number> {
  const manifest = JSON.parse(textOf(root, 'package.json')) as Manifest;
  if (!isCheck) {
    const steps = planOf(manifest.version, changelogHead(textOf(root, 'CHANGELOG.md')));
    console.log(`To release ${manifest.name} ${manifest.version} (none of these steps was run):`);
    for (const [index, step] of steps.entries()) console.log(`${index + 1}. ${step}`);
    return 0;
  }
  const checks = [...sourceChecks(root, manifest), ...packageChecks(root, manifest, scratchFolder('release'))];
  return (await runChecks(checks, (line) => console.log(line))) ? 0 : 1;
}

/** Lists the checks of the checkout. */
function sourceChecks(root: string, manifest: Manifest): Check[] {
  const { version } = manifest;
  return [
    { title: 'Version', run: () => versionOutcome(version, tagsOf(root)) },
    { title: 'Changelog', run: () => changelogOutcome(textOf(root, 'CHANGELOG.md'), version) },
    { title: 'Working tree', run: () => treeOutcome(root) },
    { title: 'Lock file', run: () => lockFileOutcome(lockFileOf(root), manifest) },
    { title: 'Generated files', run: () => generatedOutcome(root) },
    { title: 'Repository', run: () => repositoryOutcome(manifest) },
  ];
}

/** Lists the checks of the package, which is built from the last commit. */
function packageChecks(root: string, manifest: Manifest, folder: string): Check[] {
  const built: FreshPackage[] = [];
  const files = () => {
    if (built[0] === undefined) throw new Error('There is no package to check.');
    return built[0].files;
  };
  const own = () => machineNames(root, folder);
  return [
    { title: 'Reproducible package', run: () => reproducibleOutcome(root, manifest, folder, built) },
    { title: 'Contents', run: () => contentsOutcome(manifest, files()) },
    { title: 'Licences', run: () => licencesOutcome(files(), manifest) },
    { title: 'Forbidden words', run: () => wordsOutcome(files(), own()) },
    { title: 'npm publish --dry-run', run: () => dryRunOutcome(built[0]) },
  ];
}

function generatedOutcome(root: string): string {
  outputOf(process.execPath, [join(root, 'scripts', 'generate.mjs'), '--check'], {
    title: 'npm run generate -- --check',
  });
  return 'as the declarations say';
}

/**
 * Packs two fresh clones, and keeps the package if both have the same bytes.
 * @param built takes both packages
 */
function reproducibleOutcome(
  root: string,
  { version }: Manifest,
  folder: string,
  built: FreshPackage[],
): string | Problem {
  for (const place of PLACES) built.push(freshPackage(root, join(folder, place.folder), place.zone));
  const [digest = '', other] = built.map(({ archive }) => digestOf(archive));
  if (digest !== other) {
    const remedy = 'Unpack both packages and compare them; look for times, paths and the order of folders.';
    return { found: `Two clones gave ${digest} and ${other ?? 'nothing'}.`, remedy };
  }
  const kept = join(root, packagePath(version));
  mkdirSync(dirname(kept), { recursive: true });
  copyFileSync(built[0]?.archive ?? '', kept);
  return `${digest} (${packagePath(version)})`;
}

/** Lets npm look at the package; offline, so that it asks no registry. */
function dryRunOutcome(built: FreshPackage | undefined): string | Problem {
  if (built === undefined) throw new Error('There is no package to check.');
  const words = ['publish', built.archive, '--dry-run', '--offline', '--provenance'];
  const { status, stderr } = npmResult(words);
  const warnings = stderr
    .split('\n')
    .filter((line) => /^npm (?:error|warn publish (?!This command requires))/.test(line));
  if (status === 0 && warnings.length === 0) return `${built.files.size} files; no login and no provenance were tried`;
  return { found: warnings.slice(0, 3).join(' '), remedy: 'Run npm pkg fix, and check the difference.' };
}

/** Lists folders and hosts of this machine that a package must not name. */
function machineNames(root: string, folder: string): string[] {
  const registry = new URL(npm(['config', 'get', 'registry'], { cwd: root }).trim()).host;
  const names = [root, folder, homedir(), registry];
  // The home folder may be the root of the file system.
  return names.filter((name) => name.length > 1);
}

/** Returns the digest as npm and the registry show it. */
function digestOf(path: string): string {
  return `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`;
}

function lockFileOf(root: string): LockFile {
  return JSON.parse(textOf(root, 'package-lock.json')) as LockFile;
}

function textOf(root: string, name: string): string {
  return readFileSync(join(root, name), 'utf8');
}
