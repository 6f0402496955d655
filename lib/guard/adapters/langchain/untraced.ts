/** Keeps the text of a model out of traces until it was scanned. */
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain';

/**
 * A tracer that sends nothing. The environment can switch tracing on for each call: this tracer takes the place of the one that
 * the framework would add. The guarded model is traced instead.
 */
export class Untraced extends LangChainTracer {
  constructor() {
    super({ client: { createRun: async () => undefined, updateRun: async () => undefined } });
  }

  override async onRunCreate(): Promise<void> {
    // Nothing is sent.
  }

  override async onRunUpdate(): Promise<void> {
    // Nothing is sent.
  }

  override copyWithTracingConfig(): this {
    return this;
  }
}
