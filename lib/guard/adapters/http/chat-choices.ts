/** The choices of a streamed answer: texts pass as they are cleared, calls of tools when they are complete. */
import { type JsonObject, objectOf } from '../../../core/json.ts';
import type { Decision, HeldStream } from '../../types.ts';
import { FILTERED, type Judging, reasonIn, textsOf } from './chat-answer.ts';
import { decisionAboutCall, HeldCalls } from './chat-calls.ts';

/** A choice of a chunk that may pass. */
export interface PassedChoice {
  readonly index: number;
  readonly delta: JsonObject;
  readonly finish_reason: string | null;
}

export class HeldChoices {
  readonly #judging: Judging;
  readonly #choices = new Map<number, HeldChoice>();
  #isCut = false;

  constructor(judging: Judging) {
    this.#judging = judging;
  }

  /** A choice was blocked: nothing more passes. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** The model has ended each of its choices. */
  get isComplete(): boolean {
    return this.#choices.size > 0 && this.#open().length === 0;
  }

  /** Returns what may pass of the choices of one chunk. A block ends all choices that are open. */
  async pass(choices: readonly JsonObject[]): Promise<readonly PassedChoice[]> {
    const pairs = choices.map((choice) => [this.#of(choice['index']), choice] as const);
    const passed: PassedChoice[] = [];
    for (const [held, choice] of pairs) {
      if (held.isEnded) continue;
      passed.push(await held.pass(choice));
      if (held.refused !== undefined) return this.#cut(passed);
    }
    return passed;
  }

  #of(index: unknown): HeldChoice {
    const known = typeof index === 'number' ? index : 0;
    const held = this.#choices.get(known) ?? new HeldChoice(known, this.#judging);
    this.#choices.set(known, held);
    return held;
  }

  #open(): readonly HeldChoice[] {
    return [...this.#choices.values()].filter(({ isEnded }) => !isEnded);
  }

  #cut(passed: readonly PassedChoice[]): readonly PassedChoice[] {
    this.#isCut = true;
    const ended = passed.map((choice) => ({ ...choice, finish_reason: choice.finish_reason ?? FILTERED }));
    const isThere = (index: number) => passed.some((choice) => choice.index === index);
    const others = this.#open().filter(({ index }) => !isThere(index));
    return [...ended, ...others.map(({ index }) => ({ index, delta: {}, finish_reason: FILTERED }))];
  }
}

class HeldChoice {
  readonly index: number;
  readonly #judging: Judging;
  readonly #texts = new Map<string, HeldStream>();
  readonly #calls = new HeldCalls();
  isEnded = false;
  refused: Decision | undefined;

  constructor(index: number, judging: Judging) {
    this.index = index;
    this.#judging = judging;
  }

  async pass(choice: JsonObject): Promise<PassedChoice> {
    const delta = objectOf(choice['delta']);
    const reason = reasonIn(choice['finish_reason']);
    const passed: Record<string, unknown> = typeof delta['role'] === 'string' ? { role: 'assistant' } : {};
    for (const [name, text] of textsOf(delta)) {
      passed[name] = await this.#released(this.#text(name), (held) => held.push(text));
      if (this.refused !== undefined) return this.#passed(passed, FILTERED);
    }
    this.#calls.add(delta['tool_calls']);
    if (reason === null) return this.#passed(passed, reason);
    await this.#end(passed);
    return this.#passed(passed, this.refused === undefined ? reason : FILTERED);
  }

  /** Adds what was held back, if all of it is cleared. */
  async #end(passed: Record<string, unknown>): Promise<void> {
    for (const [name, held] of this.#texts) {
      const rest = await this.#released(held, () => held.end());
      if (rest !== '' || name in passed) passed[name] = String(passed[name] ?? '') + rest;
      if (this.refused !== undefined) return;
    }
    const { guard, context } = this.#judging;
    const calls = this.#calls.all;
    for (const call of calls) {
      const decision = await decisionAboutCall(guard, call, context);
      if (decision.action !== 'allow') {
        this.refused = decision;
        return;
      }
    }
    if (calls.length > 0) passed['tool_calls'] = calls;
  }

  #text(name: string): HeldStream {
    const { guard, context } = this.#judging;
    const held = this.#texts.get(name) ?? guard.stream(context);
    this.#texts.set(name, held);
    return held;
  }

  async #released(held: HeldStream, work: (held: HeldStream) => Promise<string>): Promise<string> {
    const text = await work(held);
    if (held.blocked) this.refused = held.decision;
    return text;
  }

  #passed(delta: JsonObject, reason: string | null): PassedChoice {
    this.isEnded = reason !== null;
    return { index: this.index, delta, finish_reason: reason };
  }
}
