/** Calls of tools in chat completions: their pieces are joined, and a complete call is decided about. */
import { isObject, type JsonObject, objectOf, objectsOf } from '../../../core/json.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { MAX_BYTES } from './answer.ts';

/** An identifier or a name, which says nothing. */
export const NAME = /^[\w.:/-]{1,128}$/;
/** The name of the server in the events of calls of a model. */
const SERVER = 'model';

/** The calls of one choice, piece by piece. */
export class HeldCalls {
  readonly #calls = new Map<unknown, JsonObject>();
  #length = 0;

  get all(): readonly JsonObject[] {
    return [...this.#calls.values()];
  }

  /** @throws Error if the calls are too long to be held */
  add(pieces: unknown): void {
    for (const [at, piece] of objectsOf(pieces).entries()) {
      const index = piece['index'] ?? at;
      this.#length += JSON.stringify(piece).length;
      this.#calls.set(index, { index, ...joined(objectOf(this.#calls.get(index)), piece) });
    }
    if (this.#length > MAX_BYTES) throw new Error('The calls of tools are too long to be held.');
  }
}

/** Joins a piece to a call: texts of `function` and the like come in pieces, other members once. */
function joined(call: JsonObject, piece: JsonObject): JsonObject {
  const added = Object.entries(piece).map(([name, value]) => {
    if (isObject(value)) return [name, withTexts(objectOf(call[name]), value)];
    return [name, value ?? call[name]];
  });
  return { ...call, ...(Object.fromEntries(added) as JsonObject) };
}

function withTexts(earlier: JsonObject, later: JsonObject): JsonObject {
  const added = Object.entries(later).map(([name, value]) => {
    const before = earlier[name];
    if (typeof before === 'string' && typeof value === 'string') return [name, before + value];
    return [name, value ?? before];
  });
  return { ...earlier, ...(Object.fromEntries(added) as JsonObject) };
}

/** Decides about a complete call: its input, and all of it where it has members of an unknown form. */
export async function decisionAboutCall(guard: Guard, call: JsonObject, context: GuardContext): Promise<Decision> {
  const [made, custom] = [objectOf(call['function']), objectOf(call['custom'])];
  const tool = [made['name'], custom['name']].find((name) => NAME.test(String(name ?? '')));
  const event = { server: SERVER, tool: String(tool ?? 'unknown') };
  const inputs: unknown[] = [made['arguments'], custom['input']].filter(
    (text) => typeof text === 'string' && text !== '',
  );
  if (!isPlain(call) || inputs.length === 0) inputs.push(call);
  let decision = await guard.tool({ ...event, input: inputs[0] }, context);
  for (const input of inputs.slice(1)) {
    if (decision.action !== 'allow') break;
    decision = await guard.tool({ ...event, input }, context);
  }
  return decision;
}

/** Returns true for a call that has nothing but its input, and names. */
function isPlain({ index, id, type, function: made, ...rest }: JsonObject): boolean {
  const { name, arguments: input, ...more } = objectOf(made);
  const names = [index, id, type, name].filter((each) => each !== undefined && each !== null);
  const isKnown =
    Object.keys(rest).length + Object.keys(more).length === 0 && (input === undefined || typeof input === 'string');
  return (
    isKnown &&
    (made === undefined || isObject(made)) &&
    names.every((each) => typeof each !== 'object' && NAME.test(String(each)))
  );
}
