/** Number of runs and seed of each property. */

const number = (name: string, standard: number) => Number(process.env[name] ?? standard);

/**
 * Factor on the number of runs; a long run finds what a short run misses. `npm test` is asked for often, so it takes a
 * sixteenth of the cases; the run on another day takes them all.
 */
const FACTOR = number('AISEC_LAW_RUNS', 1 / 16);

/** One of so many cases is taken. */
const STEP = Math.max(1, Math.round(1 / FACTOR));

/**
 * Returns some cases of a list, evenly, unless the run is a whole one.
 * @param place which is the first, so that tests of the same list share it between them
 */
export function someOf<T>(cases: readonly T[], place: number): readonly T[] {
  return cases.filter((_, at) => at % STEP === place % STEP);
}

/** The same values every time, unless another beginning is asked for; a failure prints it. */
const SEED = number('AISEC_LAW_SEED', 20_261_121);

/** Returns how many of so many runs a property has, unless the run is a whole one. */
export const shareOf = (standard: number): number => Math.ceil(standard * FACTOR);

/** @param place tells one property from the next, so that they do not all see the same values */
export function runs(standard: number, place: number) {
  return { numRuns: shareOf(standard), seed: SEED + place * 7919 };
}

/** Time that one test may take, in milliseconds: a long run needs more. */
export const TEST_MS = 240_000 * Math.max(1, FACTOR);
