/** Starts requests in turns, so that busy clients do not lock out new clients. */

/** Maximum requests started in one round of the event loop. Node accepts one connection a round, so rounds must be short. */
const MAX_IN_ROUND = 4;

/**
 * Creates the scheduler.
 * @param mostInRound maximum requests that start in one round
 * @param later calls back in the next round
 * @returns a function that starts requests in call order
 */
export function newTurns(mostInRound = MAX_IN_ROUND, later: (next: () => void) => void = setImmediate) {
  const waiting: (() => void)[] = [];
  let started = 0;
  let isCounting = false;
  const nextRound = () => {
    started = 0;
    isCounting = false;
    for (const start of waiting.splice(0, mostInRound)) begin(start);
    if (waiting.length > 0) count();
  };
  const count = () => {
    if (isCounting) return;
    isCounting = true;
    later(nextRound);
  };
  const begin = (start: () => void) => {
    started += 1;
    count();
    start();
  };
  return (start: () => void): void => {
    if (started < mostInRound && waiting.length === 0) begin(start);
    else waiting.push(start);
  };
}
