import { CancelledError } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';

/** The virtual time of one simulated tenant, shared by its clocks. */
export interface VirtualTime {
  readonly start: number;
  elapsed: number;
}

/** Creates a clock that moves only when a command waits, without delay. Overlapping waits pass together. */
export function virtualClock(time: VirtualTime): Clock {
  return {
    now: () => time.start + time.elapsed,
    elapsed: () => time.elapsed,
    random: () => 0.5,
    wait: async (milliseconds, stop) => {
      const refuse = () => {
        if (stop?.stopped === true) throw new CancelledError('Stopped while waiting.');
      };
      const end = time.elapsed + Math.max(0, milliseconds);
      refuse();
      await new Promise<void>((resolve) => setImmediate(resolve));
      refuse();
      time.elapsed = Math.max(time.elapsed, end);
    },
  };
}
