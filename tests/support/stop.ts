import type { Stop } from '../../lib/ports.ts';

/** A stop that is seen when somebody looks, and tells nobody. */
export function stoppedWhen(isStopped: () => boolean): Stop {
  return {
    get stopped() {
      return isStopped();
    },
    onStop: () => () => undefined,
  };
}
