/** The stop of a command, where the host has an `AbortSignal` for it. */
import type { Stop } from '../ports.ts';

/** However many listen, the signal has one listener, and none when nobody does: it may outlive thousands of requests. */
export function stopOf(signal: AbortSignal): Stop {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of [...listeners]) listener();
    listeners.clear();
  };
  return {
    get stopped() {
      return signal.aborted;
    },
    onStop: (listener) => {
      // Each call counts for itself, even where two hand over the same function.
      const own = () => listener();
      if (listeners.size === 0) signal.addEventListener('abort', tell, { once: true });
      listeners.add(own);
      return () => {
        listeners.delete(own);
        if (listeners.size === 0) signal.removeEventListener('abort', tell);
      };
    },
  };
}
