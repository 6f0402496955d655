/** The head of CHANGELOG.md: the version that comes next, and the day of its release. */
import type { Problem } from '../checks.ts';

/** The first heading of a version. */
export interface ChangelogHead {
  readonly version: string;
  /** Undefined between releases, when `Unreleased` stands in its place. */
  readonly date?: string;
  /** Whether it says what has changed. */
  readonly hasEntries: boolean;
}

const HEADING = /^## \[([^\]]+)\](?: - (.*))?$/m;
const UNRELEASED = 'Unreleased';

/** Reads the head. @returns undefined if no version has a heading */
export function changelogHead(text: string): ChangelogHead | undefined {
  const [first, ...others] = Array.from(text.matchAll(new RegExp(HEADING, 'gm')));
  if (first === undefined) return undefined;
  const [heading, version = '', date = ''] = first;
  const body = text.slice(first.index + heading.length, others[0]?.index);
  return { version, ...(date === UNRELEASED ? {} : { date }), hasEntries: /^- /m.test(body) };
}

/** Checks that the head is about a version. */
export function changelogOutcome(text: string, version: string): string | Problem {
  const head = changelogHead(text);
  const remedy = `Begin CHANGELOG.md with "## [${version}] - ${UNRELEASED}", or with the date of the release.`;
  if (head === undefined) return { found: 'No version has a heading.', remedy };
  if (head.version !== version) return { found: `The first heading is about ${head.version}, not ${version}.`, remedy };
  if (!head.hasEntries) return { found: `${version} has no entries.`, remedy: 'Say what has changed for its users.' };
  if (head.date === undefined) return `${version}, not released yet: the date is written on the day of the release`;
  return isDate(head.date) ? `${version} of ${head.date}` : { found: `"${head.date}" is no date.`, remedy };
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // A day that its month does not have would be a day of the next one.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
