/** The choices of a streamed answer: texts pass as they are cleared, all else when the answer is complete. */
import { isObject } from '../../../core/json.ts';
import { HeldChoice } from './chat-choice.ts';
import { FILTERED, IDS, type Judging, saying } from './chat-members.ts';
import { objectJson } from './gathered.ts';
import type { Place, RawJson } from './raw-json.ts';
import { Rest } from './rest.ts';

/** Members that chunks have in common. */
const HEAD = [...IDS, 'created'];

export class HeldChoices {
  readonly #judging: Judging;
  readonly #choices = new Map<number, HeldChoice>();
  readonly #rest: Rest;
  /** Members of the latest chunk, for chunks that the guard adds. */
  #head: readonly (readonly [string, string])[] = [];
  #isCut = false;

  constructor(judging: Judging) {
    this.#judging = judging;
    this.#rest = new Rest(judging);
  }

  /** A choice was blocked: nothing more passes. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** The model has ended its choices. @param isDone it says that it is done: then also without a reason for the end */
  isComplete(isDone: boolean): boolean {
    const choices = [...this.#choices.values()];
    return choices.length > 0 && choices.every(({ hasEnded, hasReason }) => hasEnded || (isDone && hasReason));
  }

  get hasEnded(): boolean {
    return [...this.#choices.values()].some(({ hasEnded }) => hasEnded);
  }

  /** Leaves in a chunk what may pass. @returns the chunk */
  async pass(json: RawJson): Promise<string> {
    const choices = json.root.members.get('choices');
    this.#head = HEAD.flatMap((name) => {
      const place = json.root.members.get(name);
      return place === undefined || place.members.size > 0 ? [] : [[name, json.raw(place)] as const];
    });
    const isList = Array.isArray(choices?.value);
    if (!isList && (choices?.value ?? null) !== null) throw new Error('The choices of an answer are a list.');
    for (const [name, place] of saying(json, json.root, isList ? ['choices'] : [])) {
      this.#rest.add([name], place, json);
      this.#head = this.#head.filter(([each]) => each !== name);
      json.drop(place);
    }
    for (const [at, place] of [...(choices?.members.values() ?? [])].entries()) {
      const held = this.#of(place, at);
      if (isObject(place.value)) await held.pass(json, place);
      else json.drop(place);
      if (held.refused !== undefined) return this.#cut();
    }
    for (const held of this.#choices.values()) held.forget();
    return json.toString();
  }

  /** Returns the chunks with all that was held back, if all of it is cleared; else the end. */
  async end(): Promise<readonly string[]> {
    const { parts } = await this.#rest.end(false);
    const passed: string[] = [];
    for (const held of this.#choices.values()) {
      for (const choice of await held.end()) passed.push(this.#chunk(`[${choice}]`));
      if (held.refused !== undefined) return [this.#cut()];
    }
    return [...parts.map(({ path: [name = ''], raw }) => this.#chunk('[]', [[name, raw]])), ...passed];
  }

  #of(choice: Place, at: number): HeldChoice {
    const index = choice.members.get('index')?.value;
    const known = typeof index === 'number' ? index : at;
    const held = this.#choices.get(known) ?? new HeldChoice(known, this.#judging);
    this.#choices.set(known, held);
    return held;
  }

  /** Ends all choices, with the text of this chunk that was cleared. */
  #cut(): string {
    this.#isCut = true;
    const ended = [...this.#choices.values()].map((held) => held.ended(FILTERED));
    return this.#chunk(`[${ended.join(',')}]`);
  }

  #chunk(choices: string, more: readonly (readonly [string, string])[] = []): string {
    return objectJson([...this.#head, ...more, ['choices', choices]]);
  }
}
