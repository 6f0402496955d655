/**
 * Puts the guard around a language model of the Vercel AI SDK (`ai` 5, 6 and 7), as middleware for `wrapLanguageModel`.
 * Imports only the framework's types. Its versions differ in the specification's name and in the shape of the finish
 * reason.
 */
import type { LanguageModelMiddleware } from 'ai';
import { maskedPrompt } from '../conversation.ts';
import { blockedIfMasked } from '../decisions.ts';
import type { AdapterOptions, Decision, Guard, GuardContext, Message } from '../types.ts';
import { checked, decisionOn, type Generated, type Part, refusedResult, versionOf } from './ai-sdk/answer.ts';
import { type Answering, GuardedParts } from './ai-sdk/stream.ts';
import { contextWith } from './values.ts';

/** The part of a call that the guard reads. */
interface CallParameters {
  readonly prompt: readonly Message[];
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * The model's answer. It is missing if the model was not called or if its error message was blocked; the input
 * is then refused.
 */
type Asked<Value> = Answering & { readonly value?: Value };

interface Call {
  readonly doGenerate: () => PromiseLike<Generated>;
  readonly doStream: () => PromiseLike<{ readonly stream: ReadableStream<Part> }>;
  readonly params: CallParameters;
  readonly model?: { readonly specificationVersion?: unknown };
}

/** Builds the context from the call. */
export type AiSdkOptions = AdapterOptions;

/**
 * Creates the middleware. A blocked call answers with the guard's message and the finish reason `content-filter`. The
 * SDK version is read from the model of each call.
 * @throws TypeError when a model of an unknown version is called; on abort, the signal's reason
 */
export function guardMiddleware(guard: Guard, { context: contextOf }: AiSdkOptions = {}): LanguageModelMiddleware {
  const contextFor = (params: CallParameters) => contextWith(contextOf?.(params), params.abortSignal);
  /** Prompts that could not be masked. */
  const refusals = new WeakMap<readonly Message[], Decision>();
  /** Sends the model the prompt that passed. Scans its error too: a provider's error may quote the prompt. */
  const asked = async <Value>({ params, model }: Call, run: () => PromiseLike<Value>): Promise<Asked<Value>> => {
    const version = versionOf(model?.specificationVersion);
    const context = contextFor(params);
    // Maskable data was masked before; the model must not read the rest.
    const unmasked = refusals.get(params.prompt);
    const input = Promise.resolve(unmasked ?? guard.input(params.prompt, context).then(blockedIfMasked));
    const answering = { context, version, input };
    const before = guard.parallelInput ? undefined : await input;
    throwIfLeft(context);
    if (before?.action === 'block') return answering;
    try {
      return { ...answering, value: await run() };
    } catch (error) {
      throwIfLeft(context);
      const refused = await decisionOn(guard, { error }, context);
      if (refused.action === 'block') return { ...answering, input: Promise.resolve(refused) };
      throw error;
    }
  };
  const middleware = {
    // The SDK reads neither member.
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
      const { context, version, input: deciding, value } = await asked(call, call.doGenerate);
      const input = await deciding;
      throwIfLeft(context);
      if (value === undefined || input.action === 'block') return refusedResult(guard, input, version, value);
      const { decision, answer } = await checked(guard, value, context);
      throwIfLeft(context);
      return decision === undefined ? answer : refusedResult(guard, decision, version, answer);
    },
    wrapStream: async (call: Call) => {
      const { value, ...answering } = await asked(call, call.doStream);
      const guarded = new GuardedParts(guard, answering);
      if (value !== undefined) return { ...value, stream: guarded.of(value.stream) };
      const stream = new ReadableStream<Part>({ start: (to) => to.enqueue({ type: 'stream-start', warnings: [] }) });
      return { stream: guarded.of(stream) };
    },
  };
  return middleware as unknown as LanguageModelMiddleware;
}

/** If the caller has aborted, rejects with the signal's reason, as the SDK does, instead of a refusal. */
function throwIfLeft({ signal }: GuardContext): void {
  signal?.throwIfAborted();
}
