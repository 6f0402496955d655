/** The commands of a release, for a person to run. */
import { prerelease } from 'semver';
import type { ChangelogHead } from './changelog.ts';

/** Where `--check` leaves the package that it has checked, below the project. */
export function packagePath(version: string): string {
  return `dist/release/aisec-${version}.tgz`;
}

/**
 * Lists the steps that release a version, in order.
 * @param head of CHANGELOG.md
 */
export function planOf(version: string, head: ChangelogHead | undefined): string[] {
  const isDated = head?.version === version && head.date !== undefined;
  const tag = `v${version}`;
  // Without its own tag, npm would install a pre-release by default.
  const options = ['--provenance', '--access public', ...(prerelease(version) === null ? [] : ['--tag next'])];
  return [
    ...(isDated ? [] : [`write the date in CHANGELOG.md: "## [${version}] - YYYY-MM-DD", and commit it`]),
    'npm run release -- --check',
    `git tag --annotate ${tag} --message "aisec ${version}"`,
    `git push origin ${tag}`,
    `npm publish ${packagePath(version)} ${options.join(' ')}`,
    'npm version --no-git-tag-version minor, and a new head of CHANGELOG.md: "## [VERSION] - Unreleased"',
  ];
}
