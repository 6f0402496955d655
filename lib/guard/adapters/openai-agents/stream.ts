/** Guards a streamed answer: unscanned parts wait, and nothing passes after a block. */
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { checkedResponse, refusedResponse, type Shown, unknownUsage } from './answer.ts';
import { isSign } from './items.ts';
import type { AgentsEvent, AgentsResponse, Item } from './types.ts';

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
  const deltas = new Deltas();
  let isDone = false;
  try {
    for await (const event of source) {
      // The model may have work to do after its last event.
      if (isDone) continue;
      if (event['type'] === 'response_started') yield { type: 'response_started' };
      if (event['type'] === 'output_text_delta') yield* deltas.released(await held.push(deltas.written(event)));
      if (event['type'] === 'response_done') {
        // Waits for the decision about the request, also where the answer has no text.
        yield* deltas.released(await held.end());
        isDone = true;
        const response = event['response'] as AgentsResponse;
        if (!held.blocked) yield doneEvent(await checkedResponse(guard, response, context, deltas.streamed));
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

/** Text as it comes and as it is released, and the items that it belongs to. */
class Deltas {
  #written = '';
  #released = '';
  readonly #waiting: { readonly itemId: unknown; length: number }[] = [];
  #last: unknown;

  get streamed(): Shown {
    return { written: this.#written, released: this.#released };
  }

  /** Notes an event. @returns its text */
  written({ delta, itemId }: AgentsEvent): string {
    const text = String(delta);
    this.#written += text;
    this.#waiting.push({ itemId, length: text.length });
    return text;
  }

  /** Returns released text as events, each with the item that the model wrote it for. */
  released(text: string): readonly AgentsEvent[] {
    this.#released += text;
    const events: AgentsEvent[] = [];
    let at = 0;
    while (at < text.length) {
      const [next] = this.#waiting;
      this.#last = next?.itemId ?? this.#last;
      const length = Math.min(next?.length ?? Number.POSITIVE_INFINITY, text.length - at);
      events.push(deltaEvent(text.slice(at, at + length), this.#last));
      at += length;
      if (next === undefined) break;
      next.length -= length;
      if (next.length === 0) this.#waiting.shift();
    }
    return events;
  }
}

function deltaEvent(delta: string, itemId: unknown): AgentsEvent {
  return { type: 'output_text_delta', delta, ...(isSign('itemId', itemId) ? { itemId } : {}) };
}
