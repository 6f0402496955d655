/**
 * Decides about tools of the Vercel AI SDK: about the input before a tool runs, and about the result before it is used.
 */

import { objectOf } from '../../../core/json.ts';
import type { AdapterOptions, Decision, Guard } from '../../types.ts';
import { contextWith } from '../values.ts';
import { SERVER, withErrorsRead } from './answer.ts';

type Asked = (input: unknown, options?: unknown) => unknown;

/** Builds the context from the call's options. */
export type ToolOptions = AdapterOptions;

/**
 * Wraps tools that run in this process: decides about the input before a tool runs, and about its result or error
 * before anything reads it. A blocked call or result becomes an error with the guard's message, which the model reads.
 * Tools without `execute` are unchanged. If a tool yields several results, only the last is passed on.
 * @returns tools of the same types
 */
export function guardTools<const Tools extends Readonly<Record<string, object>>>(
  guard: Guard,
  tools: Tools,
  options: ToolOptions = {},
): Tools {
  const guarded = Object.entries(tools).map(([name, tool]) => [name, guardTool(guard, name, tool, options)]);
  return Object.fromEntries(guarded) as Tools;
}

function guardTool(guard: Guard, name: string, tool: object, { context: contextOf }: ToolOptions): object {
  const { execute } = tool as { readonly execute?: unknown };
  if (typeof execute !== 'function') return tool;
  const run = execute as Asked;
  const guarded = async (input: unknown, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown> => {
    const signal = options?.abortSignal;
    const context = contextWith(contextOf?.(options), signal);
    const allowed = async (deciding: Promise<Decision>) => {
      const decision = await deciding;
      signal?.throwIfAborted();
      // A masked text would not have the type of the tool's result.
      if (decision.action !== 'allow') throw new Error(guard.message(decision));
    };
    const event = { server: SERVER, tool: name };
    const read = (output: unknown) => allowed(guard.tool({ ...event, output }, context));
    await allowed(guard.tool({ ...event, input: input ?? {} }, context));
    const output = await lastOf(() => run.call(tool, input, options)).catch(async (thrown: unknown) => {
      await read(withErrorsRead(thrown) ?? '');
      throw thrown;
    });
    if (output !== undefined) await read(output);
    return output;
  };
  return Object.assign(Object.create(Object.getPrototypeOf(tool) as object | null) as object, tool, {
    execute: guarded,
  });
}

/** Returns a result; of several yielded results, the last. */
async function lastOf(run: () => unknown): Promise<unknown> {
  const result = await run();
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const each of result as AsyncIterable<unknown>) last = each;
  return last;
}

/** The guard's return type for the `toolApproval` of `ai` 7. */
export type ToolApproval = 'user-approval' | { readonly type: 'denied'; readonly reason: string };

/** The members of an approval's data that the guard reads. */
export interface ApprovalCall {
  readonly toolCall: { readonly toolName: string; readonly toolCallId: string; readonly input: unknown };
  readonly tools: unknown;
  readonly messages: readonly unknown[];
  readonly toolsContext?: unknown;
}

/**
 * Creates the `toolApproval` of `streamText`, `generateText` and agents of `ai` 7: a blocked call does not run, and the
 * model reads the guard's message. `toolApproval` replaces the tool's `needsApproval`, so the guard calls
 * `needsApproval` for every allowed call.
 */
export function toolApproval(
  guard: Guard,
  { context: contextOf }: ToolOptions = {},
): (call: ApprovalCall) => Promise<ToolApproval | undefined> {
  return async (call) => {
    const { toolName, input } = call.toolCall;
    const decision = await guard.tool({ server: SERVER, tool: toolName, input }, contextOf?.(call));
    if (decision.action !== 'allow') return { type: 'denied', reason: guard.message(decision) };
    return ownApproval(call);
  };
}

/** Calls the tool's own `needsApproval`, as the SDK does without `toolApproval`. */
async function ownApproval(call: ApprovalCall): Promise<ToolApproval | undefined> {
  const { toolName, toolCallId, input } = call.toolCall;
  const { needsApproval } = objectOf(ownOf(call.tools, toolName));
  const options = { toolCallId, messages: call.messages, context: ownOf(call.toolsContext, toolName) };
  const needed: unknown =
    typeof needsApproval === 'function' ? await (needsApproval as Asked)(input, options) : needsApproval;
  return needed === undefined || needed === null || needed === false ? undefined : 'user-approval';
}

function ownOf(values: unknown, name: string): unknown {
  const all = objectOf(values);
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
