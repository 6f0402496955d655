/** The version of the package, among the versions that were released. */
import type { Problem } from '../checks.ts';

/** Semantic Versioning 2.0.0, without build metadata, which npm drops. */
const VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?$/;
const NUMBER = /^\d+$/;

/** Reports whether a text is a version that npm accepts. */
export function isVersion(text: string): boolean {
  return VERSION.test(text);
}

/** Reports whether a version is a pre-release, such as 1.0.0-beta.1. */
export function isPrerelease(version: string): boolean {
  return version.includes('-');
}

/**
 * Compares two versions by precedence.
 * @returns less than 0 if the first is older, more than 0 if it is newer
 */
export function compareVersions(one: string, other: string): number {
  const [mine = '', ...before] = one.split('-');
  const [theirs = '', ...beforeOther] = other.split('-');
  const numbers = compareParts(mine.split('.'), theirs.split('.'));
  if (numbers !== 0) return numbers;
  // A pre-release is older than its release.
  if (before.length === 0 || beforeOther.length === 0) return beforeOther.length - before.length;
  return compareParts(before.join('-').split('.'), beforeOther.join('-').split('.'));
}

/**
 * Checks that the version can be released.
 * @param tags of the repository; those of releases are `v` and a version
 */
export function versionOutcome(version: string, tags: readonly string[]): string | Problem {
  if (!isVersion(version)) {
    return { found: `${version} is no semantic version.`, remedy: 'Write MAJOR.MINOR.PATCH in package.json.' };
  }
  const released = tags.flatMap((tag) => (/^v/.test(tag) && isVersion(tag.slice(1)) ? [tag.slice(1)] : []));
  const last = released.sort(compareVersions).at(-1);
  if (last === undefined) return `${version}, the first release`;
  if (compareVersions(version, last) > 0) return `${version}, after ${last}`;
  const remedy = 'Run npm version --no-git-tag-version with patch, minor or major.';
  return { found: `${version} is not newer than v${last}, the last tag.`, remedy };
}

function compareParts(mine: readonly string[], theirs: readonly string[]): number {
  const index = mine.findIndex((part, place) => part !== theirs[place]);
  const [part, other] = [mine[index], theirs[index]];
  // The longer of two equal beginnings is newer.
  if (part === undefined || other === undefined) return mine.length - theirs.length;
  if (NUMBER.test(part) && NUMBER.test(other)) return Number(part) - Number(other);
  if (NUMBER.test(part) !== NUMBER.test(other)) return NUMBER.test(part) ? -1 : 1;
  return part < other ? -1 : 1;
}
