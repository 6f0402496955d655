/** The guard: a decision before a text enters or leaves an application. */
import { present } from '../core/json.ts';
import { answerContent, type Content, callOf, givenIn, inputOf, type TextContent } from './content.ts';
import { actionFor, blamed, blockedIfMasked, causeOf, decisionOfAll, Unscanned } from './decisions.ts';
import { LONGEST, type Settled, SHARED, settled } from './options.ts';
import { ESCAPE, withEscapesRead } from './readable/json.ts';
import { type Scan, Scanning } from './scanning.ts';
import { WindowedStream } from './stream.ts';
import type {
  Cause,
  ContentKind,
  Decision,
  Guard,
  GuardContext,
  GuardOptions,
  HeldStream,
  Message,
  Scanner,
  StreamOptions,
  ToolCall,
} from './types.ts';
import type { Reading } from './verdict.ts';

export type * from './types.ts';

const MESSAGE = 'This content was blocked by a security policy.';

/** The members of a decision that come from a scan. */
type Found = Omit<Decision, 'kind' | 'ms' | 'cached'> & { readonly cached?: boolean };

/**
 * Creates a guard over a client. Decisions are returned, never thrown; without a complete verdict they follow `onError`.
 * @param scanner a client of `createAisec`
 * @throws TypeError for invalid options
 */
export function createGuard(scanner: Scanner, options: GuardOptions): Guard {
  return new ScanningGuard(scanner, options);
}

class ScanningGuard implements Guard {
  readonly parallelInput: boolean;
  readonly masksInput: boolean;
  readonly timeoutMs: number;
  readonly #options: Settled;
  readonly #scanning: Scanning;

  constructor(scanner: Scanner, given: GuardOptions) {
    const options = settled(given);
    this.#options = options;
    this.#scanning = new Scanning(scanner, options);
    this.parallelInput = options.parallelInput;
    this.masksInput = options.mask.input;
    this.timeoutMs = options.timeoutMs;
  }

  input(content: string | readonly Message[], context?: GuardContext): Promise<Decision> {
    return this.#decide('input', context, () => [inputOf(content)]);
  }

  output(text: string, context?: GuardContext): Promise<Decision> {
    return this.#outputOf(text, context, []);
  }

  tool(call: ToolCall, context?: GuardContext): Promise<Decision> {
    return this.#decide('tool', context, () => callOf(call, this.#options.resultsAsPrompts));
  }

  stream(context?: GuardContext, options?: StreamOptions): HeldStream {
    const { windows, holdsAll } = this.#options;
    const sizes = { ...windows, all: holdsAll, limit: LONGEST.output };
    return new WindowedStream(sizes, (text, signal) => this.#outputOf(text, context, [signal]), options);
  }

  message(decision: Decision): string {
    try {
      const said: unknown = this.#options.message?.(decision);
      return typeof said === 'string' ? said : MESSAGE;
    } catch {
      // Refuse with the default message.
      return MESSAGE;
    }
  }

  #outputOf(text: string, context: GuardContext | undefined, stops: readonly AbortSignal[]): Promise<Decision> {
    return this.#decide('output', context, () => [answerContent(text, context?.grounding)], stops);
  }

  /** @param build returns the contents to scan: the worst decision counts */
  async #decide(
    kind: ContentKind,
    context: GuardContext | undefined,
    build: () => readonly Content[],
    stops: readonly AbortSignal[] = [],
  ): Promise<Decision> {
    const start = Date.now();
    const all = await this.#found(context ?? {}, build, stops);
    const decided = all.map((found): Decision => ({ cached: false, ...found, kind, ms: Date.now() - start }));
    const none: Decision = { kind, action: 'allow', cached: false, ms: Date.now() - start };
    const decision = Object.freeze((kind === 'tool' ? decisionOfAll(decided) : decided[0]) ?? none);
    this.#report(decision);
    return decision;
  }

  /** A failing listener, synchronous or not, must not affect the decision. */
  #report(decision: Decision): void {
    try {
      const heard: unknown = this.#options.onDecision?.(decision);
      Promise.resolve(heard).catch(() => undefined);
    } catch {
      // The listener's error.
    }
  }

  async #found(
    context: GuardContext,
    build: () => readonly Content[],
    stops: readonly AbortSignal[],
  ): Promise<readonly Found[]> {
    try {
      const contents = blamed('unreadable', build);
      const all = blamed('usage', () => (context.signal === undefined ? stops : [context.signal, ...stops]));
      const scan = { profile: this.#profileFor(context), given: blamed('usage', () => givenIn(context)), stops: all };
      const full = contents.filter((content) => content.kind === 'tool' || content.text.trim() !== '');
      return await Promise.all(full.map((content) => this.#caught(this.#judge(content, scan), scan)));
    } catch (thrown) {
      return [this.#unscanned(causeOf(thrown))];
    }
  }

  #caught(found: Promise<Found>, { profile }: Scan): Promise<Found> {
    return found.catch((thrown: unknown) => {
      const unscanned = this.#unscanned(causeOf(thrown));
      return unscanned.unscanned === 'profile' ? { ...unscanned, profile } : unscanned;
    });
  }

  #profileFor(context: GuardContext): string {
    const { profile } = this.#options;
    const name: unknown = typeof profile === 'function' ? blamed('profile', () => profile(context)) : profile;
    if (typeof name !== 'string' || name === '') throw new Unscanned('profile');
    return name;
  }

  async #judge(content: Content, scan: Scan): Promise<Found> {
    if (content.kind === 'tool') return this.#scanned(content, scan);
    const text = ESCAPE.test(content.text) ? withEscapesRead(content.text) : content.text;
    const whole = { ...content, text };
    const isLong = text.length > LONGEST[content.kind];
    const found = await (isLong ? this.#inParts(whole, scan) : this.#scanned(whole, scan));
    // A masked text would be escaped twice.
    return text === content.text ? found : blockedIfMasked(found);
  }

  async #scanned(content: Content, scan: Scan): Promise<Found> {
    const { reading, cached } = await this.#scanning.read(content, scan);
    return { ...this.#judged(content.kind, reading), cached };
  }

  /** Scans a long text in parts, one after the other; the worst decision counts. */
  async #inParts(content: TextContent, scan: Scan): Promise<Found> {
    let cached = true;
    const scanPart = async (text: string): Promise<Decision> => {
      const part = await this.#caught(this.#scanned({ ...content, text }, scan), scan);
      cached &&= part.cached === true;
      return { kind: content.kind, cached: false, ...part, ms: 0 };
    };
    const limit = LONGEST[content.kind];
    const sizes = { first: limit, max: limit, overlap: SHARED, all: true, limit };
    const parts = new WindowedStream(sizes, scanPart);
    const shown = (await parts.push(content.text)) + (await parts.end());
    const { text: _, ...decision } = parts.decision ?? this.#unscanned('incomplete');
    if (decision.action === 'block') return { ...decision, cached };
    // Report a part without a verdict, and keep the other parts' masks.
    if (shown !== content.text) return { ...decision, cached, action: 'mask', text: shown };
    return { ...decision, cached };
  }

  #judged(kind: ContentKind, { action, verdict, cause, masked, scanId, reportId }: Reading): Found {
    const ids = { verdict, ...present({ scanId, reportId }) };
    if (cause !== undefined) return { ...ids, ...this.#unscanned(cause) };
    const mayMask = kind !== 'tool' && this.#options.mask[kind];
    return mayMask && masked !== undefined ? { ...ids, action: 'mask', text: masked } : { ...ids, action };
  }

  #unscanned(cause: Cause): Found {
    return { action: actionFor(cause, this.#options.onError), unscanned: cause };
  }
}
