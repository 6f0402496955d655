/** Runs inside this process, for tests. */
import { type InProcessOptions, InProcessRuns } from '../../../lib/runs/in-process.ts';
import type { PerformRun } from '../../../lib/runs/port.ts';
import { testClock } from '../../support/simulated.ts';

/** Opens them, on a clock that stands still. */
export function runsOf(work: PerformRun, more: Partial<InProcessOptions> = {}) {
  const clock = testClock();
  return { runs: new InProcessRuns({ perform: work, clock, ...more }), clock };
}
