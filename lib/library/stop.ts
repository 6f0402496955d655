import { setMaxListeners } from 'node:events';
import type { StopSignal } from './types.ts';

/** A signal that follows two others until it is released. */
export interface Followed {
  readonly signal: AbortSignal;
  release(): void;
}

/** Follows the caller's signal, and the end of the client. */
export function followed(own: StopSignal | undefined, closing: AbortSignal): Followed {
  const sources: readonly StopSignal[] = own === undefined ? [closing] : [own, closing];
  const controller = new AbortController();
  // A command sends many requests at once, and each of them listens.
  setMaxListeners(0, controller.signal);
  const stop = () => controller.abort();
  const release = () => {
    for (const source of sources) source.removeEventListener('abort', stop);
  };
  for (const source of sources) {
    if (source.aborted) stop();
    source.addEventListener('abort', stop);
  }
  return { signal: controller.signal, release };
}
