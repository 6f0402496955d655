/**
 * Puts the guard around a language model of the Vercel AI SDK (`ai` 5, 6 and 7), as middleware for `wrapLanguageModel`.
 * Only types of the framework are imported. Its versions differ in the specification's name and in the form of the finish
 * reason.
 */
import type { LanguageModelMiddleware } from 'ai';
import { maskedPrompt } from '../masked-prompt.ts';
import { blockedIfMasked } from '../telling.ts';
import type { Decision, Guard, GuardContext, Message } from '../types.ts';
import { checked, type Generated } from './ai-sdk/answer.ts';
import { decisionOn, type Part } from './ai-sdk/parts.ts';
import { refusedResult, refusedStream, versionOf } from './ai-sdk/refusal.ts';
import { GuardedParts } from './ai-sdk/stream.ts';
import { contextWith } from './whole.ts';

/** The part of a call that the guard reads. */
interface CallParameters {
  readonly prompt: readonly Message[];
  readonly abortSignal?: AbortSignal | undefined;
}

interface Streamed {
  readonly stream: ReadableStream<Part>;
}

type Asked<Value> =
  | { readonly value: Value; readonly refused?: undefined }
  | { readonly value?: undefined; readonly refused: Decision };

interface Call {
  readonly doGenerate: () => PromiseLike<Generated>;
  readonly doStream: () => PromiseLike<Streamed>;
  readonly params: CallParameters;
  readonly model?: { readonly specificationVersion?: unknown };
}

export interface AiSdkOptions {
  /** Returns session, turn and user of a call. */
  readonly context?: (params: unknown) => GuardContext;
}

/**
 * Creates the middleware. A blocked call answers with the guard's message and the finish reason `content-filter`. The version of
 * the SDK is read from the model of each call.
 * @throws TypeError in a call of a model of an unknown version, and the reason of an abort signal
 */
export function guardMiddleware(guard: Guard, { context: contextOf }: AiSdkOptions = {}): LanguageModelMiddleware {
  const contextFor = (params: CallParameters) => contextWith(contextOf?.(params), params.abortSignal);
  /** Prompts that could not be masked. */
  const refusals = new WeakMap<readonly Message[], Decision>();
  const start = ({ params, model }: Call) => {
    const version = versionOf(model?.specificationVersion);
    const context = contextFor(params);
    // Maskable data was masked before; the model must not read the rest.
    const refused = refusals.get(params.prompt);
    const input = refused === undefined ? guard.input(params.prompt, context).then(blockedIfMasked) : refused;
    return { context, version, input: Promise.resolve(input) };
  };
  /** Asks the model. Its error is read too: a provider quotes what it was asked. */
  const ask = async <Value>(run: () => PromiseLike<Value>, context: GuardContext): Promise<Asked<Value>> => {
    try {
      return { value: await run() };
    } catch (error) {
      throwIfLeft(context);
      const refused = await decisionOn(guard, { error }, context);
      if (refused.action === 'block') return { refused };
      throw error;
    }
  };
  const middleware = {
    // The SDK reads neither.
    specificationVersion: 'v3',
    middlewareVersion: 'v2',
    transformParams: async ({ params }: Pick<Call, 'params'>) => {
      if (!guard.masksInput) return params;
      const { messages, refused } = await maskedPrompt(guard, params.prompt, contextFor(params));
      throwIfLeft(contextFor(params));
      if (refused !== undefined) refusals.set(messages, refused);
      return { ...params, prompt: messages };
    },
    wrapGenerate: async (call: Call) => {
      const answering = start(call);
      const { context, version } = answering;
      const asked = guard.parallelInput ? undefined : await answering.input;
      throwIfLeft(context);
      if (asked?.action === 'block') return refusedResult(guard, asked, version);
      const [asking, input] = await Promise.all([ask(call.doGenerate, context), answering.input]);
      throwIfLeft(context);
      if (input.action === 'block') return refusedResult(guard, input, version, asking.value);
      if (asking.value === undefined) return refusedResult(guard, asking.refused, version);
      const { decision, answer } = await checked(guard, asking.value, context);
      throwIfLeft(context);
      return decision === undefined ? answer : refusedResult(guard, decision, version, answer);
    },
    wrapStream: async (call: Call) => {
      const answering = start(call);
      const { context, version } = answering;
      const asked = guard.parallelInput ? undefined : await answering.input;
      throwIfLeft(context);
      if (asked?.action === 'block') return { stream: refusedStream(guard, asked, version) };
      const { value, refused } = await ask(call.doStream, context);
      if (value === undefined) return { stream: refusedStream(guard, refused, version) };
      return { ...value, stream: new GuardedParts(guard, answering).of(value.stream) };
    },
  };
  return middleware as unknown as LanguageModelMiddleware;
}

/** A caller who has left gets the reason, as from the SDK, and no refusal. */
function throwIfLeft({ signal }: GuardContext): void {
  signal?.throwIfAborted();
}
