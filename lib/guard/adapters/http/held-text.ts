/** One text of a streamed choice, which passes as it is cleared. */
import type { Decision, HeldStream } from '../../types.ts';
import type { Place, RawJson } from './raw-json.ts';

export class HeldText {
  readonly #stream: HeldStream;
  /** What has not passed yet. */
  #waiting = '';
  /** It comes in parts, and what the guard adds is a part as well. */
  #isInParts = false;
  /** Text of the chunk under way that was cleared. */
  #released = '';
  said = '';
  isMasked = false;

  constructor(stream: HeldStream) {
    this.#stream = stream;
  }

  get refused(): Decision | undefined {
    return this.#stream.blocked ? this.#stream.decision : undefined;
  }

  /** Leaves in a chunk what may pass. @param places where the pieces of the text are */
  async pass(json: RawJson, member: Place, places: readonly Place[]): Promise<void> {
    this.#isInParts = places[0] !== member;
    for (const place of places) {
      const text = String(place.value);
      this.said += text;
      this.#waiting += text;
      json.change(place, this.#cleared(await this.#stream.push(text)));
      if (this.refused !== undefined) return;
    }
  }

  async end(): Promise<void> {
    this.#cleared(await this.#stream.end());
  }

  /** The chunk under way has passed. */
  forget(): void {
    this.#released = '';
  }

  /** Returns the text of the chunk under way that was cleared, as JSON; undefined without any. */
  get released(): string | undefined {
    const text = this.#released;
    if (text === '') return undefined;
    return JSON.stringify(this.#isInParts ? [{ type: 'text', text }] : text);
  }

  #cleared(text: string): string {
    this.isMasked ||= !this.#waiting.startsWith(text);
    this.#waiting = this.#waiting.slice(text.length);
    this.#released += text;
    return text;
  }
}
