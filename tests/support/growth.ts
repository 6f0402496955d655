/** Checks that work grows in proportion to its input: sizes are compared within one run, by processor time. */

/**
 * Measures the least processor time of several rounds, in microseconds; other load on the machine can only increase it.
 *
 * @param times how often each round does the work
 */
async function leastTime(run: () => unknown, times = 1): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const start = process.cpuUsage();
    for (let time = 0; time < times; time += 1) await run();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, user + system);
  }
  return least;
}

const MAX_SIZE = 4000;
/** Minimum duration of a measurement, in microseconds, so that it includes garbage collection for both sizes. */
const MIN_TIME = 5000;
const TIMES = 8;
/** A limit between the two: eight times the size takes 8 times as long in linear growth, 64 times in quadratic growth. */
const LIMIT = 40;
const HOPELESS = 48;

/** Prepares work of a size; calling it does the work, now or later. */
export type Work = (size: number) => () => unknown;

async function growth(work: Work): Promise<number> {
  let size = 250;
  while (size < MAX_SIZE && (await leastTime(work(size))) < 1000) size *= 2;
  const [small, large] = [work(size), work(TIMES * size)];
  const times = Math.ceil(MIN_TIME / Math.max(await leastTime(small), 50));
  return (await leastTime(large, times)) / (await leastTime(small, times));
}

/** Expects that eight times the input takes far less than 64 times as long. */
export async function expectProportion(work: Work): Promise<void> {
  const ratios: number[] = [];
  // Garbage collection and a busy machine may affect some measurements, but not all of them.
  while (
    ratios.length < 10 &&
    ratios.filter((ratio) => ratio > HOPELESS).length < 6 &&
    !ratios.some((ratio) => ratio < LIMIT)
  )
    ratios.push(await growth(work));
  expect(Math.min(...ratios)).toBeLessThan(LIMIT);
}
