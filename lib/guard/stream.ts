/** Holds the text of a stream back until it was scanned. */
import { boundaryBefore, pairBoundary } from './boundary.ts';
import type { Decision, HeldStream, StreamOptions, Windows } from './types.ts';

/** Sizes, all set. `all` holds everything until the end. */
export interface StreamSizes extends Required<Windows> {
  readonly all: boolean;
}

/** Scans a text of the stream. */
export type ScanText = (text: string, signal: AbortSignal) => Promise<Decision>;

/** The longest text of one scan; source: `docs/wire.md`. */
const MAX_SCAN = 20_000;
/** Text without any boundary, such as an endless pile of accents, is cut after so many windows. */
const MAX_WINDOWS_HELD = 4;

/**
 * One stream. Text waits in `#held`; its first `#scanned` code units were scanned, but are held back, because what follows
 * may complete something that begins in them. What is released was scanned together with the overlap after it.
 */
export class WindowedStream implements HeldStream {
  readonly #sizes: StreamSizes;
  readonly #scan: ScanText;
  readonly #input: Promise<Decision> | undefined;
  readonly #stopping = new AbortController();
  #held = '';
  #scanned = 0;
  /** What may be shown of the scanned text at the start of `#held`, if nothing follows it: masked places stay masked. */
  #shown = '';
  #window: number;
  /** Text that may be shown once the end is reached; used where everything is held. */
  #cleared = '';
  #holdsAll: boolean;
  #decision: Decision | undefined;
  #ended = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(sizes: StreamSizes, scan: ScanText, { input }: StreamOptions = {}) {
    this.#sizes = sizes;
    this.#scan = scan;
    this.#input = input;
    this.#holdsAll = sizes.all;
    this.#window = sizes.all ? MAX_SCAN - sizes.overlap : sizes.first;
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
      this.#window = Math.min(this.#window * 2, this.#holdsAll ? MAX_SCAN - this.#sizes.overlap : this.#sizes.max);
    }
    if (this.#ended || !isLast) return released;
    return this.#rest(released);
  }

  #isFull(): boolean {
    return this.#held.length - this.#scanned >= this.#window;
  }

  /** Returns the text of the next scan: what is held back, and one window after it. */
  #nextText(isLast: boolean): string {
    const wished = this.#scanned + this.#window;
    if (isLast && this.#held.length <= wished) return this.#held;
    const at = boundaryBefore(this.#held.slice(0, wished + 1), wished);
    return this.#held.slice(0, at > this.#scanned ? at : pairBoundary(this.#held, wished));
  }

  /** Takes scanned text out of what is held. @returns the part that may be shown */
  #clear(text: string, decision: Decision, isWhole: boolean): string {
    const shown = decision.action === 'mask' ? (decision.text ?? '') : text;
    let cut = isWhole ? text.length : this.#cutOf(text);
    if (shown !== text && !isWhole) cut = unmaskedBefore(text, shown, cut);
    if (shown.length !== text.length && !isWhole) {
      // The masked places cannot be told apart: everything waits for the end.
      this.#holdsAll = true;
      this.#scanned = text.length;
      this.#shown = shown;
      return '';
    }
    const part = isWhole ? shown : shown.slice(0, cut);
    this.#held = this.#held.slice(cut);
    this.#scanned = text.length - cut;
    this.#shown = isWhole ? '' : shown.slice(cut);
    if (!this.#holdsAll) return part;
    this.#cleared += part;
    return '';
  }

  #cutOf(text: string): number {
    const { overlap, max } = this.#sizes;
    const cut = boundaryBefore(text, text.length - overlap);
    if (cut > 0 || text.length < overlap + max * MAX_WINDOWS_HELD) return cut;
    return pairBoundary(text, text.length - overlap);
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
    return input?.action === 'block' ? input : this.#scan(text, signal);
  }

  #block(released: string): string {
    this.#ended = true;
    this.#drop();
    return this.#holdsAll ? '' : released;
  }

  #drop(): void {
    this.#held = '';
    this.#cleared = '';
    this.#shown = '';
    this.#scanned = 0;
  }
}

/** Returns the decision to report: a block, else a window that no verdict covers, else a mask, else the last one. */
function moreTelling(earlier: Decision | undefined, later: Decision): Decision {
  return earlier !== undefined && rankOf(earlier) > rankOf(later) ? earlier : later;
}

function rankOf({ action, unscanned }: Decision): number {
  if (action === 'block') return 3;
  if (unscanned !== undefined) return 2;
  return action === 'mask' ? 1 : 0;
}

/** Moves a cut to the start of the masked place that it is in: the rest would not be recognised again. */
function unmaskedBefore(text: string, masked: string, cut: number): number {
  let at = cut;
  while (at > 0 && (text[at - 1] !== masked[at - 1] || text[at] !== masked[at])) at -= 1;
  return at;
}
