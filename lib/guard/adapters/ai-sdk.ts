/**
 * Puts the guard around a language model of the Vercel AI SDK (`ai` 5, 6 and 7), as middleware for `wrapLanguageModel`.
 * The types are structural: no framework is imported. Its versions differ in the specification's name and in the form of
 * the finish reason alone.
 */
import { textOf } from '../new-content.ts';
import type { Decision, Guard, GuardContext, HeldStream, Message } from '../types.ts';

/** Versions of the SDK's interface of models: `ai` 5 has v2, 6 has v3, 7 has v4. */
export type Specification = 'v2' | 'v3' | 'v4';

type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** The part of a call that the guard reads. */
interface CallParameters {
  readonly prompt: readonly Message[];
  readonly abortSignal?: AbortSignal | undefined;
}

interface Generated {
  readonly content: readonly Part[];
}

interface Streamed {
  readonly stream: ReadableStream<Part>;
}

interface Call {
  readonly doGenerate: () => PromiseLike<Generated>;
  readonly doStream: () => PromiseLike<Streamed>;
  readonly params: CallParameters;
}

export interface AiSdkOptions {
  /** Default: `v3`. */
  readonly specification?: Specification;
  /** Returns session, turn and user of a call. */
  readonly context?: (params: unknown) => GuardContext;
}

/** Middleware for `wrapLanguageModel`. */
export interface GuardMiddleware<Spec extends Specification> {
  readonly specificationVersion: Spec;
  readonly middlewareVersion: Spec;
  // The SDK's types of results are wider than the parts that the guard reads.
  wrapGenerate(call: never): Promise<never>;
  wrapStream(call: never): Promise<never>;
}

const NOTHING_USED = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };
/** Calls of tools of a model; their input is text that the model wrote. */
const TOOL_INPUT = ['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call'];
const HELD_STARTS = ['text-start', 'reasoning-start'];
const HELD_DELTAS = ['text-delta', 'reasoning-delta'];
const HELD_ENDS = ['text-end', 'reasoning-end'];

/** Parts without text of the model. The service scans no files. */
const PASSING = [
  ...['stream-start', 'response-metadata', 'finish', 'ping', 'error', 'source', 'file', 'reasoning-file'],
  'tool-approval-request',
];

/** Creates the middleware. A blocked call answers with the guard's message and the finish reason `content-filter`. */
export function guardMiddleware<const Spec extends Specification = 'v3'>(
  guard: Guard,
  { specification, context: contextOf }: AiSdkOptions & { readonly specification?: Spec } = {},
): GuardMiddleware<Spec> {
  const version = (specification ?? 'v3') as Spec;
  const start = (params: CallParameters) => {
    const signal = params.abortSignal;
    const context = { ...contextOf?.(params), ...(signal === undefined ? {} : { signal }) };
    return { context, input: guard.input(params.prompt, context) };
  };
  const middleware = {
    specificationVersion: version,
    middlewareVersion: version,
    wrapGenerate: async ({ doGenerate, params }: Call) => {
      const { context, input } = start(params);
      const asked = guard.parallelInput ? undefined : await input;
      if (asked?.action === 'block') return refusedResult(guard, asked, version);
      const [generated, decision] = await Promise.all([doGenerate(), input]);
      if (decision.action === 'block') return refusedResult(guard, decision, version);
      return checked(guard, generated, { context, version });
    },
    wrapStream: async ({ doStream, params }: Call) => {
      const { context, input } = start(params);
      const asked = guard.parallelInput ? undefined : await input;
      if (asked?.action === 'block') return { stream: refusedStream(guard, asked, version) };
      const streamed = await doStream();
      const parts = new GuardedParts(guard, { context, input, version });
      return { ...streamed, stream: parts.of(streamed.stream) };
    },
  };
  return middleware as unknown as GuardMiddleware<Spec>;
}

interface Answering {
  readonly context: GuardContext;
  readonly version: Specification;
}

/** Decides about a complete answer: its texts, its reasoning, and the input of tools. */
async function checked(guard: Guard, generated: Generated, { context, version }: Answering) {
  const content: Part[] = [];
  for (const part of generated.content) {
    const decision = await decisionAbout(guard, part, context);
    if (decision?.action === 'block') return { ...generated, ...refusedResult(guard, decision, version) };
    content.push(decision?.action === 'mask' ? { ...part, text: decision.text ?? '' } : part);
  }
  return { ...generated, content };
}

/** Returns the decision about a part; undefined for parts without text. A part of an unknown type is scanned as JSON. */
function decisionAbout(guard: Guard, part: Part, context: GuardContext): Promise<Decision> | undefined {
  if (part.type === 'text' || part.type === 'reasoning') return guard.output(String(part['text']), context);
  if (part.type === 'tool-call') return guard.tool({ ...toolOf(part), input: part['input'] }, context);
  // The provider ran the tool: its result is all that can be scanned.
  if (part.type === 'tool-result') return guard.tool({ ...toolOf(part), output: textOf(part) }, context);
  return PASSING.includes(part.type) ? undefined : guard.output(JSON.stringify(part), context);
}

function toolOf(part: Part): { readonly server: string; readonly tool: string } {
  return { server: 'ai-sdk', tool: String(part['toolName']) };
}

/** One answer on its way to its reader: what is not scanned waits, and after a block nothing passes. */
class GuardedParts {
  readonly #guard: Guard;
  readonly #context: GuardContext;
  readonly #input: Promise<Decision>;
  readonly #version: Specification;
  /** Open texts by the name of their last part and their id. */
  readonly #held = new Map<string, HeldStream>();
  /** Parts of a call of a tool, which wait for the whole call. */
  #tool: Part[] = [];
  #refused = false;

  constructor(guard: Guard, { context, input, version }: Answering & { readonly input: Promise<Decision> }) {
    this.#guard = guard;
    this.#context = context;
    this.#input = input;
    this.#version = version;
  }

  /** Returns the parts that may pass, read from the model as their reader asks for them. */
  of(source: ReadableStream<Part>): ReadableStream<Part> {
    const reader = source.getReader();
    return new ReadableStream<Part>({
      pull: async (controller) => {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          const passed = await this.#pass(value);
          for (const part of passed) controller.enqueue(part);
          if (this.#refused) {
            controller.close();
            // Ends the request of the model as well.
            return reader.cancel();
          }
          if (passed.length > 0) return undefined;
        }
      },
      cancel: (reason) => {
        this.#cancel();
        return reader.cancel(reason);
      },
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
    if (TOOL_INPUT.includes(part.type) || part.type === 'tool-result') return this.#toolParts(part);
    // The provider's own form of what is held back.
    if (part.type === 'raw') return [];
    const decision = await decisionAbout(this.#guard, part, this.#context);
    return decision?.action === 'block' ? this.#refuse(decision) : [part];
  }

  #released(part: Part, held: HeldStream, delta: string): readonly Part[] {
    const parts = delta === '' ? [] : [{ ...part, delta }];
    return held.blocked && held.decision !== undefined ? [...parts, ...this.#refuse(held.decision)] : parts;
  }

  async #toolParts(part: Part): Promise<readonly Part[]> {
    this.#tool.push(part);
    if (part.type !== 'tool-call' && part.type !== 'tool-result') return [];
    const waiting = this.#tool;
    this.#tool = [];
    const input = await this.#input;
    const decision = input.action === 'block' ? input : await decisionAbout(this.#guard, part, this.#context);
    return decision?.action === 'block' ? this.#refuse(decision) : waiting;
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

  #cancel(): void {
    for (const held of this.#held.values()) held.cancel();
    this.#held.clear();
  }
}

function finishReason(version: Specification) {
  return version === 'v2' ? 'content-filter' : { unified: 'content-filter', raw: 'aisec' };
}

function usageOf(version: Specification) {
  if (version === 'v2') return NOTHING_USED;
  const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  return { inputTokens: none, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };
}

function refusedResult(guard: Guard, decision: Decision, version: Specification) {
  return {
    content: [{ type: 'text', text: guard.message(decision) }],
    finishReason: finishReason(version),
    usage: usageOf(version),
    warnings: [],
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
