import { newStop } from '../core/stop.ts';
import type { StopSignal } from './types.ts';

/** Creates a signal and its trigger. Cheaper for a busy service than an `AbortController`. */
export function newSignal(): { readonly signal: StopSignal; abort(): void } {
  const { stop, now } = newStop();
  const leave = new Map<() => void, () => void>();
  return {
    signal: {
      get aborted() {
        return stop.stopped;
      },
      addEventListener: (_type, listener) => {
        if (!leave.has(listener)) leave.set(listener, stop.onStop(listener));
      },
      removeEventListener: (_type, listener) => {
        leave.get(listener)?.();
        leave.delete(listener);
      },
    },
    abort: now,
  };
}
