/** Number of runs and seed of each property. */

const number = (name: string, standard: number) => Number(process.env[name] ?? standard);

/**
 * Factor for the number of runs; a long run finds what a short run misses. `npm test` is run often, so it takes a
 * sixteenth of the cases; the run with another date takes them all.
 */
const FACTOR = number('AISEC_LAW_RUNS', 1 / 16);

/** Runs one case in this many. */
const STEP = Math.max(1, Math.round(1 / FACTOR));

/**
 * Returns some cases of a list, evenly spread, or all in a full run.
 *
 * @param place index of the first case, so that tests of the same list share it
 */
export function someOf<T>(cases: readonly T[], place: number): readonly T[] {
  return cases.filter((_, at) => at % STEP === place % STEP);
}

/** The same values every time, unless another seed is given; a failure prints it. */
const SEED = number('AISEC_LAW_SEED', 20_261_121);

/** Returns how many of these runs a property gets; all in a full run. */
export const shareOf = (standard: number): number => Math.ceil(standard * FACTOR);

/** @param place tells properties apart, so that they do not all see the same values */
export function runs(standard: number, place: number) {
  return { numRuns: shareOf(standard), seed: SEED + place * 7919 };
}

/** Timeout of one test in milliseconds: a long run needs more. */
export const TEST_MS = 240_000 * Math.max(1, FACTOR);
