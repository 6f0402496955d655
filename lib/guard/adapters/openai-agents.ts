/**
 * Puts the guard around agents of the OpenAI Agents SDK (`@openai/agents` 0.20): as guardrails of agents and tools, and
 * around their models. The types are structural, because the SDK needs a newer Node than aisec; the framework trials
 * compile them against the SDK's own types.
 */
import type { Guard } from '../types.ts';
import {
  checkedResponse,
  guardedAgentEvents,
  refusedEvent,
  refusedResponse,
  unknownUsage,
} from './openai-agents/answer.ts';
import {
  type AgentsEvent,
  type AgentsRequest,
  type AgentsResponse,
  clearedRequest,
  type OpenAiAgentsOptions,
} from './openai-agents/request.ts';
import { contextWith } from './values.ts';

export {
  type GuardrailInfo,
  guardrails,
  inputGuardrail,
  mcpGuardrails,
  outputGuardrail,
  toolGuardrails,
} from './openai-agents/guardrails.ts';
export type { OpenAiAgentsOptions } from './openai-agents/request.ts';

/** A model of the framework. Its requests and answers have more members than the guard reads. */
interface AnyModel<Request = never, Response = unknown, Event = unknown> {
  readonly supportsPromptModelSelection?: boolean;
  getResponse(request: Request): Promise<Response>;
  getStreamedResponse(request: Request): AsyncIterable<Event>;
  getRetryAdvice?(about: Request): unknown;
}

type AgentsModel = AnyModel<AgentsRequest, AgentsResponse, AgentsEvent>;

/** The framework's model interface, without provider-specific additions. */
export type GuardedModel<M extends AnyModel> = Pick<M, keyof M & keyof AnyModel>;

/** Resolves models by name. */
interface AnyProvider<M extends AnyModel> {
  getModel(name?: string): M | Promise<M>;
  close?(): Promise<void>;
}

export interface GuardedProvider<M extends AnyModel> {
  getModel(name?: string): Promise<GuardedModel<M>>;
  /** Closes the wrapped provider, if it can be closed. */
  close(): Promise<void>;
}

/**
 * Puts the guard around a model: each request and each answer, streamed or not. A blocked request or answer becomes a
 * refusal with the guard's message, on which the framework throws its `ModelRefusalError`.
 * @throws TypeError if the model is not an object, for example a name
 */
export function guardModel<M extends AnyModel>(
  guard: Guard,
  model: M,
  options: OpenAiAgentsOptions = {},
): GuardedModel<M> {
  // Check JavaScript callers at run time: a model given by name would run unguarded.
  const { getResponse, getStreamedResponse } = Object(model) as Partial<AnyModel>;
  if (typeof getResponse !== 'function' || typeof getStreamedResponse !== 'function')
    throw new TypeError(
      'guardModel takes a model with getResponse and getStreamedResponse. For names use guardProvider.',
    );
  return guarded(guard, model as unknown as AgentsModel, options) as unknown as GuardedModel<M>;
}

/** Puts the guard around each model of a provider, so that it covers every agent whose model is given by name. */
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
  // The text must be masked before the model gets it.
  const runsAtOnce = guard.parallelInput && !guard.masksInput;
  const start = (request: AgentsRequest) => {
    const context = contextWith(contextOf?.(request), request.signal);
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
      yield* guardedAgentEvents(guard, source, { context, input: cleared.then(({ decision }) => decision) });
    },
  };
}

/** Keeps texts out of the model's trace, which is written before the verdict. */
function untraced(request: AgentsRequest): AgentsRequest {
  return request.tracing === true ? { ...request, tracing: 'enabled_without_data' } : request;
}
