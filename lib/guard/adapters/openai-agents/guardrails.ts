/** Creates guardrails for the framework's agents, tools and servers. */
import { asReadable } from '../../readable.ts';
import type { Decision, Guard } from '../../types.ts';
import { decidedText, NOTHING, resultOf, writtenArguments } from '../values.ts';
import { type Item, messagesOf, type OpenAiAgentsOptions, SERVER } from './request.ts';

/** A guardrail's report: the decision, without any content. */
export interface GuardrailInfo extends Omit<Decision, 'text'> {
  /** The guard's message for the user; empty for an allow. */
  readonly message: string;
}

interface ToolGiven {
  readonly toolCall: { readonly name: string; readonly arguments: string };
}

/** Creates a guardrail for the input of an agent or a runner. Maskable content trips it too: a guardrail cannot mask. */
export function inputGuardrail(guard: Guard, { context }: OpenAiAgentsOptions = {}) {
  return {
    name: 'aisec-input',
    // The agent waits for the verdict; otherwise its tools could run first.
    runInParallel: false,
    execute: async (given: { readonly input: string | readonly object[] }) => {
      const input = messagesOf({ input: given.input as string | readonly Item[] });
      return tripwire(guard, await guard.input(input, context?.(given)));
    },
  };
}

/**
 * Creates a guardrail for the output of an agent or a runner, text or structured. A streamed output has already been
 * shown when it runs.
 */
export function outputGuardrail(guard: Guard, { context }: OpenAiAgentsOptions = {}) {
  return {
    name: 'aisec-output',
    execute: async (given: { readonly agentOutput: unknown }) =>
      tripwire(guard, await decidedText(guard, () => asReadable(given.agentOutput), context?.(given) ?? {})),
  };
}

/** Creates both guardrails, as members of an agent or a runner. */
export function guardrails(guard: Guard, options: OpenAiAgentsOptions = {}) {
  return { inputGuardrails: [inputGuardrail(guard, options)], outputGuardrails: [outputGuardrail(guard, options)] };
}

/**
 * Creates the guardrails of a function tool, as its members. The model gets the guard's message instead of a blocked
 * call or result.
 */
export function toolGuardrails(guard: Guard, { context }: OpenAiAgentsOptions = {}) {
  const input = {
    type: 'tool_input' as const,
    name: 'aisec-tool-input',
    run: async (given: ToolGiven) => {
      const { name: tool, arguments: text } = given.toolCall;
      return ruling(guard, await guard.tool({ server: SERVER, tool, input: writtenArguments(text) }, context?.(given)));
    },
  };
  const output = {
    type: 'tool_output' as const,
    name: 'aisec-tool-output',
    run: async (given: ToolGiven & { readonly output: unknown }) => {
      const result = resultOf(given.output);
      const call = { server: SERVER, tool: given.toolCall.name, output: result };
      // A result without text, such as a picture.
      if (result === '') return ruling(guard, { ...NOTHING, kind: 'tool' });
      return ruling(guard, await guard.tool(call, context?.(given)));
    },
  };
  return { inputGuardrails: [input], outputGuardrails: [output] };
}

/**
 * Creates the guardrails of a server of the Model Context Protocol, as its members: they apply to each of its tools.
 */
export function mcpGuardrails(guard: Guard, options: OpenAiAgentsOptions = {}) {
  const { inputGuardrails, outputGuardrails } = toolGuardrails(guard, options);
  return { toolInputGuardrails: inputGuardrails, toolOutputGuardrails: outputGuardrails };
}

function tripwire(guard: Guard, decision: Decision) {
  return { tripwireTriggered: decision.action !== 'allow', outputInfo: infoOf(guard, decision) };
}

function ruling(guard: Guard, decision: Decision) {
  const outputInfo = infoOf(guard, decision);
  const { action, message } = outputInfo;
  const rejected = { type: 'rejectContent', message } as const;
  return { behavior: action === 'allow' ? ({ type: 'allow' } as const) : rejected, outputInfo };
}

function infoOf(guard: Guard, decision: Decision): GuardrailInfo {
  const { text: _, ...told } = decision;
  return { message: told.action === 'allow' ? '' : guard.message(decision), ...told };
}
