/** Checks that package.json names the repository, which provenance is about. */
import type { Problem } from '../checks.ts';
import type { Manifest } from '../manifest.ts';

/** Services whose builds npm accepts as proof of where a package comes from. */
const PROVEN = /^(?:git\+)?https:\/\/(?:github|gitlab)\.com\/[^/]+\/[^/]+/;

/** Checks the address of the repository. */
export function repositoryOutcome({ repository }: Manifest): string | Problem {
  const url = typeof repository === 'string' ? repository : repository?.url;
  const remedy = 'npm rejects a package with provenance unless it names the public repository that built it.';
  if (url === undefined || url === '') {
    return {
      found: 'package.json has no "repository".',
      remedy: `Add the address of the public repository: ${remedy}`,
    };
  }
  if (PROVEN.test(url)) return url;
  return { found: `${url} is no https address of a repository on github.com or gitlab.com.`, remedy };
}
