import { CancelledError } from '../errors.ts';
import type { Clock } from '../ports.ts';

/** The time of one simulated tenant, shared by all clocks on it. */
export interface VirtualTime {
  readonly start: number;
  elapsed: number;
}

/** A clock that moves only when a command waits, and then at once. Waits that overlap pass together. */
export function virtualClock(time: VirtualTime, signal: AbortSignal): Clock {
  const refuse = () => {
    if (signal.aborted) throw new CancelledError('Stopped while waiting.');
  };
  return {
    now: () => time.start + time.elapsed,
    elapsed: () => time.elapsed,
    random: () => 0.5,
    wait: async (milliseconds) => {
      const end = time.elapsed + Math.max(0, milliseconds);
      refuse();
      await new Promise<void>((resolve) => setImmediate(resolve));
      refuse();
      time.elapsed = Math.max(time.elapsed, end);
    },
  };
}
