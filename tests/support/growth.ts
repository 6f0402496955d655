/** Whether work grows in proportion to its input: sizes are compared within one run, by processor time, never by the clock. */

const LONGEST = 16_000;
const TIMES = 8;
/** Far from both: eight times as much takes 8 times as long in proportion, and 64 times where it grows with the square. */
const LIMIT = 24;
const HOPELESS = 48;
const LEAST_US = 200;

/**
 * Expects that the work on a text eight times as long takes about eight times as long.
 * @param work prepares an input of a size, and returns what is measured
 */
export function expectProportion(work: (size: number) => () => void): void {
  const ratios: number[] = [];
  // Collecting garbage may fall into one measurement, but not into all of them.
  while (
    ratios.length < 5 &&
    ratios.filter((ratio) => ratio > HOPELESS).length < 3 &&
    !ratios.some((ratio) => ratio < LIMIT)
  )
    ratios.push(growth(work));
  expect(Math.min(...ratios)).toBeLessThan(LIMIT);
}

function growth(work: (size: number) => () => void): number {
  let size = 250;
  while (size < LONGEST && leastTime(work(size)) < 1000) size *= 2;
  return leastTime(work(TIMES * size)) / Math.max(leastTime(work(size)), LEAST_US);
}

/** Returns the least processor time of several runs, in microseconds: what else the machine does is not counted, or makes a run longer. */
function leastTime(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) least = Math.min(least, processorTime(run));
  return least;
}

function processorTime(run: () => void): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
