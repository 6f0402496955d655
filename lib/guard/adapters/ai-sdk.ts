/**
 * Puts the guard around a language model of the Vercel AI SDK (`ai` 5, 6 and 7), as middleware for `wrapLanguageModel`.
 * The types are structural: no framework is imported. Its versions differ only in the specification's name and in
 * the form of the finish reason.
 */
import type { LanguageModelMiddleware } from 'ai';
import { maskedPrompt } from '../masked-prompt.ts';
import { blockedIfMasked } from '../telling.ts';
import type { Decision, Guard, GuardContext, Message } from '../types.ts';
import { decisionAbout, type Part } from './ai-sdk/parts.ts';
import { type Generated, refusedResult, refusedStream, versionOf, withoutText } from './ai-sdk/refusal.ts';
import { type Answering, GuardedParts } from './ai-sdk/stream.ts';

/** The part of a call that the guard reads. */
interface CallParameters {
  readonly prompt: readonly Message[];
  readonly abortSignal?: AbortSignal | undefined;
}

interface Streamed {
  readonly stream: ReadableStream<Part>;
}

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
  const contextFor = (params: CallParameters): GuardContext => {
    const signal = params.abortSignal;
    return { ...contextOf?.(params), ...(signal === undefined ? {} : { signal }) };
  };
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
      const asked = guard.parallelInput ? undefined : await answering.input;
      throwIfLeft(answering.context);
      if (asked?.action === 'block') return refusedResult(guard, asked, answering.version);
      const [generated, decision] = await Promise.all([call.doGenerate(), answering.input]);
      throwIfLeft(answering.context);
      if (decision.action === 'block') return refusedResult(guard, decision, answering.version, generated);
      return checked(guard, generated, answering);
    },
    wrapStream: async (call: Call) => {
      const answering = start(call);
      const asked = guard.parallelInput ? undefined : await answering.input;
      throwIfLeft(answering.context);
      if (asked?.action === 'block') return { stream: refusedStream(guard, asked, answering.version) };
      const streamed = await call.doStream();
      return { ...streamed, stream: new GuardedParts(guard, answering).of(streamed.stream) };
    },
  };
  return middleware as unknown as LanguageModelMiddleware;
}

/** A caller who has left gets the reason, as from the SDK, and no refusal. */
function throwIfLeft({ signal }: GuardContext): void {
  signal?.throwIfAborted();
}

/** Decides about a complete answer: its texts, its reasoning, and the input of tools. */
async function checked(guard: Guard, generated: Generated, { context, version }: Answering) {
  const content: Part[] = [];
  let isMasked = false;
  for (const part of generated.content) {
    const decision = await decisionAbout(guard, part, context);
    throwIfLeft(context);
    if (decision?.action === 'block') return refusedResult(guard, decision, version, generated);
    isMasked ||= decision?.action === 'mask';
    content.push(decision?.action === 'mask' ? { ...part, text: decision.text ?? '' } : part);
  }
  return isMasked ? { ...generated, content, response: withoutText(generated) } : { ...generated, content };
}
