/** Guardrails for agents, tools and servers of the framework. */
import { jsonOrText } from '../../new-content.ts';
import type { Decision, Guard } from '../../types.ts';
import { FOREIGN, readableText } from './readable.ts';
import { messagesOf } from './request.ts';
import { type Item, type OpenAiAgentsOptions, SERVER } from './types.ts';

/** The report of a guardrail, without any text of the content. */
export interface GuardrailInfo {
  /** The guard's message for the user. */
  readonly message: string;
  readonly action: Decision['action'];
  readonly category?: string;
  readonly detectors?: readonly string[];
  readonly unscanned?: Decision['unscanned'];
  readonly scanId?: string;
  readonly reportId?: string;
}

interface Tripwire {
  readonly tripwireTriggered: boolean;
  readonly outputInfo: GuardrailInfo;
}

export interface InputGuardrail {
  readonly name: string;
  /** The agent waits for the verdict; otherwise its tools could run first. */
  readonly runInParallel: false;
  execute(given: { readonly input: string | readonly object[] }): Promise<Tripwire>;
}

export interface OutputGuardrail {
  readonly name: string;
  execute(given: { readonly agentOutput: unknown }): Promise<Tripwire>;
}

interface Ruling {
  readonly behavior: { readonly type: 'allow' } | { readonly type: 'rejectContent'; readonly message: string };
  readonly outputInfo: GuardrailInfo;
}

const NOTHING_TO_SCAN: Ruling = { behavior: { type: 'allow' }, outputInfo: { message: '', action: 'allow' } };

interface FunctionCall {
  readonly name: string;
  readonly arguments: string;
}

export interface ToolInputGuardrail {
  readonly type: 'tool_input';
  readonly name: string;
  run(given: { readonly toolCall: FunctionCall }): Promise<Ruling>;
}

export interface ToolOutputGuardrail {
  readonly type: 'tool_output';
  readonly name: string;
  run(given: { readonly toolCall: FunctionCall; readonly output: unknown }): Promise<Ruling>;
}

/** Creates a guardrail for the input of an agent or a runner. Maskable content trips it too: a guardrail cannot mask. */
export function inputGuardrail(guard: Guard, { context }: OpenAiAgentsOptions = {}): InputGuardrail {
  return {
    name: 'aisec-input',
    runInParallel: false,
    execute: async (given) => {
      const input = messagesOf(given.input as string | readonly Item[]);
      return tripwire(guard, await guard.input(input, context?.(given)));
    },
  };
}

/** Creates a guardrail for the output of an agent or a runner, text or structured. It runs after a stream was shown. */
export function outputGuardrail(guard: Guard, { context }: OpenAiAgentsOptions = {}): OutputGuardrail {
  return {
    name: 'aisec-output',
    execute: async (given) => tripwire(guard, await guard.output(jsonOrText(given.agentOutput), context?.(given))),
  };
}

/** Creates both guardrails, as members of an agent or a runner. */
export function guardrails(guard: Guard, options: OpenAiAgentsOptions = {}) {
  return { inputGuardrails: [inputGuardrail(guard, options)], outputGuardrails: [outputGuardrail(guard, options)] };
}

/** Creates the guardrails of a function tool, as its members. In place of a blocked call or result the model gets the message. */
export function toolGuardrails(guard: Guard, { context }: OpenAiAgentsOptions = {}) {
  const input: ToolInputGuardrail = {
    type: 'tool_input',
    name: 'aisec-tool-input',
    run: async (given) => {
      const { name, arguments: text } = given.toolCall;
      return ruling(guard, await guard.tool({ server: SERVER, tool: name, input: text }, context?.(given)));
    },
  };
  const output: ToolOutputGuardrail = {
    type: 'tool_output',
    name: 'aisec-tool-output',
    run: async (given) => {
      const result = readableText(given.output, FOREIGN);
      if (result === '') return NOTHING_TO_SCAN;
      const call = { server: SERVER, tool: given.toolCall.name, output: result };
      return ruling(guard, await guard.tool(call, context?.(given)));
    },
  };
  return { inputGuardrails: [input], outputGuardrails: [output] };
}

/** Creates the guardrails of a server of the Model Context Protocol, as its members: they hold for each of its tools. */
export function mcpGuardrails(guard: Guard, options: OpenAiAgentsOptions = {}) {
  const { inputGuardrails, outputGuardrails } = toolGuardrails(guard, options);
  return { toolInputGuardrails: inputGuardrails, toolOutputGuardrails: outputGuardrails };
}

function tripwire(guard: Guard, decision: Decision): Tripwire {
  return { tripwireTriggered: decision.action !== 'allow', outputInfo: infoOf(guard, decision) };
}

function ruling(guard: Guard, decision: Decision): Ruling {
  const outputInfo = infoOf(guard, decision);
  const isAllowed = decision.action === 'allow';
  return {
    behavior: isAllowed ? { type: 'allow' } : { type: 'rejectContent', message: outputInfo.message },
    outputInfo,
  };
}

function infoOf(guard: Guard, decision: Decision): GuardrailInfo {
  const { action, verdict, unscanned, scanId, reportId } = decision;
  return {
    message: action === 'allow' ? '' : guard.message(decision),
    action,
    ...(verdict === undefined ? {} : { category: verdict.category, detectors: verdict.detectors }),
    ...(unscanned === undefined ? {} : { unscanned }),
    ...(scanId === undefined ? {} : { scanId }),
    ...(reportId === undefined ? {} : { reportId }),
  };
}
