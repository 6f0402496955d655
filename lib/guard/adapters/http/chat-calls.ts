/** Calls of tools in chat completions: their pieces are joined, and a complete call is decided about. */
import { isObject, type JsonObject, objectOf, objectsOf, present } from '../../../core/json.ts';
import { decodedIf } from '../../readable.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { isSign, withoutSigns } from '../texts.ts';
import { argumentsOf } from '../whole.ts';
import { MAX_BYTES } from './answer.ts';
import { gathered } from './gathered.ts';

/** An identifier or a name, which says nothing. */
export const NAME = /^[\w.:/-]{1,128}$/;
/** The name of the server in the events of calls of a model. */
const SERVER = 'model';

interface HeldCall {
  readonly index: unknown;
  all: JsonObject;
}

/** The calls of one choice, piece by piece. */
export class HeldCalls {
  readonly #calls: HeldCall[] = [];
  /** A call of the earlier form. */
  #legacy: unknown;
  #length = 0;

  /** Returns the complete calls, each with an index of its own. */
  get all(): JsonObject {
    const calls = this.#calls.map(({ all }, index) => ({ ...all, index }));
    return present({ tool_calls: calls.length === 0 ? undefined : calls, function_call: this.#legacy });
  }

  /** @throws Error if the calls are too long to be held */
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
   * Finds the call that a piece continues. Some models give one index to all of their calls, or none, some repeat the
   * identifier and the name in each piece, and some have no identifiers.
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

/** Returns true for a call whose input has ended. */
function isComplete({ all }: HeldCall): boolean {
  const { arguments: input } = objectOf(all['function']);
  return (typeof input === 'string' ? decodedIf(input) : input) !== undefined;
}

/** Decides about complete calls. @returns the decision that refuses one */
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

/** Decides about a complete call: its input, decoded, and all of it where it has members of an unknown form. */
function decisionAboutCall(guard: Guard, call: JsonObject, context: GuardContext): Promise<Decision> {
  const made = objectOf(call['function']);
  const names = [made['name'], objectOf(call['custom'])['name']];
  const tool = names.find((name) => typeof name === 'string' && NAME.test(name)) ?? 'unknown';
  const { arguments: written, ...more } = made;
  const input = argumentsOf(written);
  const isPlain = withoutSigns(isObject(call['function']) ? { ...call, function: more } : call, isSign) === undefined;
  const all = isObject(call['function']) ? { ...call, function: { ...made, arguments: input } } : call;
  return guard.tool({ server: SERVER, tool: String(tool), input: isPlain ? input : all }, context);
}
