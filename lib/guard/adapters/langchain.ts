/**
 * Puts the guard into programs of LangChain (`langchain` 1.x, `@langchain/core` 1.x): around chat models, and into
 * agents. Both packages are optional peers of this one; only this module imports them.
 */
import { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages';
import { type AgentMiddleware, createMiddleware, type ToolCallHandler, type ToolCallRequest } from 'langchain';
import { objectOf } from '../../core/json.ts';
import { isPlain } from '../readable.ts';
import type { AdapterOptions, Decision, Guard, GuardContext } from '../types.ts';
import { decisionAboutPrompt, freshIn, maskedMessages, refusalFields, replaced } from './langchain/call.ts';
import { guardModel, type Model } from './langchain/model.ts';
import { contextWith, resultOf as readableOf } from './values.ts';

export type { ModelOptions } from './langchain/call.ts';
export { guardModel } from './langchain/model.ts';

/** Builds a run's context from the agent's runtime. */
export type MiddlewareOptions = AdapterOptions;

interface Runtime {
  readonly signal?: AbortSignal | undefined;
}

type Result = Awaited<ReturnType<ToolCallHandler>>;

/**
 * Creates the middleware: scans new content before the model is called, guards the model, streamed or not, and scans
 * tool calls and results. List it last, so that no other middleware replaces guarded content.
 */
export function guardMiddleware(guard: Guard, { context: contextOf }: MiddlewareOptions = {}): AgentMiddleware {
  const contextIn = (runtime: Runtime = {}) => contextWith(contextOf?.(runtime), runtime.signal);
  return createMiddleware({
    name: 'AisecGuard',
    beforeModel: {
      canJumpTo: ['end'],
      hook: async ({ messages }, runtime) => {
        // The model call waits for the verdict, so this hook does not have to.
        if (guard.parallelInput) return undefined;
        const context = contextIn(runtime);
        const { messages: masked, refused } = await maskedMessages(guard, messages, context);
        const decision = refused ?? (await decisionAboutPrompt(guard, masked, context));
        if (decision.action === 'block') {
          const text = guard.message(decision);
          const kept = freshIn(messages)
            .filter(({ id }) => id !== undefined)
            .map((each) => replaced(each, text));
          return { messages: [...kept, new AIMessage(refusalFields(text))], jumpTo: 'end' };
        }
        const changed = masked.filter((each, at) => each !== messages[at]);
        return changed.length === 0 ? undefined : { messages: changed };
      },
    },
    wrapModelCall: async (request, handler) => {
      let calls = 0;
      const context = () => {
        calls += 1;
        return contextIn(request.runtime);
      };
      const response = await handler({ ...request, model: guardModel(guard, request.model as Model, { context }) });
      if (calls === 0)
        throw new Error('Another middleware answered instead of the guarded model. List guardMiddleware last.');
      return response;
    },
    wrapToolCall: (request, handler) => resultOf(guard, contextIn(request.runtime), request, handler),
  });
}

/**
 * Runs a tool once its input is cleared.
 * @returns the tool's result, once the result is cleared
 */
async function resultOf(
  guard: Guard,
  context: GuardContext,
  request: ToolCallRequest,
  handler: ToolCallHandler,
): Promise<Result> {
  const { name, args, id = '' } = request.toolCall;
  const called = { server: 'langchain', tool: name };
  const refused = (decision: Decision) =>
    new ToolMessage({ content: guard.message(decision), name, tool_call_id: id, status: 'error' });
  const asked = await guard.tool({ ...called, input: args }, context);
  context.signal?.throwIfAborted();
  if (asked.action === 'block') return refused(asked);
  const ran = await run(request, handler);
  const output = 'thrown' in ran ? String(ran.thrown) : outputOf(ran.result);
  const decision = await guard.tool({ ...called, output }, context);
  context.signal?.throwIfAborted();
  if (decision.action !== 'allow') return refused(decision);
  if ('thrown' in ran) throw ran.thrown;
  return ran.result;
}

/** An error's text reaches the model, just as a result does. */
async function run(request: ToolCallRequest, handler: ToolCallHandler) {
  try {
    return { result: await handler(request) };
  } catch (thrown) {
    // An interrupt is how the framework pauses a run.
    if ((thrown as { is_bubble_up?: unknown } | null)?.is_bubble_up === true) throw thrown;
    return { thrown };
  }
}

/** Returns the part of a result that a model may read: the content of a message, or all of a graph command. */
function outputOf(result: Result): unknown {
  if (ToolMessage.isInstance(result)) return readableOf(result.content);
  const { update, goto, resume } = result;
  return plain({ update, goto, resume });
}

/** Returns messages, and data sent to graph nodes, by their members. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  if (BaseMessage.isInstance(value)) {
    const { name, additional_kwargs } = value;
    return { content: readableOf(value.content), name, additional_kwargs };
  }
  const { node, args } = objectOf(value);
  if (typeof node === 'string' && args !== undefined) return { node, args: plain(args) };
  return isPlain(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)])) : value;
}
