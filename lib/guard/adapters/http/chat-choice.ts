/** One choice of a streamed answer. */
import { isObject } from '../../../core/json.ts';
import type { Decision } from '../../types.ts';
import { decisionAboutCall, HeldCalls } from './chat-calls.ts';
import { type Judging, reasonIn, saying, textsIn } from './chat-members.ts';
import { type Gathered, gathered, objectJson, rawIn, valueIn } from './gathered.ts';
import { HeldText } from './held-text.ts';
import type { Place, RawJson } from './raw-json.ts';
import { Rest } from './rest.ts';

export class HeldChoice {
  readonly #index: number;
  readonly #judging: Judging;
  readonly #texts = new Map<string, HeldText>();
  readonly #calls = new HeldCalls();
  readonly #rest: Rest;
  #functionCall: Gathered | undefined;
  #reason: string | undefined;
  /** The model wrote a reason, maybe an empty one in each chunk. */
  hasReason = false;
  refused: Decision | undefined;

  constructor(index: number, judging: Judging) {
    this.#index = index;
    this.#judging = judging;
    this.#rest = new Rest(judging);
  }

  /** The model gave a reason for its end. It may still say more: only the end of the events is the end. */
  get hasEnded(): boolean {
    return this.#reason !== undefined;
  }

  /** Leaves in a choice of a chunk what may pass. */
  async pass(json: RawJson, choice: Place): Promise<void> {
    const reason = choice.members.get('finish_reason');
    this.#reason = reasonIn(reason?.value) ?? this.#reason;
    this.hasReason ||= typeof reason?.value === 'string';
    if (reason !== undefined) json.change(reason, null);
    const delta = choice.members.get('delta');
    const isDelta = isObject(delta?.value);
    for (const [name, place] of saying(json, choice, isDelta ? ['delta', 'finish_reason'] : ['finish_reason']))
      this.#hold([name], place, json);
    if (delta !== undefined && isDelta) await this.#delta(json, delta);
  }

  async #delta(json: RawJson, delta: Place): Promise<void> {
    const role = delta.members.get('role');
    if (role !== undefined && role.value !== null) json.change(role, 'assistant');
    for (const [name, place] of saying(json, delta, ['role'])) {
      const texts = this.#rest.has(name) ? undefined : textsIn(place);
      if (this.#isCall(json, name, place)) json.drop(place);
      else if (texts === undefined) this.#hold(['delta', name], place, json);
      else await this.#pass(json, name, place, texts);
      if (this.refused !== undefined) return;
    }
  }

  /** Keeps a piece of a call. */
  #isCall(json: RawJson, name: string, place: Place): boolean {
    const rawOf = (each: Place) => json.raw(each);
    const isList = name === 'tool_calls' && Array.isArray(place.value);
    const isLegacy = name === 'function_call' && isObject(place.value);
    if (isList) this.#calls.add(place, rawOf);
    if (isLegacy) this.#functionCall = gathered(this.#functionCall, place, rawOf);
    return isList || isLegacy;
  }

  #hold(path: readonly string[], place: Place, json: RawJson): void {
    this.#rest.add(path, place, json);
    json.drop(place);
  }

  async #pass(json: RawJson, name: string, member: Place, places: readonly Place[]): Promise<void> {
    const { guard, context } = this.#judging;
    const held = this.#texts.get(name) ?? new HeldText(guard.stream(context));
    this.#texts.set(name, held);
    await held.pass(json, member, places);
    this.refused = held.refused;
  }

  /** The chunk under way has passed. */
  forget(): void {
    for (const held of this.#texts.values()) held.forget();
  }

  /** Returns the choices with what was held back, and the reason of the end. */
  async end(): Promise<readonly string[]> {
    for (const held of this.#texts.values()) {
      await held.end();
      this.refused = held.refused;
      if (this.refused !== undefined) return [];
    }
    const isMasked = [...this.#texts.values()].some((held) => held.isMasked);
    const rest = await this.#rest.end(isMasked, (name) => this.#texts.get(name)?.said ?? '');
    this.refused = rest.refused ?? (await this.#refusedCall());
    if (this.refused !== undefined) return [];
    const texts = this.#written();
    const parts = rest.parts.map(({ path: [first = '', second], raw }) =>
      second === undefined ? this.#choice('{}', 'null', [[first, raw]]) : this.#choice(objectJson([[second, raw]])),
    );
    const calls: (readonly [string, string])[] = [];
    if (this.#calls.raw.length > 0) calls.push(['tool_calls', `[${this.#calls.raw.join(',')}]`]);
    if (this.#functionCall !== undefined) calls.push(['function_call', rawIn(this.#functionCall)]);
    const reason = JSON.stringify(this.#reason ?? null);
    if (parts.length === 0) return [this.#choice(objectJson([...texts, ...calls]), reason)];
    return [this.#choice(objectJson(texts)), ...parts, this.#choice(objectJson(calls), reason)];
  }

  async #refusedCall(): Promise<Decision | undefined> {
    const { guard, context } = this.#judging;
    const legacy = this.#functionCall === undefined ? [] : [{ function: valueIn(this.#functionCall) }];
    for (const call of [...this.#calls.values, ...legacy]) {
      const decision = await decisionAboutCall(guard, call, context);
      if (decision.action !== 'allow') return decision;
    }
    return undefined;
  }

  /** Returns the choice with the text of the chunk under way that was cleared, and with a reason of its end. */
  ended(reason: string): string {
    return this.#choice(objectJson(this.#written()), JSON.stringify(reason));
  }

  #written(): readonly (readonly [string, string])[] {
    return [...this.#texts].flatMap(([name, { released }]) =>
      released === undefined ? [] : [[name, released] as const],
    );
  }

  #choice(delta: string, reason = 'null', more: readonly (readonly [string, string])[] = []): string {
    return objectJson([['index', String(this.#index)], ['delta', delta], ...more, ['finish_reason', reason]]);
  }
}
