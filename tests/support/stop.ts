import type { Stop } from '../../lib/core/ports.ts';

/** A stop that can only be polled, and notifies no listener. */
export function stoppedWhen(isStopped: () => boolean): Stop {
  return {
    get stopped() {
      return isStopped();
    },
    onStop: () => () => undefined,
  };
}
