/** A streamed text that a reader joins with the texts before it. */
import { WINDOWS } from '../../options.ts';
import { joined } from '../../readable.ts';
import { blockedIfMasked } from '../../telling.ts';
import type { Decision, HeldStream } from '../../types.ts';

/** Scans the text with the end of what was shown before it, so that nothing hides across the seam. */
export class HeldText {
  readonly id: unknown;
  readonly #stream: HeldStream;
  readonly #before: string;
  /** What of the text before the stream has not given back yet. */
  #owed: string;
  #said = '';
  #shown = '';
  #isWhole = false;
  #refusal: Decision | undefined;

  /** @param before what was shown of earlier texts */
  constructor(id: unknown, stream: HeldStream, before: string) {
    this.id = id;
    this.#stream = stream;
    this.#before = before;
    this.#owed = before;
  }

  /** The decision that ended the text. */
  get refusal(): Decision | undefined {
    return this.#refusal ?? (this.#stream.blocked ? this.#stream.decision : undefined);
  }

  /** What was shown is another text than what was said. */
  get isMasked(): boolean {
    return !this.#said.startsWith(this.#shown);
  }

  /** The end of what was shown, for the next text. */
  get tail(): string {
    return (this.#before + this.#shown).slice(-WINDOWS.overlap).replace(/^[\udc00-\udfff]/, '');
  }

  async push(text: string): Promise<string> {
    if (text === '') return '';
    const isFirst = this.#said === '';
    // Inside a word, the text is scanned alone as well, which needs its end.
    if (isFirst) this.#isWhole = joined([this.#before, text]) !== this.#before + text;
    this.#said += text;
    if (this.#isWhole) return '';
    return this.#own(await this.#stream.push(isFirst ? this.#before + text : text));
  }

  async end(): Promise<string> {
    if (!this.#isWhole) return this.#own(await this.#stream.end());
    const all = joined([this.#before, this.#said]);
    const released = (await this.#stream.push(all)) + (await this.#stream.end());
    if (this.refusal !== undefined) return '';
    this.#shown = released === all ? this.#said : this.#refuse();
    return this.#shown;
  }

  cancel(): void {
    this.#stream.cancel();
  }

  /** Takes the text before off what is released. */
  #own(released: string): string {
    const length = Math.min(this.#owed.length, released.length);
    if (!released.startsWith(this.#owed.slice(0, length))) return this.#refuse();
    this.#owed = this.#owed.slice(length);
    this.#shown += released.slice(length);
    return released.slice(length);
  }

  /** What was shown cannot be masked any more. */
  #refuse(): string {
    const { decision } = this.#stream;
    if (decision !== undefined) this.#refusal = { ...blockedIfMasked(decision), action: 'block' };
    return '';
  }
}
