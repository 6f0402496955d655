/** Members of a stream that are neither texts nor calls: held until its end, and scanned as their reader joins them. */
import type { Decision } from '../../types.ts';
import { MAX_BYTES } from './answer.ts';
import { type Judging, restText } from './chat-members.ts';
import { type Gathered, gathered, valueIn } from './gathered.ts';
import type { Place, RawJson } from './raw-json.ts';

export interface RestPart {
  /** Names of members from the outside in. */
  readonly path: readonly string[];
  readonly raw: string;
}

const CONTENT = 'content';

export class Rest {
  readonly #judging: Judging;
  readonly #parts: RestPart[] = [];
  readonly #all = new Map<string, Gathered>();
  readonly #texts: string[] = [];
  #length = 0;

  constructor(judging: Judging) {
    this.#judging = judging;
  }

  has(name: string): boolean {
    return this.#all.has(name);
  }

  /** @throws Error if the members are too long to be held */
  add(path: readonly string[], place: Place, json: RawJson): void {
    const name = path.at(-1) ?? '';
    const raw = json.raw(place);
    const last = this.#parts.findLast((part) => part.path.at(-1) === name);
    // Some models repeat a member in each chunk.
    if (last?.raw === raw && path.length === 1) return;
    this.#length += raw.length;
    if (this.#length > MAX_BYTES) throw new Error('The answer is too long to be held.');
    this.#parts.push({ path, raw });
    const { members } = place;
    const data = name === 'audio' ? members.get('data') : undefined;
    // Pieces of bytes are no text together: each has an end of its own.
    if (data !== undefined) this.#texts.push(restText(name, { data: data.value }));
    const whole = data === undefined ? place : { ...place, members: without(members, 'data') };
    this.#all.set(
      name,
      gathered(this.#all.get(name), whole, (each) => json.raw(each)),
    );
  }

  /** @param isMasked takes out what may repeat a text that was masked */
  async end(
    isMasked: boolean,
    said: (name: string) => string = () => '',
  ): Promise<{
    readonly parts: readonly RestPart[];
    readonly refused?: Decision;
  }> {
    if (this.#parts.length === 0) return { parts: [] };
    const { guard, context } = this.#judging;
    const texts = [...this.#all].map(([name, all]) => `${name}: ${said(name)}${restText(name, valueIn(all))}`);
    const decision = await guard.output([...this.#texts, ...texts].filter((text) => text !== '').join('\n'), context);
    if (decision.action === 'allow') return { parts: isMasked ? [] : this.#parts };
    // Members next to an answer are left out; an answer is not left out in part.
    return this.has(CONTENT) ? { parts: [], refused: decision } : { parts: [] };
  }
}

function without(members: ReadonlyMap<string, Place>, name: string): ReadonlyMap<string, Place> {
  return new Map([...members].filter(([each]) => each !== name));
}
