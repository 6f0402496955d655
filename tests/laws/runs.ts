/** Number of runs and seed of each property. */

const number = (name: string, standard: number) => Number(process.env[name] ?? standard);

/** Factor on the number of runs; a long run finds what a short one passes over. */
const FACTOR = number('AISEC_LAW_RUNS', 1);

/** The same values every time, unless another beginning is asked for; a failure prints it. */
const SEED = number('AISEC_LAW_SEED', 20_261_121);

/** @param place tells one property from the next, so that they do not all see the same values */
export function runs(standard: number, place: number) {
  return { numRuns: Math.ceil(standard * FACTOR), seed: SEED + place * 7919 };
}

/** Time that one test may take, in milliseconds: a long run needs more. */
export const TEST_MS = 240_000 * Math.max(1, FACTOR);
