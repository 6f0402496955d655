/** One text of a streamed choice, which passes as it is cleared. */
import type { Decision, HeldStream } from '../../types.ts';
import { inFormOf, textIn } from './chat-members.ts';

export class HeldText {
  readonly #stream: HeldStream;
  /** What has not passed yet. */
  #waiting = '';
  /** It comes in parts, or as a text, and passes like it. */
  #form: unknown;
  /** What was cleared and is not yet taken. */
  #released: string | undefined;
  said = '';
  isMasked = false;

  constructor(stream: HeldStream) {
    this.#stream = stream;
  }

  get refused(): Decision | undefined {
    return this.#stream.blocked ? this.#stream.decision : undefined;
  }

  async push(value: unknown): Promise<void> {
    this.#form = value;
    const text = (textIn(value) ?? []).join('');
    this.said += text;
    this.#waiting += text;
    this.#clear(await this.#stream.push(text));
  }

  async end(): Promise<void> {
    const text = await this.#stream.end();
    if (text !== '') this.#clear(text);
  }

  /** Takes what was cleared, in the form in which it came; undefined if there was nothing to clear. */
  taken(): unknown {
    const text = this.#released;
    this.#released = undefined;
    return text === undefined ? undefined : inFormOf(this.#form, text);
  }

  #clear(text: string): void {
    this.isMasked ||= !this.#waiting.startsWith(text);
    this.#waiting = this.#waiting.slice(text.length);
    this.#released = (this.#released ?? '') + text;
  }
}
