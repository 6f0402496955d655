/** Decides about a plain answer of chat completions. */
import { joined } from '../../readable.ts';
import type { Decision } from '../../types.ts';
import { decisionAboutCall } from './chat-calls.ts';
import { FILTERED, type Judging, reasonIn, saying, textsIn } from './chat-members.ts';
import type { Place, RawJson } from './raw-json.ts';
import { Rest } from './rest.ts';

/**
 * Decides about all choices; a blocked one has the guard's message instead of its own, and what is cleared stays as it came.
 * @returns false for JSON that is no answer
 */
export async function guardAnswer(json: RawJson, judging: Judging): Promise<boolean> {
  const choices = json.root.members.get('choices');
  if (!Array.isArray(choices?.value)) return false;
  await new Choice(json, judging).rest(json.root, ['choices']);
  for (const [at, place] of [...choices.members.values()].entries()) {
    const refused = await new Choice(json, judging).refusal(place);
    if (refused === undefined) continue;
    const index = Number(place.members.get('index')?.value ?? at);
    const message = { role: 'assistant', content: judging.guard.message(refused), refusal: null };
    json.replace(place, JSON.stringify({ index, message, finish_reason: FILTERED }));
  }
  return true;
}

class Choice {
  readonly #json: RawJson;
  readonly #judging: Judging;
  /** A text of it is masked: what may repeat it is taken out. */
  #isMasked = false;

  constructor(json: RawJson, judging: Judging) {
    this.#json = json;
    this.#judging = judging;
  }

  /** @returns the decision that refuses the choice */
  async refusal(choice: Place): Promise<Decision | undefined> {
    const message = choice.members.get('message');
    const reason = choice.members.get('finish_reason');
    if (reason !== undefined && typeof reason.value === 'string')
      this.#json.change(reason, reasonIn(reason.value) ?? reason.value);
    const isMessage = message?.members.size !== undefined && !Array.isArray(message.value);
    const refused = isMessage ? await this.#message(message) : undefined;
    return refused ?? this.rest(choice, isMessage ? ['message', 'finish_reason'] : ['finish_reason']);
  }

  async #message(message: Place): Promise<Decision | undefined> {
    const { guard, context } = this.#judging;
    const role = message.members.get('role');
    if (role !== undefined && role.value !== null) this.#json.change(role, 'assistant');
    const rest: string[] = [];
    for (const [name, place] of saying(this.#json, message, ['role'])) {
      const texts = textsIn(place);
      const calls = name === 'tool_calls' ? [...place.members.values()] : [];
      if (name === 'function_call') calls.push(place);
      else if (texts !== undefined && calls.length === 0) {
        const refused = await this.#texts(texts);
        if (refused !== undefined) return refused;
      } else if (calls.length === 0) rest.push(name);
      for (const call of calls) {
        const value = name === 'function_call' ? { function: call.value } : call.value;
        const decision = await decisionAboutCall(guard, value, context);
        if (decision.action !== 'allow') return decision;
      }
    }
    return this.rest(
      message,
      [...message.members.keys()].filter((name) => !rest.includes(name)),
    );
  }

  async #texts(places: readonly Place[]): Promise<Decision | undefined> {
    const { guard, context } = this.#judging;
    const [first] = places;
    const decision = await guard.output(joined(places.map(({ value }) => String(value))), context);
    if (decision.action === 'allow') return undefined;
    if (decision.action === 'block' || first === undefined) return decision;
    this.#isMasked = true;
    for (const place of places) this.#json.change(place, place === first ? (decision.text ?? '') : '');
    return undefined;
  }

  /** Decides together about the members next to the known members. What is refused, or may repeat a masked text, is taken out. */
  async rest(place: Place, known: readonly string[]): Promise<Decision | undefined> {
    const members = saying(this.#json, place, known);
    const rest = new Rest(this.#judging);
    for (const [name, member] of members) rest.add([name], member, this.#json);
    const { parts, refused } = await rest.end(this.#isMasked);
    if (parts.length === 0) for (const [, member] of members) this.#json.drop(member);
    return refused;
  }
}
