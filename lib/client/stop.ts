import type { Stop } from '../core/ports.ts';
import { newStop } from '../core/stop.ts';
import type { StopSignal } from './types.ts';

/** Creates a signal with its trigger. Cheaper for a busy service than an `AbortController`. */
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

/** The cancellation of one call, until it is released. */
export interface CallStop {
  readonly stop: Stop;
  release(): void;
}

/** Combines the caller's signal with the client's close: either stops the call. */
export function callStop(signal: StopSignal | undefined, closing: Stop): CallStop {
  const { stop, now } = newStop();
  const leave = closing.onStop(now);
  signal?.addEventListener('abort', now);
  if (closing.stopped || signal?.aborted === true) now();
  return {
    stop,
    release: () => {
      leave();
      signal?.removeEventListener('abort', now);
    },
  };
}
