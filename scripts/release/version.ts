/** The version of the package, among the versions that were released. */
import { compare, gt, valid } from 'semver';
import type { Problem } from '../checks.ts';

/**
 * Checks that the version can be released.
 * @param tags of the repository; those of releases are `v` and a version
 */
export function versionOutcome(version: string, tags: readonly string[]): string | Problem {
  // npm drops build metadata and a leading v.
  if (valid(version) !== version) {
    return { found: `${version} is no semantic version.`, remedy: 'Write MAJOR.MINOR.PATCH in package.json.' };
  }
  const released = tags.filter((tag) => tag.startsWith('v')).flatMap((tag) => valid(tag) ?? []);
  const last = released.sort(compare).at(-1);
  if (last === undefined) return `${version}, the first release`;
  if (gt(version, last)) return `${version}, after ${last}`;
  const remedy = 'Run npm version --no-git-tag-version with patch, minor or major.';
  return { found: `${version} is not newer than v${last}, the last tag.`, remedy };
}
