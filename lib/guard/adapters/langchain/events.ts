/** Puts the end of an answer into the events that the framework makes of chunks. */
import type { Generation } from './messages.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reasons in the words of the events, by those of providers. */
const REASONS: Readonly<Record<string, string>> = {
  content_filter: 'content_filter',
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool_use',
  tool_use: 'tool_use',
};

/** The chunks of one answer, and what they say about it as a whole. */
export class EventSource {
  readonly #chunks: AsyncIterable<Generation>;
  #metadata: Fields = {};

  constructor(chunks: AsyncIterable<Generation>) {
    this.#chunks = chunks;
  }

  async *chunks(): AsyncGenerator<Generation> {
    for await (const chunk of this.#chunks) {
      this.#metadata = { ...this.#metadata, ...chunk.generationInfo, ...chunk.message.response_metadata };
      yield chunk;
    }
  }

  /** Adds the metadata to the last event: the framework leaves them out, and the mark of a refusal is among them. */
  async *finished(events: AsyncIterable<Fields>): AsyncGenerator<Fields> {
    for await (const event of events) {
      const { finish_reason: reason, stop_reason: stopped } = this.#metadata;
      const known = REASONS[String(reason ?? stopped)];
      const { prompt: _, completion: __, ...responseMetadata } = this.#metadata;
      const end = { responseMetadata, ...(known === undefined ? {} : { reason: known }) };
      yield event['event'] === 'message-finish' ? { ...event, ...end } : event;
    }
  }
}
