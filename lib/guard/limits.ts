/** Limits of the service for one scan, in characters; source: `docs/wire.md`. They are counted in UTF-16 code units, which are never fewer. */

/** The longest prompt and the longest response of one scan. */
export const LONGEST = { input: 10_000, output: 20_000 } as const;
/** Text that two parts of a longer text share, so that what lies across their seam is seen whole. */
export const SHARED = 500;
/** The longest time that a timer can wait, in milliseconds; a longer one would fire at once. */
export const LONGEST_WAIT_MS = 2 ** 31 - 1;
