/** Holds back streamed text until it is scanned; cuts it at nearby white space, and never inside a character. */
import { moreTelling } from './decisions.ts';
import type { Decision, HeldStream, StreamOptions, Windows } from './types.ts';

/** Maximum distance before the wanted position at which to look for white space. */
const NEAR = 40;
/** A mask may end like the original text: require this many equal characters before a cut position. */
const EQUAL = 4;

const graphemes = new Intl.Segmenter();

/**
 * Finds the last position at or before `wished` where `text` may be cut.
 * @param text begins at a boundary; more text may follow it
 * @returns 0 if it cannot be cut
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
 * Finds the last cut position in a scanned text at which all masks before it are complete.
 * @param shown the text that may be shown: `text` itself or its masked form
 */
export function cutBefore(text: string, shown: string, wished: number): number {
  const at = boundaryBefore(text, wished);
  return shown.endsWith(text.slice(Math.max(0, at - EQUAL))) ? at : 0;
}

/** Returns a position that keeps surrogate pairs together, for texts without any other boundary. */
export function pairBoundary(text: string, wished: number): number {
  return /[\ud800-\udbff]$/.test(text.slice(0, wished)) ? wished + 1 : wished;
}

/** Sizes, all set. */
export interface StreamSizes extends Required<Windows> {
  /** Holds everything until the end. */
  readonly all: boolean;
  /** Maximum length of text in one scan. */
  readonly limit: number;
}

/** Scans a text of the stream. */
type ScanText = (text: string, signal: AbortSignal) => Promise<Decision>;

/**
 * One stream. Text waits in `#held`; its first `#scanned` code units are scanned but held back, because later text may
 * complete a finding that begins in them. Released text was scanned together with the overlap after it.
 */
export class WindowedStream implements HeldStream {
  readonly #sizes: StreamSizes;
  readonly #scan: ScanText;
  readonly #input: Promise<Decision> | undefined;
  readonly #stopping = new AbortController();
  #held = '';
  #scanned = 0;
  /** The showable form of the scanned text at the start of `#held`, if it ends there: masked text stays masked. */
  #shown = '';
  #window: number;
  /** Text that may be shown but has not been shown yet. */
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
    // The opener of the stream handles the failure; avoid an unhandled rejection here.
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

  /** Serialises the scans of this stream. */
  #inTurn(isLast: boolean): Promise<string> {
    const done = this.#work.then(() => this.#release(isLast));
    this.#work = done.catch(() => undefined);
    return done;
  }

  /** Scans full windows; at the end, all remaining text. @returns the text that may be shown */
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
   * Returns the length of the next text to scan: the overlap and a window. A long overlap needs an equal length of new
   * text, so that no text is billed more than twice. If that exceeds the limit of a scan, the text must end before the limit, or
   * it is blocked.
   */
  #nextLength(): number {
    const { overlap, limit } = this.#sizes;
    const again = this.#scanned;
    const isMuch = again > Math.min(overlap + NEAR, limit - 1);
    return Math.max(Math.min(again + this.#window, limit), isMuch ? again * 2 : 0);
  }

  #nextText(isLast: boolean): string {
    // At the end, less than a window is left.
    if (isLast) return this.#held;
    const length = this.#nextLength();
    const at = boundaryBefore(this.#held.slice(0, length + 1), length);
    return this.#held.slice(0, at > this.#scanned ? at : pairBoundary(this.#held, length));
  }

  /** Removes scanned text from the held text; without a safe cut position, everything waits for more text. */
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
    // Masked text must stay masked when more text follows.
    const expected = maskedStart(this.#held.slice(0, this.#scanned), this.#shown);
    const isKept = decision.action === 'block' || shownOf(text, decision).startsWith(expected);
    return isKept ? decision : unjoined(decision);
  }

  /** Ends the answer before the blocked text. */
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

/** Returns a masked text up to the end of its last mask; empty without masks. */
function maskedStart(text: string, shown: string): string {
  let end = 0;
  while (end < shown.length && text.at(-1 - end) === shown.at(-1 - end)) end += 1;
  return shown.slice(0, shown.length - end);
}

/** Returns the block for a text whose masks cannot be located, or would be undone as more text follows. */
function unjoined({ text: _, ...decision }: Decision): Decision {
  return { ...decision, action: 'block', unscanned: decision.unscanned ?? 'incomplete' };
}
