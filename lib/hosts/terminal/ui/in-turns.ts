/** Processes many values in turns, so that signals and timers are handled in between. */
import { setImmediate } from 'node:timers/promises';
import { stopped } from '../../../core/stop.ts';

/** Length of a turn, too short to notice. */
const TURN_MS = 10;

/** Maps values without blocking the event loop. @throws CancelledError after a stop */
export async function mapInTurns<Value, Mapped>(
  values: readonly Value[],
  signal: AbortSignal | undefined,
  map: (value: Value, at: number) => Mapped,
): Promise<Mapped[]> {
  const results: Mapped[] = [];
  let end = performance.now() + TURN_MS;
  for (const value of values) {
    if (performance.now() > end) {
      await setImmediate();
      end = performance.now() + TURN_MS;
    }
    if (signal?.aborted === true) throw stopped();
    results.push(map(value, results.length));
  }
  return results;
}
