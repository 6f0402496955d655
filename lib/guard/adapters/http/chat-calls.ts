/** Calls of tools in chat completions: their pieces are joined, and a complete call is decided about. */
import { isObject, type JsonObject, objectOf } from '../../../core/json.ts';
import { decoded } from '../../readable.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { MAX_BYTES, UNREADABLE } from './answer.ts';
import { type Gathered, gathered, rawIn, valueIn } from './gathered.ts';
import type { Place } from './raw-json.ts';

/** An identifier or a name, which says nothing. */
export const NAME = /^[\w.:/-]{1,128}$/;
/** The name of the server in the events of calls of a model. */
const SERVER = 'model';

interface HeldCall {
  index: unknown;
  all: Gathered | undefined;
}

/** The calls of one choice, piece by piece. */
export class HeldCalls {
  readonly #calls: HeldCall[] = [];
  #length = 0;

  /** Returns the complete calls. */
  get values(): readonly JsonObject[] {
    return this.#calls.map(({ all }) => objectOf(all === undefined ? undefined : valueIn(all)));
  }

  /** Returns the complete calls as JSON, each with an index of its own. */
  get raw(): readonly string[] {
    return this.#calls.map(({ all }, index) => {
      const members = all !== undefined && 'members' in all ? all.members : [];
      return rawIn({ members: new Map([...members, ['index', { raw: String(index), value: index }]]) });
    });
  }

  /** @throws Error if the calls are too long to be held */
  add(pieces: Place, rawOf: (place: Place) => string): void {
    const list = [...pieces.members.values()].filter(({ value }) => isObject(value));
    for (const [at, piece] of list.entries()) {
      const { id, index = list.length > 1 ? at : undefined, function: made } = objectOf(piece.value);
      const call = this.#continued(id, index, objectOf(made)['name']) ?? this.#begun(index);
      call.all = gathered(call.all, piece, rawOf);
      this.#length += piece.end - piece.start;
    }
    if (this.#length > MAX_BYTES) throw new Error('The calls of tools are too long to be held.');
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
      const known = here.filter((call) => idOf(call) === id).at(-1);
      return known ?? (last !== undefined && index !== undefined && !isText(idOf(last)) ? last : undefined);
    }
    return last !== undefined && isText(name) && isComplete(last) ? undefined : last;
  }

  #begun(index: unknown): HeldCall {
    const call = { index, all: undefined };
    this.#calls.push(call);
    return call;
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function idOf({ all }: HeldCall): unknown {
  return all === undefined ? undefined : objectOf(valueIn(all))['id'];
}

/** Returns true for a call whose input has ended. */
function isComplete({ all }: HeldCall): boolean {
  const made = objectOf(objectOf(all === undefined ? undefined : valueIn(all))['function']);
  if (typeof made['arguments'] !== 'string') return made['arguments'] !== undefined;
  try {
    decoded(made['arguments']);
    return true;
  } catch {
    return false;
  }
}

/** Decides about a complete call: its input, and all of it where it has members of an unknown form. */
export async function decisionAboutCall(guard: Guard, call: unknown, context: GuardContext): Promise<Decision> {
  const [made, custom] = ['function', 'custom'].map((name) => objectOf(objectOf(call)[name])) as [
    JsonObject,
    JsonObject,
  ];
  const tool = [made['name'], custom['name']].find((name) => NAME.test(String(name ?? '')));
  const inputs = inputsOf(made['arguments'], custom['input']);
  if (inputs === undefined) return { ...UNREADABLE, kind: 'tool' };
  if (!isPlain(objectOf(call)) || inputs.length === 0) inputs.push(call);
  let decision: Decision | undefined;
  for (const input of inputs) {
    decision = await guard.tool({ server: SERVER, tool: String(tool ?? 'unknown'), input }, context);
    if (decision.action !== 'allow') return decision;
  }
  return decision ?? { ...UNREADABLE, kind: 'tool' };
}

/** Returns the inputs of a call, decoded; undefined where its tool would read another input, or none. */
function inputsOf(json: unknown, text: unknown): unknown[] | undefined {
  try {
    return [...(isText(json) ? [decoded(String(json))] : []), ...(isText(text) ? [text] : [])];
  } catch {
    return undefined;
  }
}

/** Returns true for a call that has nothing but its input, and names. */
function isPlain({ index, id, type, function: made, ...rest }: JsonObject): boolean {
  const { name, arguments: input, ...more } = objectOf(made);
  const names = [index, id, type, name].filter((each) => each !== undefined && each !== null);
  const isKnown =
    Object.keys(rest).length + Object.keys(more).length === 0 && (input === undefined || typeof input === 'string');
  return isKnown && names.every((each) => typeof each !== 'object' && NAME.test(String(each)));
}
