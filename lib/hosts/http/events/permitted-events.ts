/** Ends a stream of events when its reader may no longer read it. */
import type { RunEvent } from '../../../runs/port.ts';
import { documentOf, type HttpError } from '../responses/problems.ts';

/** Time between two checks of a silent stream, in milliseconds. */
const CHECK_MS = 1000;

/** An event of a run; the last event of a reader who lost the right to read it is `refused`, with a problem document. */
export interface StreamEvent extends Omit<RunEvent, 'event'> {
  readonly event: RunEvent['event'] | 'refused';
}

/**
 * Follows events while the reader may read them; a final event gives the reason for a refusal.
 * @param refusal returns why the reader may not read on
 * @param after id of the last known event, which the last event repeats
 */
export function whilePermitted(
  follow: (signal: AbortSignal) => AsyncIterable<StreamEvent>,
  refusal: () => Promise<HttpError | undefined>,
  after: number,
): (signal: AbortSignal) => AsyncIterable<StreamEvent> {
  return async function* (signal) {
    const ending = new AbortController();
    const end = () => ending.abort();
    let refused: HttpError | undefined;
    const check = async () => {
      refused ??= await refusal();
      if (refused !== undefined) end();
    };
    const timer = setInterval(() => void check().catch(end), CHECK_MS);
    timer.unref();
    let id = after;
    try {
      for await (const event of follow(AbortSignal.any([signal, ending.signal]))) {
        await check();
        if (refused !== undefined) break;
        yield event;
        id = event.id;
      }
      if (refused !== undefined) yield { id, event: 'refused', data: documentOf(refused) };
    } finally {
      clearInterval(timer);
    }
  };
}
