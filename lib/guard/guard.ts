/** The guard: a decision before a text enters or leaves an application. */
import { hashOf, VerdictCache } from './cache.ts';
import { actionFor, blamed, causeOf, Unscanned } from './cause.ts';
import { argumentsOf, type Content, callOf, givenIn, inputOf, outputOf, type TextContent } from './content.ts';
import { inTime } from './in-time.ts';
import { LONGEST, SHARED } from './limits.ts';
import { CACHE, checkOptions, WINDOWS } from './options.ts';
import { withEscapesRead } from './readable/json.ts';
import { WindowedStream } from './stream.ts';
import { blockedIfMasked, decisionOfAll } from './telling.ts';
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
import { type Reading, readAnswer } from './verdict.ts';

export type * from './types.ts';

const SCAN = 'aisec-runtime-scan';
const TIMEOUT_MS = 2000;
const MESSAGE = 'This content was blocked by a security policy.';
/** How a content is scanned. */
interface Scan {
  readonly profile: string;
  /** Arguments from the context. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Any of them ends the scan. */
  readonly stops: readonly AbortSignal[];
}

/** A verdict, and whether it comes from an earlier scan. */
interface Known {
  readonly reading: Reading;
  readonly cached: boolean;
}

/** A character in JSON's form, which a reader may decode. */
const ESCAPE = /\\u[\da-fA-F]{4}/;

/** Reports whether there is anything to scan. */
function isFull(content: Content): boolean {
  return content.kind === 'tool' || content.text.trim() !== '';
}

/** The members of a decision that need a scan. */
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
  readonly #scanner: Scanner;
  readonly #options: GuardOptions;
  readonly #revision: string;
  readonly #cache: VerdictCache<Reading> | undefined;
  /** Scans under way by key: the same content twice in one request is scanned once. */
  readonly #running = new Map<string, Promise<Known>>();

  constructor(scanner: Scanner, options: GuardOptions) {
    checkOptions(options);
    const cache = options.cache === false ? undefined : { ...CACHE, ...options.cache };
    this.#scanner = scanner;
    this.#options = { ...options };
    this.#revision = cache?.revision ?? '';
    this.#cache = cache === undefined ? undefined : new VerdictCache(cache, Date.now);
    this.parallelInput = options.parallelInput === true;
    this.masksInput = options.mask?.input === true;
    this.timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  input(content: string | readonly Message[], context?: GuardContext): Promise<Decision> {
    return this.#decide('input', context, () => [inputOf(content)]);
  }

  output(text: string, context?: GuardContext): Promise<Decision> {
    return this.#outputOf(text, context, []);
  }

  tool(call: ToolCall, context?: GuardContext): Promise<Decision> {
    return this.#decide('tool', context, () => callOf(call, this.#options.resultsAsPrompts ?? true));
  }

  stream(context?: GuardContext, options?: StreamOptions): HeldStream {
    const { stream } = this.#options;
    const sizes = { ...WINDOWS, ...(stream === 'all' ? {} : stream), all: stream === 'all', limit: LONGEST.output };
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
    return this.#decide('output', context, () => [outputOf(text, context?.grounding)], stops);
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

  /** A listener that fails, now or later, must neither pass nor block anything. */
  #report(decision: Decision): void {
    try {
      const heard: unknown = this.#options.onDecision?.(decision);
      Promise.resolve(heard).catch(() => undefined);
    } catch {
      // Thrown by the listener.
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
      return await Promise.all(contents.filter(isFull).map((content) => this.#caught(this.#judge(content, scan))));
    } catch (thrown) {
      return [this.#unscanned(causeOf(thrown))];
    }
  }

  #caught(scan: Promise<Found>): Promise<Found> {
    return scan.catch((thrown: unknown) => this.#unscanned(causeOf(thrown)));
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
    // A masked text would have what is escaped twice.
    return text === content.text ? found : blockedIfMasked(found);
  }

  async #scanned(content: Content, scan: Scan): Promise<Found> {
    const { reading, cached } = await this.#known(content, scan);
    return { ...this.#judged(content.kind, reading), cached };
  }

  /** Scans a text that is too long for one scan in parts, one after the other; the worst decision counts. */
  async #inParts(content: TextContent, scan: Scan): Promise<Found> {
    let cached = true;
    const scanPart = async (text: string): Promise<Decision> => {
      const part = await this.#caught(this.#scanned({ ...content, text }, scan));
      cached &&= part.cached === true;
      return { kind: content.kind, cached: false, ...part, ms: 0 };
    };
    const sizes = { ...WINDOWS, overlap: SHARED, all: true, limit: LONGEST[content.kind] };
    const parts = new WindowedStream(sizes, scanPart);
    const shown = (await parts.push(content.text)) + (await parts.end());
    const { text: _, ...decision } = parts.decision ?? this.#unscanned('incomplete');
    if (decision.action === 'block') return { ...decision, cached };
    // Report a part without a verdict, and keep the masks of the other parts.
    if (shown !== content.text) return { ...decision, cached, action: 'mask', text: shown };
    return { ...decision, cached };
  }

  /** Looks a content up, or scans it, unless the same scan is under way. */
  async #known(content: Content, scan: Scan): Promise<Known> {
    // A caller that cancels must not cancel the scan of another caller.
    const isShared = scan.stops.length === 0;
    if (!isShared && this.#cache === undefined) return { reading: await this.#request(content, scan), cached: false };
    const key = JSON.stringify([scan.profile, this.#revision, content]);
    if (!isShared) return this.#look(key, content, scan);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const started = this.#look(key, content, scan).finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  async #look(key: string, content: Content, scan: Scan): Promise<Known> {
    if (this.#cache === undefined) return { reading: await this.#request(content, scan), cached: false };
    const hash = await hashOf(key);
    const known = this.#cache.get(hash);
    if (known !== undefined) return { reading: known, cached: true };
    const reading = await this.#request(content, scan);
    // Do not cache masked texts: they are content.
    if (reading.cause === undefined && reading.masked === undefined) this.#cache.set(hash, reading);
    return { reading, cached: false };
  }

  async #request(content: Content, { profile, given, stops }: Scan): Promise<Reading> {
    const args = { profile_name: profile, ...argumentsOf(content), ...given };
    const { timeoutMs } = this;
    const call = (signal: AbortSignal) => this.#scanner.call(SCAN, args, { timeoutMs, signal });
    const { raw } = await inTime(call, timeoutMs, stops);
    return readAnswer(raw, content.kind, content.kind === 'tool' ? undefined : content.text);
  }

  #judged(kind: ContentKind, { action, verdict, cause, masked, scanId, reportId }: Reading): Found {
    const ids = {
      verdict,
      ...(scanId === undefined ? {} : { scanId }),
      ...(reportId === undefined ? {} : { reportId }),
    };
    if (cause !== undefined) return { ...ids, ...this.#unscanned(cause) };
    const mayMask = kind !== 'tool' && this.#options.mask?.[kind] === true;
    return mayMask && masked !== undefined ? { ...ids, action: 'mask', text: masked } : { ...ids, action };
  }

  #unscanned(cause: Cause): Found {
    return { action: actionFor(cause, this.#options.onError ?? 'block'), unscanned: cause };
  }
}
