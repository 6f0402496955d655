/** Holds the text of a stream back until it was scanned, and cuts it at white space if that is near, never inside a character. */
import { moreTelling } from './decisions.ts';
import type { Decision, HeldStream, StreamOptions, Windows } from './types.ts';

/** How far before the wished place white space is searched. */
const NEAR = 40;
/** The end of a mask may be as the original was: so many equal characters before a cut vouch for it. */
const EQUAL = 4;

const graphemes = new Intl.Segmenter();

/**
 * Finds the last place at or before `wished` where `text` may be cut.
 * @param text begins at a boundary; more text may follow it
 * @returns 0 if it may be cut nowhere
 */
export function boundaryBefore(text: string, wished: number): number {
  // The last character may still grow: an accent may follow it.
  const latest = Math.min(wished, text.length - 1);
  if (latest <= 0) return 0;
  for (let at = latest; at > latest - NEAR; at -= 1)
    if (/\s/.test(text.charAt(at - 1)) && startOf(text, at) === at) return at;
  return startOf(text, latest);
}

/** Returns the start of the character that contains the code unit at `at`. */
function startOf(text: string, at: number): number {
  return graphemes.segment(text).containing(at)?.index ?? text.length;
}

/**
 * Finds the last such place in a scanned text, with all that the service masked before it.
 * @param shown what may be shown of `text`: itself, or its masked form
 */
export function cutBefore(text: string, shown: string, wished: number): number {
  const at = boundaryBefore(text, wished);
  return shown.endsWith(text.slice(Math.max(0, at - EQUAL))) ? at : 0;
}

/** Returns a place that keeps surrogate pairs together, for texts without any other boundary. */
export function pairBoundary(text: string, wished: number): number {
  return /[\ud800-\udbff]$/.test(text.slice(0, wished)) ? wished + 1 : wished;
}

/** Sizes, all set. */
export interface StreamSizes extends Required<Windows> {
  /** Holds everything until the end. */
  readonly all: boolean;
  /** The longest text of one scan. */
  readonly limit: number;
}

/** Scans a text of the stream. */
type ScanText = (text: string, signal: AbortSignal) => Promise<Decision>;

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
  #window: number;
  /** Text that may be shown, and was not yet. */
  #cleared = '';
  #decision: Decision | undefined;
  #masked = false;
  #ended = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(sizes: StreamSizes, scan: ScanText, { input }: StreamOptions = {}) {
    this.#sizes = sizes;
    this.#scan = scan;
    this.#input = input;
    this.#window = sizes.first;
    // The opener of the stream handles the failure; here it must not count as unhandled.
    input?.catch(() => undefined);
  }

  get decision(): Decision | undefined {
    return this.#decision;
  }

  get masked(): boolean {
    return this.#masked;
  }

  get blocked(): boolean {
    return this.#decision?.action === 'block';
  }

  push(text: string): Promise<string> {
    this.#held += text;
    return this.#inTurn(false);
  }

  end(): Promise<string> {
    return this.#inTurn(true);
  }

  cancel(): void {
    this.#ended = true;
    this.#stopping.abort();
  }

  /** Lets one scan of this stream run at a time. */
  #inTurn(isLast: boolean): Promise<string> {
    const done = this.#work.then(() => this.#release(isLast));
    this.#work = done.catch(() => undefined);
    return done;
  }

  /** Scans what fills windows, or at the end all that is left. @returns the text that may be shown */
  async #release(isLast: boolean): Promise<string> {
    if (this.#ended || !(isLast || this.#isFull())) return '';
    const input = await this.#input;
    if (input?.action === 'block') return this.#block(input);
    while (isLast ? this.#held.length > this.#scanned : this.#isFull()) {
      const text = this.#nextText(isLast);
      const decision = await this.#decide(text);
      if (this.#stopping.signal.aborted) return '';
      if (decision.action === 'block') return this.#block(decision);
      this.#decision = moreTelling(this.#decision, decision);
      this.#masked ||= decision.action === 'mask';
      this.#clear(text, decision);
      this.#window = Math.min(this.#window * 2, this.#sizes.max);
    }
    this.#ended = isLast;
    if (isLast) return this.#cleared + this.#shown;
    return this.#taken();
  }

  #isFull(): boolean {
    return this.#held.length >= this.#nextLength();
  }

  /**
   * Returns how long the next text to scan is: what is scanned again, and a window. Where much is scanned again, as much is new, so
   * that no text costs twice its price; if that is more than a scan can take, the text must end before, or it is blocked.
   */
  #nextLength(): number {
    const { overlap, limit } = this.#sizes;
    const again = this.#scanned;
    const isMuch = again > Math.min(overlap + NEAR, limit - 1);
    return Math.max(Math.min(again + this.#window, limit), isMuch ? again * 2 : 0);
  }

  #nextText(isLast: boolean): string {
    // At the end less than a window is left.
    if (isLast) return this.#held;
    const length = this.#nextLength();
    const at = boundaryBefore(this.#held.slice(0, length + 1), length);
    return this.#held.slice(0, at > this.#scanned ? at : pairBoundary(this.#held, length));
  }

  /** Takes scanned text out of what is held: without a certain place everything waits for more text. */
  #clear(text: string, decision: Decision): void {
    const shown = shownOf(text, decision);
    const cut = cutBefore(text, shown, text.length - this.#sizes.overlap);
    const shownCut = cut === 0 ? 0 : cut + shown.length - text.length;
    this.#held = this.#held.slice(cut);
    this.#scanned = text.length - cut;
    this.#shown = shown.slice(shownCut);
    this.#cleared += shown.slice(0, shownCut);
  }

  async #decide(text: string): Promise<Decision> {
    if (this.#decision !== undefined && text.length > this.#sizes.limit) return unjoined(this.#decision);
    const decision = await this.#scan(text, this.#stopping.signal);
    // A masked place must stay masked when more text follows.
    const expected = maskedStart(this.#held.slice(0, this.#scanned), this.#shown);
    const isKept = decision.action === 'block' || shownOf(text, decision).startsWith(expected);
    return isKept ? decision : unjoined(decision);
  }

  /** Ends the answer before the text that is blocked. */
  #block(decision: Decision): string {
    this.#ended = true;
    this.#decision = decision;
    return this.#taken();
  }

  #taken(): string {
    if (this.#sizes.all) return '';
    const text = this.#cleared;
    this.#cleared = '';
    return text;
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
