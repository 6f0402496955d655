/**
 * Puts the guard around agents of the OpenAI Agents SDK (`@openai/agents` 0.20): as guardrails of agents and tools, and around
 * their models. The types are structural: no framework is imported.
 */
import { jsonOrText } from '../new-content.ts';
import type { Decision, Guard, GuardContext } from '../types.ts';
import { checkedOutput, refusedResponse, unknownUsage } from './openai-agents/answer.ts';
import { FOREIGN, readableText } from './openai-agents/readable.ts';
import { clearedRequest, messagesOf } from './openai-agents/request.ts';
import { guardedEvents, refusedEvent } from './openai-agents/stream.ts';
import {
  type AgentsEvent,
  type AgentsModel,
  type AgentsRequest,
  type AgentsResponse,
  type Item,
  type OpenAiAgentsOptions,
  SERVER,
} from './openai-agents/types.ts';

export type { OpenAiAgentsOptions } from './openai-agents/types.ts';

/** What a guardrail reports: never a text of the content. */
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
  /** The agent waits for the verdict: else its tools may have run before it. */
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

/** A model of the framework. Its own types of requests and answers are wider than what the guard reads. */
interface AnyModel {
  readonly supportsPromptModelSelection?: boolean;
  getResponse(request: never): Promise<unknown>;
  getStreamedResponse(request: never): AsyncIterable<unknown>;
  getRetryAdvice?(about: never): unknown;
}

/** The framework's interface of a model, without what a provider adds to it. */
export type GuardedModel<M extends AnyModel> = Pick<M, keyof M & keyof AnyModel>;

/** A provider of models by name. */
interface AnyProvider<M extends AnyModel> {
  getModel(name?: string): M | Promise<M>;
  close?(): Promise<void>;
}

export interface GuardedProvider<M extends AnyModel> {
  getModel(name?: string): Promise<GuardedModel<M>>;
  /** Closes the provider within, if it can be closed. */
  close(): Promise<void>;
}

/** Creates a guardrail for the input of an agent or a runner. What the service would mask trips it: a guardrail cannot mask. */
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

/**
 * Puts the guard around a model: around each request and each answer, plain and streamed. A blocked request or answer becomes a
 * refusal with the guard's message, for which the framework throws its `ModelRefusalError`.
 * @throws TypeError for a model that is no object, such as a name
 */
export function guardModel<M extends AnyModel>(
  guard: Guard,
  model: M,
  options: OpenAiAgentsOptions = {},
): GuardedModel<M> {
  // Callers without a compiler are checked here: a name of a model would be sent unguarded.
  const { getResponse, getStreamedResponse } = Object(model) as Partial<AnyModel>;
  if (typeof getResponse !== 'function' || typeof getStreamedResponse !== 'function')
    throw new TypeError(
      'guardModel takes a model with getResponse and getStreamedResponse. For names use guardProvider.',
    );
  return guarded(guard, model as unknown as AgentsModel, options) as unknown as GuardedModel<M>;
}

/** Puts the guard around each model of a provider, so that it holds for every agent whose model is a name. */
export function guardProvider<M extends AnyModel>(
  guard: Guard,
  provider: AnyProvider<M>,
  options: OpenAiAgentsOptions = {},
): GuardedProvider<M> {
  return {
    getModel: async (name) => guardModel(guard, await provider.getModel(name), options),
    close: async () => provider.close?.(),
  };
}

function guarded(guard: Guard, model: AgentsModel, { context: contextOf }: OpenAiAgentsOptions): AgentsModel {
  // A mask must be in the text before the model gets it.
  const runsAtOnce = guard.parallelInput && !guard.masksInput;
  const start = (request: AgentsRequest) => {
    const { signal } = request;
    const context = { ...contextOf?.(request), ...(signal === undefined ? {} : { signal }) };
    return { context, cleared: clearedRequest(guard, request, context) };
  };
  const { supportsPromptModelSelection } = model;
  return {
    ...(supportsPromptModelSelection === undefined ? {} : { supportsPromptModelSelection }),
    ...(model.getRetryAdvice === undefined ? {} : { getRetryAdvice: (about) => model.getRetryAdvice?.(about) }),
    getResponse: async (request) => {
      const { context, cleared } = start(request);
      const asked = runsAtOnce ? undefined : await cleared;
      if (asked?.decision.action === 'block') return refusedResponse(guard, asked.decision, unknownUsage(0));
      const sent = untraced(asked?.request ?? request);
      const [response, { decision }] = await Promise.all([model.getResponse(sent), cleared]);
      if (decision.action === 'block') return refusedResponse(guard, decision, response.usage);
      return checkedResponse(guard, response, context);
    },
    getStreamedResponse: async function* (request): AsyncGenerator<AgentsEvent> {
      const { context, cleared } = start(request);
      const asked = runsAtOnce ? undefined : await cleared;
      if (asked?.decision.action === 'block') {
        yield { type: 'response_started' };
        yield refusedEvent(guard, asked.decision, unknownUsage(0));
        return;
      }
      const source = model.getStreamedResponse(untraced(asked?.request ?? request));
      yield* guardedEvents(guard, source, { context, input: cleared.then(({ decision }) => decision) });
    },
  };
}

/** Decides about an answer. The provider's raw form of it is dropped: it may hold more than was scanned. */
async function checkedResponse(guard: Guard, response: AgentsResponse, context: GuardContext): Promise<AgentsResponse> {
  const { usage, output, responseId, requestId, rawUsage } = response;
  const checked = await checkedOutput(guard, output, context);
  if ('blocked' in checked) return refusedResponse(guard, checked.blocked, usage);
  const known = { responseId, requestId, ...(rawUsage === undefined ? {} : { rawUsage }) };
  return { usage, output: checked.output, ...known };
}

/** Keeps texts out of the model's trace, which is written before the verdict. */
function untraced(request: AgentsRequest): AgentsRequest {
  return request.tracing === true ? { ...request, tracing: 'enabled_without_data' } : request;
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
