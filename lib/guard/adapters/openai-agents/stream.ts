/** Guards a streamed answer: unscanned parts wait, and nothing passes after a block. */
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { isSign } from '../texts.ts';
import { type Leaving, Waiting } from '../waiting.ts';
import { checkedResponse, refusedResponse, unknownUsage } from './answer.ts';
import type { AgentsEvent, AgentsResponse, Item } from './items.ts';

export interface Streaming {
  readonly context: GuardContext;
  /** The decision about the request; nothing passes before it allows. */
  readonly input: Promise<Decision>;
}

/**
 * Yields the events that may pass. The provider's own events (`model`) and events of an unknown type are dropped: they hold
 * text that was not scanned. Leaving the stream ends the request of the model.
 */
export async function* guardedEvents(
  guard: Guard,
  source: AsyncIterable<AgentsEvent>,
  { context, input }: Streaming,
): AsyncGenerator<AgentsEvent> {
  const held = guard.stream(context, { input });
  const waiting = new Waiting<unknown>();
  const streamed = { written: '', released: '' };
  const released = (text: string, isEnd: boolean) => {
    streamed.released += text;
    return Array.from(waiting.leaving(text, isEnd)).flatMap(deltaEvents);
  };
  let isDone = false;
  try {
    for await (const event of source) {
      // The model may have work to do after its last event.
      if (isDone) continue;
      if (event['type'] === 'response_started') yield { type: 'response_started' };
      if (event['type'] === 'output_text_delta') {
        const text = String(event['delta']);
        streamed.written += text;
        waiting.text(event['itemId'], text, event['itemId']);
        yield* released(await held.push(text), false);
      }
      if (event['type'] === 'response_done') {
        // Waits for the decision about the request, also where the answer has no text.
        yield* released(await held.end(), true);
        isDone = true;
        const response = event['response'] as AgentsResponse;
        if (!held.blocked) yield doneEvent(await checkedResponse(guard, response, context, streamed));
      }
      if (held.blocked && held.decision !== undefined) {
        yield refusedEvent(guard, held.decision, isDone ? usageOf(event) : unknownUsage(1));
        return;
      }
    }
  } finally {
    held.cancel();
  }
}

/** Returns the event that ends a blocked answer. */
export function refusedEvent(guard: Guard, decision: Decision, usage: unknown): AgentsEvent {
  return doneEvent(refusedResponse(guard, decision, usage));
}

/** The event needs an id; an empty id names no answer to continue. */
function doneEvent(response: AgentsResponse): AgentsEvent {
  return { type: 'response_done', response: { id: '', ...response } };
}

function usageOf(event: AgentsEvent): unknown {
  return (event['response'] as Item | undefined)?.['usage'] ?? unknownUsage(1);
}

/** Returns released text as an event, with the item that the model wrote it for. */
function deltaEvents({ item: itemId, text: delta = '' }: Leaving<unknown>): AgentsEvent[] {
  if (delta === '') return [];
  return [{ type: 'output_text_delta', delta, ...(isSign('itemId', itemId) ? { itemId } : {}) }];
}
