/** Runs inside this process, for tests. */
import { type InProcessOptions, inProcessRuns } from '../../../lib/runs/in-process.ts';
import type { DoWork } from '../../../lib/runs/port.ts';
import { testClock } from '../../support/simulated.ts';

/** Opens them, on a clock that stands still. */
export function runsOf(work: DoWork, more: Partial<InProcessOptions> = {}) {
  const clock = testClock();
  return { runs: inProcessRuns({ work, clock, ...more }), clock };
}
