/** Ends the wait for a scan, whether or not the scanner heeds a time limit and a signal. */
import type { StopSignal } from '../client/types.ts';
import { Unscanned } from './cause.ts';

/**
 * Waits for work until it ends, its time is up or a caller leaves.
 * @param work gets a signal that is aborted in the last two cases
 * @param ms time limit, in milliseconds
 * @throws Unscanned `timeout` or `cancelled`, or what the work throws
 */
export async function inTime<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  ms: number,
  stops: readonly StopSignal[],
): Promise<Value> {
  if (stops.some(({ aborted }) => aborted)) throw new Unscanned('cancelled');
  const stopping = new AbortController();
  const { signal } = stopping;
  const givenUp = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Unscanned));
  });
  const leave = () => stopping.abort(new Unscanned('cancelled'));
  const timer = setTimeout(() => stopping.abort(new Unscanned('timeout')), ms);
  try {
    for (const stop of stops) stop.addEventListener('abort', leave);
    return await Promise.race([work(signal), givenUp]);
  } finally {
    clearTimeout(timer);
    for (const stop of stops) stop.removeEventListener('abort', leave);
    leave();
  }
}
