/** One choice of a streamed answer, with its texts and its tool calls. */
import { isObject, type JsonObject, objectOf, objectsOf, present } from '../../../core/json.ts';
import { decodedIf } from '../../readable.ts';
import type { Decision, Guard, GuardContext, HeldStream } from '../../types.ts';
import { isSign, withoutSigns, writtenArguments } from '../values.ts';
import { MAX_BYTES } from './answer.ts';
import { gathered, inFormOf, type Judging, NAME, Rest, reasonIn, sorted, textIn } from './chat-members.ts';

/** Server name in the events of a model's tool calls. */
const SERVER = 'model';

interface HeldCall {
  readonly index: unknown;
  all: JsonObject;
}

/** The calls of one choice, piece by piece. */
class HeldCalls {
  readonly #calls: HeldCall[] = [];
  /** A call in the older `function_call` format. */
  #legacy: unknown;
  #length = 0;

  /** Returns the complete calls, each with its own index. */
  get all(): JsonObject {
    const calls = this.#calls.map(({ all }, index) => ({ ...all, index }));
    return present({ tool_calls: calls.length === 0 ? undefined : calls, function_call: this.#legacy });
  }

  /** @throws Error if the calls are too long to hold */
  add(pieces: JsonObject): void {
    this.#length += JSON.stringify(pieces).length;
    if (this.#length > MAX_BYTES) throw new Error('The tool calls are too long to be held.');
    this.#legacy = gathered(this.#legacy, pieces['function_call'] ?? null) ?? undefined;
    const list = objectsOf(pieces['tool_calls']);
    for (const [at, piece] of list.entries()) {
      const { id, index = list.length > 1 ? at : undefined, function: made } = piece;
      const call = this.#continued(id, index, objectOf(made)['name']) ?? this.#begun(index);
      call.all = objectOf(gathered(call.all, piece));
    }
  }

  /**
   * Finds the call that a piece continues. Some models give all calls the same index or no index, some repeat id and
   * name in each piece, and some omit ids.
   */
  #continued(id: unknown, index: unknown, name: unknown): HeldCall | undefined {
    const isIndex = (call: HeldCall) => index === undefined || call.index === undefined || call.index === index;
    const here = this.#calls.filter(isIndex);
    const last = here.at(-1);
    if (isText(id)) {
      const known = here.filter(({ all }) => all['id'] === id).at(-1);
      return known ?? (last !== undefined && index !== undefined && !isText(last.all['id']) ? last : undefined);
    }
    return last !== undefined && isText(name) && isComplete(last) ? undefined : last;
  }

  #begun(index: unknown): HeldCall {
    const call = { index, all: {} };
    this.#calls.push(call);
    return call;
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Reports whether a call's input is complete. */
function isComplete({ all }: HeldCall): boolean {
  const { arguments: input } = objectOf(all['function']);
  return (typeof input === 'string' ? decodedIf(input) : input) !== undefined;
}

/** Decides whether fully received tool calls may pass. @returns the decision that refuses a call, if any */
export async function refusedCall(
  { tool_calls: list, function_call: legacy }: JsonObject,
  guard: Guard,
  context: GuardContext,
): Promise<Decision | undefined> {
  const calls: readonly unknown[] = Array.isArray(list) ? list : [];
  for (const call of legacy === undefined ? calls : [...calls, { function: legacy }]) {
    const decision = await decisionAboutCall(guard, objectOf(call), context);
    if (decision.action !== 'allow') return decision;
  }
  return undefined;
}

/**
 * Decides about a complete call: about its decoded input, and about the whole call if it has members of an unknown
 * shape.
 */
function decisionAboutCall(guard: Guard, call: JsonObject, context: GuardContext): Promise<Decision> {
  const made = objectOf(call['function']);
  const names = [made['name'], objectOf(call['custom'])['name']];
  const tool = names.find((name) => typeof name === 'string' && NAME.test(name)) ?? 'unknown';
  const { arguments: written, ...more } = made;
  const input = writtenArguments(written);
  const isPlain = withoutSigns(isObject(call['function']) ? { ...call, function: more } : call, isSign) === undefined;
  const all = isObject(call['function']) ? { ...call, function: { ...made, arguments: input } } : call;
  return guard.tool({ server: SERVER, tool: String(tool), input: isPlain ? input : all }, context);
}

/** A text whose pieces pass as soon as they are cleared. */
class HeldText {
  readonly stream: HeldStream;
  /** The text arrives as parts or as a string, and is passed on in the same form. */
  #form: unknown;
  #shown = '';
  #taken = 0;
  said = '';

  constructor(stream: HeldStream) {
    this.stream = stream;
  }

  get isMasked(): boolean {
    return !this.said.startsWith(this.#shown);
  }

  async push(value: unknown): Promise<void> {
    this.#form = value;
    const text = (textIn(value) ?? []).join('');
    this.said += text;
    this.#shown += await this.stream.push(text);
  }

  async end(): Promise<void> {
    this.#shown += await this.stream.end();
  }

  /** Returns the text cleared since the last call; undefined if no text was cleared. */
  taken(): unknown {
    const text = this.#shown.slice(this.#taken);
    this.#taken = this.#shown.length;
    return text === '' ? undefined : inFormOf(this.#form, text);
  }
}

export class HeldChoice {
  readonly #index: number;
  readonly #judging: Judging;
  readonly #texts = new Map<string, HeldText>();
  readonly #calls = new HeldCalls();
  /** Other members of its deltas. */
  readonly #rest: Rest;
  /** Other members next to its deltas. */
  readonly #beside: Rest;
  /** Members of the current chunk that carry no content. */
  #silent: JsonObject = {};
  /** The model's finish reason. More text may follow it: only the end of the event stream is final. */
  reason: string | undefined;
  /** The model wrote a finish reason, perhaps an empty string in each chunk. */
  hasReason = false;
  #refused: Decision | undefined;

  constructor(index: number, judging: Judging) {
    this.#index = index;
    this.#judging = judging;
    this.#rest = new Rest(judging);
    this.#beside = new Rest(judging);
  }

  /** The decision that refuses one of the choice's texts. */
  get refused(): Decision | undefined {
    return [...this.#texts.values()].find(({ stream }) => stream.blocked)?.stream.decision ?? this.#refused;
  }

  /** Adds the choice's part of a chunk. */
  async push({ index: _, delta, finish_reason: reason, ...more }: JsonObject): Promise<void> {
    this.reason = reasonIn(reason) ?? this.reason;
    this.hasReason ||= typeof reason === 'string';
    const beside = sorted(more);
    this.#beside.addOnce(beside);
    const { role, ...members } = objectOf(delta);
    const { silent, texts, calls, rest } = sorted(members);
    const said = { ...silent, ...((role ?? null) === null ? {} : { role: 'assistant' }) };
    this.#silent = { ...this.#silent, ...beside.silent, delta: { ...objectOf(this.#silent['delta']), ...said } };
    this.#calls.add(calls);
    for (const [name, value] of Object.entries(texts)) {
      // Once a member has had another shape, the rest of the member is held too.
      if (this.#rest.has(name)) this.#rest.add({ [name]: value });
      else await this.#push(name, value);
      if (this.refused !== undefined) return;
    }
    this.#rest.add(rest);
  }

  async #push(name: string, value: unknown): Promise<void> {
    const { guard, context } = this.#judging;
    const held = this.#texts.get(name) ?? new HeldText(guard.stream(context));
    this.#texts.set(name, held);
    await held.push(value);
  }

  /** Clears the rest of the texts. @returns the other held members, if all of them are cleared */
  async end(): Promise<JsonObject> {
    for (const held of this.#texts.values()) {
      await held.end();
      if (this.refused !== undefined) return {};
    }
    const { guard, context } = this.#judging;
    const isMasked = [...this.#texts.values()].some((held) => held.isMasked);
    const rest = await this.#rest.end(isMasked, (name) => this.#texts.get(name)?.said ?? '');
    const beside = await this.#beside.end(isMasked);
    const calls = this.#calls.all;
    this.#refused = rest.refused ?? beside.refused ?? (await refusedCall(calls, guard, context));
    return { ...beside.passed, delta: { ...rest.passed, ...calls } };
  }

  /** Takes the text cleared since the last call. */
  taken(reason: string | null): JsonObject {
    const texts = [...this.#texts].map(([name, held]) => [name, held.taken()]);
    const { delta, ...more } = this.#silent;
    this.#silent = {};
    return this.written({ ...more, delta: { ...objectOf(delta), ...Object.fromEntries(texts) } }, reason);
  }

  written(members: JsonObject, reason: string | null): JsonObject {
    return { index: this.#index, ...members, finish_reason: reason };
  }
}
