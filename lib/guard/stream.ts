/** Holds the text of a stream back until it was scanned. */
import { boundaryBefore, cutBefore, NEAR, pairBoundary } from './boundary.ts';
import { moreTelling } from './telling.ts';
import type { Decision, HeldStream, StreamOptions, Windows } from './types.ts';

/** Sizes, all set. */
export interface StreamSizes extends Required<Windows> {
  /** Holds everything until the end. */
  readonly all: boolean;
  /** The longest text of one scan. */
  readonly limit: number;
}

/** Scans a text of the stream. */
export type ScanText = (text: string, signal: AbortSignal) => Promise<Decision>;

/**
 * One stream. Text waits in `#held`; its first `#scanned` code units were scanned, but are held back, because what follows
 * may complete something that begins in them. Released text was scanned together with the overlap after it.
 */
export class WindowedStream implements HeldStream {
  readonly #sizes: StreamSizes;
  readonly #scan: ScanText;
  readonly #input: Promise<Decision> | undefined;
  readonly #stopping = new AbortController();
  #held = '';
  #scanned = 0;
  /** The showable form of the scanned text at the start of `#held`, if it ends there: masked places stay masked. */
  #shown = '';
  /** The start that the next scan has to show: a masked place must stay masked when more text follows. */
  #expected = '';
  #window: number;
  /** Text that may be shown once the end is reached; used where everything is held. */
  #cleared = '';
  #decision: Decision | undefined;
  #ended = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(sizes: StreamSizes, scan: ScanText, { input }: StreamOptions = {}) {
    this.#sizes = sizes;
    this.#scan = scan;
    this.#input = input;
    this.#window = sizes.all ? sizes.limit : sizes.first;
    // The opener of the stream handles the failure; here it must not count as unhandled.
    input?.catch(() => undefined);
  }

  get decision(): Decision | undefined {
    return this.#decision;
  }

  get blocked(): boolean {
    return this.#ended && this.#decision?.action === 'block';
  }

  push(text: string): Promise<string> {
    if (this.#ended) return Promise.resolve('');
    this.#held += text;
    return this.#inTurn(() => this.#release(false));
  }

  end(): Promise<string> {
    return this.#inTurn(async () => {
      const text = this.#ended ? '' : await this.#release(true);
      this.#ended = true;
      return text;
    });
  }

  cancel(): void {
    this.#ended = true;
    this.#drop();
    this.#stopping.abort();
  }

  /** Lets one scan of this stream run at a time. */
  #inTurn(work: () => Promise<string>): Promise<string> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  /** Scans what fills windows, or at the end all that is left. @returns the text that may be shown */
  async #release(isLast: boolean): Promise<string> {
    let released = '';
    while (!this.#ended && (isLast ? this.#held.length > this.#scanned : this.#isFull())) {
      const text = this.#nextText(isLast);
      const decision = await this.#decide(text);
      if (this.#stopping.signal.aborted) return '';
      this.#decision = moreTelling(this.#decision, decision);
      // What was cleared in this call was scanned, but the answer ends before the text that is blocked.
      if (decision.action === 'block') return this.#block(released);
      released += this.#clear(text, decision, isLast && text.length === this.#held.length);
      this.#window = Math.min(this.#window * 2, this.#sizes.all ? this.#sizes.limit : this.#sizes.max);
    }
    if (this.#ended || !isLast) return released;
    return this.#rest(released);
  }

  #isFull(): boolean {
    return this.#held.length - this.#scanned >= this.#nextWindow();
  }

  /** Returns how much new text the next scan takes. It is as long as what is scanned again, so that no text costs twice its price. */
  #nextWindow(): number {
    const { overlap, limit } = this.#sizes;
    const again = this.#scanned;
    if (this.#isStuck()) return limit + 1 - again;
    return Math.min(Math.max(this.#window, again > overlap + NEAR ? again : 0), limit - again);
  }

  /** Too much is held to be scanned again with anything but the end of the text. */
  #isStuck(): boolean {
    const { overlap, limit } = this.#sizes;
    return this.#scanned >= limit || (this.#scanned > limit / 2 && this.#scanned > overlap + NEAR);
  }

  /** Returns the text of the next scan: the held text, and one window after it. */
  #nextText(isLast: boolean): string {
    const wished = this.#scanned + this.#nextWindow();
    if (isLast && this.#held.length <= wished) return this.#held;
    // Longer than a scan can be: it is blocked.
    if (this.#isStuck()) return this.#held.slice(0, wished);
    const at = boundaryBefore(this.#held.slice(0, wished + 1), wished);
    return this.#held.slice(0, at > this.#scanned ? at : pairBoundary(this.#held, wished));
  }

  /** Takes scanned text out of what is held. @returns the part that may be shown */
  #clear(text: string, decision: Decision, isWhole: boolean): string {
    const shown = shownOf(text, decision);
    // Without a certain place everything waits for more text.
    const cut = isWhole ? text.length : cutBefore(text, shown, text.length - this.#sizes.overlap);
    const shownCut = cut === 0 ? 0 : cut + shown.length - text.length;
    this.#held = this.#held.slice(cut);
    this.#scanned = text.length - cut;
    this.#shown = shown.slice(shownCut);
    this.#expected = maskedStart(text.slice(cut), this.#shown);
    const part = shown.slice(0, shownCut);
    if (!this.#sizes.all) return part;
    this.#cleared += part;
    return '';
  }

  /** Returns the text for the end: everything held was scanned. */
  async #rest(released: string): Promise<string> {
    if (this.#decision === undefined && this.#input !== undefined) {
      const decision = await this.#input;
      if (decision.action === 'block') {
        this.#decision = decision;
        return this.#block('');
      }
    }
    const text = released + this.#cleared + this.#shown;
    this.#drop();
    return text;
  }

  async #decide(text: string): Promise<Decision> {
    const { signal } = this.#stopping;
    const input = this.#decision === undefined ? await this.#input : undefined;
    if (input?.action === 'block') return input;
    if (this.#decision !== undefined && text.length > this.#sizes.limit) return unjoined(this.#decision);
    const decision = await this.#scan(text, signal);
    const isShown = decision.action !== 'block' && !shownOf(text, decision).startsWith(this.#expected);
    return isShown ? unjoined(decision) : decision;
  }

  #block(released: string): string {
    this.#ended = true;
    this.#drop();
    return this.#sizes.all ? '' : released;
  }

  #drop(): void {
    this.#held = '';
    this.#cleared = '';
    this.#shown = '';
    this.#expected = '';
    this.#scanned = 0;
  }
}

function shownOf(text: string, decision: Decision): string {
  return decision.action === 'mask' ? (decision.text ?? '') : text;
}

/** Returns the start of a masked text up to its last masked place; empty without any. */
function maskedStart(text: string, shown: string): string {
  let end = 0;
  while (end < shown.length && text.at(-1 - end) === shown.at(-1 - end)) end += 1;
  return shown.slice(0, shown.length - end);
}

/** Returns the block of a text whose masked places cannot be told apart, or are shown as more text follows. */
function unjoined({ text: _, ...decision }: Decision): Decision {
  return { ...decision, action: 'block', unscanned: decision.unscanned ?? 'incomplete' };
}
