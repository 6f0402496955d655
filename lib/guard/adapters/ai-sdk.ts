/**
 * Puts the guard around a language model of the Vercel AI SDK (`ai` 5, 6 and 7), as middleware for `wrapLanguageModel`.
 * The types are structural: no framework is imported. Its versions differ in the specification's name and in the form of
 * the finish reason alone.
 */
import { maskedPrompt } from '../masked-prompt.ts';
import { textOf } from '../new-content.ts';
import { blockedIfMasked } from '../telling.ts';
import type { Decision, Guard, GuardContext, HeldStream, Message } from '../types.ts';
import { SERVER } from './ai-sdk/tools.ts';

/** Versions of the SDK's interface of models: `ai` 5 has v2, 6 has v3, 7 has v4. */
const SPECIFICATIONS = ['v2', 'v3', 'v4'] as const;
type Specification = (typeof SPECIFICATIONS)[number];

type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** The part of a call that the guard reads. */
interface CallParameters {
  readonly prompt: readonly Message[];
  readonly abortSignal?: AbortSignal | undefined;
}

interface Generated {
  readonly content: readonly Part[];
  readonly usage?: unknown;
  readonly response?: Readonly<Record<string, unknown>>;
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

/** Middleware for `wrapLanguageModel`, of each version of the SDK: `never` is a value of each version's types. */
export interface GuardMiddleware {
  readonly specificationVersion: never;
  readonly middlewareVersion: never;
  // The SDK's types are wider than the parts that the guard reads.
  transformParams(call: never): Promise<never>;
  wrapGenerate(call: never): Promise<never>;
  wrapStream(call: never): Promise<never>;
}

const NOTHING_USED = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };
/** Calls of tools of a model; their input is text that the model wrote. */
const TOOL_INPUT = ['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call'];
const HELD_STARTS = ['text-start', 'reasoning-start'];
const HELD_DELTAS = ['text-delta', 'reasoning-delta'];
const HELD_ENDS = ['text-end', 'reasoning-end'];

/** Parts that say nothing of the answer. */
const EMPTY = ['stream-start', 'response-metadata', 'ping'];
/** Parts without text of the model. The service scans no files. */
const PASSING = [...EMPTY, 'finish', 'error', 'source', 'file', 'reasoning-file', 'tool-approval-request'];

/**
 * Creates the middleware. A blocked call answers with the guard's message and the finish reason `content-filter`. The version of
 * the SDK is read from the model of each call.
 * @throws TypeError in a call of a model of an unknown version, and the reason of an abort signal
 */
export function guardMiddleware(guard: Guard, { context: contextOf }: AiSdkOptions = {}): GuardMiddleware {
  const contextFor = (params: CallParameters): GuardContext => {
    const signal = params.abortSignal;
    return { ...contextOf?.(params), ...(signal === undefined ? {} : { signal }) };
  };
  /** Prompts that could not be masked. */
  const refusals = new WeakMap<readonly Message[], Decision>();
  const start = ({ params, model }: Call) => {
    const version = versionOf(model?.specificationVersion);
    const context = contextFor(params);
    // What could be masked was masked before; the model must not read what is left.
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
  return middleware as unknown as GuardMiddleware;
}

function versionOf(specification: unknown): Specification {
  const version = SPECIFICATIONS.find((known) => known === specification);
  if (version !== undefined) return version;
  const names = SPECIFICATIONS.join(', ');
  throw new TypeError(`The guard knows models of the specifications ${names}, not ${String(specification)}.`);
}

/** A caller who has left gets the reason, as from the SDK, and no refusal. */
function throwIfLeft({ signal }: GuardContext): void {
  signal?.throwIfAborted();
}

interface Answering {
  readonly context: GuardContext;
  readonly input: Promise<Decision>;
  readonly version: Specification;
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

/** Returns what is known of a response without its body, which has the text that the model wrote. */
function withoutText({ response = {} }: Generated): Readonly<Record<string, unknown>> {
  const { id, timestamp, modelId } = response;
  return { id, timestamp, modelId };
}

/** Returns the decision about a part; undefined for parts without text. A part of an unknown type is scanned as JSON. */
function decisionAbout(guard: Guard, part: Part, context: GuardContext): Promise<Decision> | undefined {
  if (part.type === 'text' || part.type === 'reasoning') return guard.output(String(part['text']), context);
  if (part.type === 'tool-call') return guard.tool({ ...toolOf(part), input: part['input'] }, context);
  // The provider ran the tool: its result is all that can be scanned.
  if (part.type === 'tool-result') return guard.tool({ ...toolOf(part), output: textOf(part) }, context);
  // The mask of a form that is not known cannot be put into it.
  return PASSING.includes(part.type) ? undefined : guard.output(JSON.stringify(part), context).then(blockedIfMasked);
}

function toolOf(part: Part): { readonly server: string; readonly tool: string } {
  return { server: SERVER, tool: String(part['toolName']) };
}

/** One answer on its way to its reader: what is not scanned waits, and after a block nothing passes. */
class GuardedParts {
  readonly #guard: Guard;
  readonly #context: GuardContext;
  readonly #input: Promise<Decision>;
  readonly #version: Specification;
  /** Open texts by the name of their last part and their id. */
  readonly #held = new Map<string, HeldStream>();
  /** Parts of calls of tools by the id of the call, which wait for the whole call. */
  readonly #calls = new Map<string, Part[]>();
  #refused = false;
  /** Nothing more is read or passed. */
  #ended = false;

  constructor(guard: Guard, { context, input, version }: Answering) {
    this.#guard = guard;
    this.#context = context;
    this.#input = input;
    this.#version = version;
  }

  /** Returns the parts that may pass, read from the model as their reader asks for them. */
  of(source: ReadableStream<Part>): ReadableStream<Part> {
    const reader = source.getReader();
    const { signal } = this.#context;
    let leave: () => void = () => undefined;
    /** Ends the request of the model as well. */
    const stop = async (reason?: unknown) => {
      this.#end();
      signal?.removeEventListener('abort', leave);
      await reader.cancel(reason);
    };
    return new ReadableStream<Part>({
      start: (controller) => {
        leave = () => {
          if (this.#ended) return;
          controller.error(signal?.reason);
          stop(signal?.reason).catch(() => undefined);
        };
        if (signal?.aborted === true) return leave();
        signal?.addEventListener('abort', leave);
        const refuse = (decision: Decision) => {
          if (this.#ended || decision.action !== 'block') return;
          for (const part of this.#refuse(decision)) controller.enqueue(part);
          controller.close();
          stop().catch(() => undefined);
        };
        // A model that is slow to begin must not delay the refusal of the prompt. A failure is that of the next part.
        this.#input.then(refuse, () => undefined);
      },
      pull: async (controller) => {
        while (!this.#isOver()) {
          const { done, value } = await reader.read();
          if (this.#isOver()) return;
          if (done) {
            await stop();
            return controller.close();
          }
          const passed = await this.#pass(value);
          if (this.#isOver()) return;
          for (const part of passed) controller.enqueue(part);
          if (this.#refused) {
            controller.close();
            return stop();
          }
          if (passed.length > 0) return;
        }
      },
      cancel: stop,
    });
  }

  async #pass(part: Part): Promise<readonly Part[]> {
    const [kind = ''] = part.type.split('-');
    const id = `${kind}-end ${String(part['id'])}`;
    if (HELD_STARTS.includes(part.type)) {
      this.#held.set(id, this.#guard.stream(this.#context, { input: this.#input }));
      return [part];
    }
    const held = this.#held.get(id);
    if (HELD_DELTAS.includes(part.type)) {
      // Text without a start belongs to no answer: it never passes.
      if (held === undefined) return [];
      return this.#released(part, held, await held.push(String(part['delta'])));
    }
    if (HELD_ENDS.includes(part.type) && held !== undefined) {
      const released = this.#released({ ...part, type: part.type.replace('-end', '-delta') }, held, await held.end());
      if (!this.#refused) this.#held.delete(id);
      return this.#refused ? released : [...released, part];
    }
    // The provider's own form of what is held back.
    if (part.type === 'raw') return [];
    if (EMPTY.includes(part.type)) return [part];
    return TOOL_INPUT.includes(part.type) ? this.#callParts(part) : this.#decided(part, [part]);
  }

  #released(part: Part, held: HeldStream, delta: string): readonly Part[] {
    const parts = delta === '' ? [] : [{ ...part, delta }];
    return held.blocked && held.decision !== undefined ? [...parts, ...this.#refuse(held.decision)] : parts;
  }

  /** Keeps the parts of a call until it is complete. */
  async #callParts(part: Part): Promise<readonly Part[]> {
    const id = String(part['toolCallId'] ?? part['id']);
    const waiting = this.#calls.get(id) ?? [];
    if (part.type !== 'tool-call') {
      this.#calls.set(id, [...waiting, part]);
      return [];
    }
    this.#calls.delete(id);
    return this.#decided(part, [...asScanned(waiting, String(part['input'])), part]);
  }

  /** @returns `parts` where the prompt and the part are allowed */
  async #decided(part: Part, parts: readonly Part[]): Promise<readonly Part[]> {
    const input = await this.#input;
    const decision = input.action === 'block' ? input : await decisionAbout(this.#guard, part, this.#context);
    return decision?.action === 'block' ? this.#refuse(decision) : parts;
  }

  /** Returns the parts that end the answer: open texts end, the message follows, and the reason is the filter's. */
  #refuse(decision: Decision): readonly Part[] {
    this.#refused = true;
    const open = [...this.#held.keys()].map((key) => {
      const [type = '', ...id] = key.split(' ');
      return { type, id: id.join(' ') };
    });
    this.#cancel();
    return [...open, ...refusalParts(this.#guard, decision, this.#version)];
  }

  /** The caller may leave during any wait. */
  #isOver(): boolean {
    return this.#ended;
  }

  #end(): void {
    this.#ended = true;
    this.#cancel();
  }

  #cancel(): void {
    for (const held of this.#held.values()) held.cancel();
    this.#held.clear();
    this.#calls.clear();
  }
}

/** Returns the parts of an input of a tool with the text that is scanned, where a provider sends another in pieces. */
function asScanned(parts: readonly Part[], input: string): readonly Part[] {
  const isDelta = (part: Part) => part.type === 'tool-input-delta';
  const deltas = parts.filter(isDelta);
  const [first] = deltas;
  if (first === undefined || deltas.map(({ delta }) => String(delta)).join('') === input) return parts;
  return parts.flatMap((part) => (part === first ? [{ ...part, delta: input }] : isDelta(part) ? [] : [part]));
}

function finishReason(version: Specification) {
  return version === 'v2' ? 'content-filter' : { unified: 'content-filter', raw: 'aisec' };
}

function usageOf(version: Specification) {
  if (version === 'v2') return NOTHING_USED;
  const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  return { inputTokens: none, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };
}

/** @param generated the answer that is blocked: its price stays, its text does not */
function refusedResult(guard: Guard, decision: Decision, version: Specification, generated?: Generated) {
  return {
    content: [{ type: 'text', text: guard.message(decision) }],
    finishReason: finishReason(version),
    usage: generated?.usage ?? usageOf(version),
    warnings: [],
    ...(generated?.response === undefined ? {} : { response: withoutText(generated) }),
  };
}

function refusalParts(guard: Guard, decision: Decision, version: Specification): Part[] {
  const id = 'aisec-refusal';
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: guard.message(decision) },
    { type: 'text-end', id },
    { type: 'finish', finishReason: finishReason(version), usage: usageOf(version) },
  ];
}

function refusedStream(guard: Guard, decision: Decision, version: Specification): ReadableStream<Part> {
  return new ReadableStream<Part>({
    start: (controller) => {
      controller.enqueue({ type: 'stream-start', warnings: [] });
      for (const part of refusalParts(guard, decision, version)) controller.enqueue(part);
      controller.close();
    },
  });
}
