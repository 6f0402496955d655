/** Puts the guard into an agent of LangChain. */
import { newText, textOf } from '../../new-content.ts';
import type { Decision, Guard, GuardContext, ToolCall } from '../../types.ts';
import { guardedFor } from './guarded.ts';
import { checkedInput } from './input.ts';
import { asMessage, copyOf, type LangMessage, refusalFields, type ToolCallOf } from './messages.ts';
import type { Known } from './model.ts';

export interface MiddlewareOptions {
  /** Returns session, turn and user of a run, by the runtime of the agent. */
  readonly context?: (runtime: unknown) => GuardContext;
}

/** Middleware for `createAgent`. The framework's types of requests are wider than what the guard reads. */
export interface GuardMiddleware {
  readonly name: string;
  readonly beforeModel: {
    readonly hook: (state: unknown, runtime: unknown) => Promise<never>;
    readonly canJumpTo: ['end'];
  };
  readonly wrapModelCall: (request: object, handler: (request: never) => unknown) => Promise<never>;
  readonly wrapToolCall: (request: object, handler: (request: never) => unknown) => Promise<never>;
}

interface Runtime {
  readonly signal?: AbortSignal | undefined;
}

interface ModelRequest {
  readonly model: object & { readonly _getModelInstance?: unknown };
  readonly runtime?: Runtime;
}

interface ToolRequest {
  readonly toolCall: ToolCallOf;
  readonly tool?: unknown;
  readonly runtime?: Runtime;
}

type Handler<Request, Result> = (request: Request) => Promise<Result>;
type ToolResult = LangMessage | { readonly update?: unknown; readonly goto?: unknown; readonly resume?: unknown };

/**
 * Creates the middleware: it scans what is new before the model is asked, guards the model, streamed or not, and scans calls and
 * results of tools. List it last, so that no other middleware replaces what it has guarded.
 */
export function guardMiddleware(guard: Guard, { context: contextOf }: MiddlewareOptions = {}): GuardMiddleware {
  const seen = new Seen();
  const contextIn = (runtime: Runtime = {}): GuardContext => {
    const { signal } = runtime;
    return { ...contextOf?.(runtime), ...(signal === undefined ? {} : { signal }) };
  };
  const middleware = {
    name: 'AisecGuard',
    beforeModel: {
      canJumpTo: ['end'] as ['end'],
      hook: async ({ messages }: { readonly messages: readonly LangMessage[] }, runtime?: Runtime) => {
        // The model's call waits for the verdict in place of this hook.
        if (guard.parallelInput) return undefined;
        const { isCleared } = seen;
        const checked = await checkedInput(guard, messages, { context: contextIn(runtime), isCleared });
        const { decision, fresh } = checked;
        if (decision.action === 'block') {
          const text = guard.message(decision);
          const replaced = fresh.flatMap((each) => (each.id === undefined ? [] : [copyOf(each, { content: text })]));
          return { messages: [...replaced, { role: 'ai', ...refusalFields(text) }], jumpTo: 'end' };
        }
        seen.decide(checked.messages);
        const changed = checked.messages.filter((each, at) => each !== messages[at]);
        return changed.length === 0 ? undefined : { messages: changed };
      },
    },
    wrapModelCall: async (request: ModelRequest, handler: Handler<ModelRequest, unknown>) => {
      let calls = 0;
      const onCall = () => {
        calls += 1;
      };
      const known: Known = { isCleared: seen.isCleared, isDecided: seen.isDecided, onCall };
      const context = () => contextIn(request.runtime);
      const model = guardedFor(guard, await concrete(request), { context }, known);
      const response = await handler({ ...request, model });
      if (calls === 0)
        throw new Error('Another middleware answered in place of the guarded model. List guardMiddleware last.');
      return response;
    },
    wrapToolCall: async (request: ToolRequest, handler: Handler<ToolRequest, ToolResult>) => {
      const { toolCall, runtime } = request;
      const tool = new GuardedTool(guard, toolCall, contextIn(runtime));
      const result = await tool.result(request, handler);
      if ('content' in result) seen.clear(result);
      return result;
    },
  };
  return middleware as unknown as GuardMiddleware;
}

/** Returns the model itself where the agent's model chooses one at each call. */
async function concrete({ model, runtime }: ModelRequest): Promise<object> {
  if (typeof model._getModelInstance !== 'function') return model;
  const { configurable } = (runtime ?? {}) as { readonly configurable?: unknown };
  return (model._getModelInstance as (config: object) => Promise<object>)({ configurable });
}

/** Remembers what was scanned, by the message and its text: in another process it is scanned again. */
class Seen {
  /** Texts of results of tools. */
  readonly #results = new WeakMap<LangMessage, string>();
  /** New texts of conversations, by their last message. */
  readonly #texts = new WeakMap<LangMessage, string>();

  readonly isCleared = (message: LangMessage): boolean => this.#results.get(message) === textOf(message.content);

  readonly isDecided = (messages: readonly LangMessage[]): boolean => {
    const last = messages.at(-1);
    return last !== undefined && this.#texts.get(last) === textIn(messages);
  };

  clear(result: LangMessage): void {
    this.#results.set(result, textOf(result.content));
  }

  decide(messages: readonly LangMessage[]): void {
    const last = messages.at(-1);
    if (last !== undefined) this.#texts.set(last, textIn(messages));
  }
}

function textIn(messages: readonly LangMessage[]): string {
  return newText(messages.map(asMessage));
}

/** One call of a tool: it runs when its input was scanned, and its result counts when that was scanned. */
class GuardedTool {
  readonly #guard: Guard;
  readonly #call: ToolCallOf;
  readonly #named: Pick<ToolCall, 'server' | 'tool'>;
  readonly #context: GuardContext;

  constructor(guard: Guard, call: ToolCallOf, context: GuardContext) {
    this.#guard = guard;
    this.#call = call;
    this.#named = { server: 'langchain', tool: call.name };
    this.#context = context;
  }

  async result(request: ToolRequest, handler: Handler<ToolRequest, ToolResult>): Promise<ToolResult> {
    const asked = await this.#guard.tool({ ...this.#named, input: this.#call.args }, this.#context);
    if (asked.action === 'block') return this.#refused(asked, request, handler);
    const ran = await this.#run(request, handler);
    const output = 'thrown' in ran ? String(ran.thrown) : outputOf(ran.result);
    const decision = await this.#guard.tool({ ...this.#named, output }, this.#context);
    if (decision.action !== 'allow') return this.#refused(decision, request, handler);
    if ('thrown' in ran) throw ran.thrown;
    return ran.result;
  }

  /** Runs the tool. The text of its error reaches the model as a result does. */
  async #run(request: ToolRequest, handler: Handler<ToolRequest, ToolResult>) {
    try {
      return { result: await handler(request) };
    } catch (thrown) {
      // An interrupt is the framework's way to pause the run.
      if ((thrown as { is_bubble_up?: unknown } | null)?.is_bubble_up === true) throw thrown;
      return { thrown };
    }
  }

  /** Has the framework create the result, by a tool that says the message: no class of it is imported. */
  async #refused(decision: Decision, request: ToolRequest, handler: Handler<ToolRequest, ToolResult>) {
    const { name } = this.#call;
    const tool = { name, invoke: async () => this.#guard.message(decision) };
    const result = await handler({ ...request, tool, toolCall: { ...this.#call, args: {} } });
    return 'content' in result ? copyOf(result, { status: 'error' }) : result;
  }
}

/** Returns the text of a result: that of a message, or all of a command to the graph. */
function outputOf(result: ToolResult): unknown {
  if ('content' in result) return textOf(result.content);
  const { update, goto, resume } = result;
  return { update, goto, resume };
}
