/** The guard: a decision before a text enters or leaves an application. */
import { keyOf, VerdictCache } from './cache.ts';
import { actionFor, causeOf } from './cause.ts';
import { jsonOrText, newText } from './new-content.ts';
import { type StreamSizes, WindowedStream } from './stream.ts';
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
import { type Reading, readVerdict } from './verdict.ts';

export type * from './types.ts';

const SCAN = 'aisec-runtime-scan';
const TIMEOUT_MS = 2000;
const CACHE = { entries: 5000, ttlMs: 600_000 };
const WINDOWS = { first: 200, max: 1600, overlap: 80 };
const MESSAGE = 'This content was blocked by a security policy.';
/** Members of the context that are arguments of the scan. */
const FORWARDED = [
  'session_id',
  'transaction_id',
  'app_name',
  'app_user',
  'ai_model',
  'user_ip',
  'agent_id',
  'agent_version',
  'agent_arn',
] as const;

/** One content to scan. */
interface Content {
  readonly kind: ContentKind;
  /** Arguments of the scan that hold the content. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** Builds the arguments of a scan; undefined where nothing is to be scanned. */
type BuildArguments = () => Content['args'] | undefined;

/** A verdict, and whether it is that of an earlier scan. */
interface Known {
  readonly reading: Reading;
  readonly cached: boolean;
}

/**
 * Creates a guard over a client. Decisions are returned, never thrown; without a complete verdict they follow `onError`.
 * @param scanner a client of `createAisec`
 * @throws TypeError for options that cannot be meant
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
  readonly #sizes: StreamSizes;
  readonly #revision: string;
  readonly #cache: VerdictCache<Reading> | undefined;
  /** Scans under way by key: the same content twice in one request is scanned once. */
  readonly #running = new Map<string, Promise<Known>>();

  constructor(scanner: Scanner, options: GuardOptions) {
    checkOptions(options);
    const cache = options.cache === false ? undefined : { ...CACHE, ...options.cache };
    this.#scanner = scanner;
    this.#options = options;
    this.#sizes = sizesOf(options.stream);
    this.#revision = cache?.revision ?? '';
    this.#cache = cache === undefined ? undefined : new VerdictCache(cache, Date.now);
    this.parallelInput = options.parallelInput === true;
    this.masksInput = options.mask?.input === true;
    this.timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  input(content: string | readonly Message[], context: GuardContext = {}): Promise<Decision> {
    return this.#decide('input', context, () => {
      const prompt = typeof content === 'string' ? content : newText(content);
      return prompt === '' ? undefined : { prompt };
    });
  }

  output(text: string, context: GuardContext = {}): Promise<Decision> {
    const { grounding } = context;
    return this.#decide('output', context, () =>
      text === '' ? undefined : { response: text, ...(grounding === undefined ? {} : { context: grounding }) },
    );
  }

  tool({ server, tool, input, output, ecosystem, method }: ToolCall, context: GuardContext = {}): Promise<Decision> {
    const metadata = {
      ecosystem: ecosystem ?? 'mcp',
      method: method ?? 'tools/call',
      server_name: server,
      tool_invoked: tool,
    };
    return this.#decide('tool', context, () => ({
      tool_event: {
        metadata,
        // The service needs an input or an output.
        ...(output !== undefined && input === undefined ? {} : { input: jsonOrText(input ?? {}) }),
        ...(output === undefined ? {} : { output: jsonOrText(output) }),
      },
    }));
  }

  stream(context: GuardContext = {}, options: StreamOptions = {}): HeldStream {
    const scan = (text: string, signal: AbortSignal) =>
      this.output(text, { ...context, signal: anyOf(context, signal) });
    return new WindowedStream(this.#sizes, scan, options);
  }

  message(decision: Decision): string {
    return this.#options.message?.(decision) ?? MESSAGE;
  }

  async #decide(kind: ContentKind, context: GuardContext, build: BuildArguments): Promise<Decision> {
    const start = Date.now();
    const found = await this.#found(kind, context, build);
    const decision = { kind, cached: false, ...found, ms: Date.now() - start };
    try {
      this.#options.onDecision?.(decision);
    } catch {
      // A listener that fails must neither pass nor block anything.
    }
    return decision;
  }

  async #found(kind: ContentKind, context: GuardContext, build: BuildArguments) {
    try {
      const args = build();
      if (args === undefined) return { action: 'allow' as const };
      const { profile } = this.#options;
      const name = typeof profile === 'function' ? profile(context) : profile;
      const { reading, cached } = await this.#known(name, { kind, args }, context);
      return { ...this.#judged(kind, reading), cached };
    } catch (thrown) {
      return this.#unscanned(causeOf(thrown));
    }
  }

  /** Looks a content up, or scans it, unless the same scan is under way. */
  #known(profile: string, content: Content, context: GuardContext): Promise<Known> {
    // A caller that cancels must not cancel the scan of somebody else.
    if (context.signal !== undefined) return this.#look(profile, content, context);
    const key = JSON.stringify([profile, content]);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const started = this.#look(profile, content, context).finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  async #look(profile: string, content: Content, context: GuardContext): Promise<Known> {
    const scan = () => this.#request(content, { profile_name: profile }, context);
    if (this.#cache === undefined) return { reading: await scan(), cached: false };
    const key = await keyOf([profile, this.#revision, content.kind, JSON.stringify(content.args)]);
    const known = this.#cache.get(key);
    if (known !== undefined) return { reading: known, cached: true };
    const reading = await scan();
    // A masked text is text: it is not remembered.
    if (reading.cause === undefined && reading.masked === undefined) this.#cache.set(key, reading);
    return { reading, cached: false };
  }

  async #request({ kind, args }: Content, profile: object, context: GuardContext): Promise<Reading> {
    const given: Record<string, unknown> = {};
    for (const name of FORWARDED) if (context[name] !== undefined) given[name] = context[name];
    const call = { timeoutMs: this.timeoutMs, signal: context.signal };
    const { raw } = await this.#scanner.call(SCAN, { ...profile, ...args, ...given }, call);
    return readVerdict(raw, kind);
  }

  #judged(kind: ContentKind, { verdict, cause, masked, scanId, reportId }: Reading) {
    const ids = {
      verdict,
      ...(scanId === undefined ? {} : { scanId }),
      ...(reportId === undefined ? {} : { reportId }),
    };
    if (cause !== undefined) return { ...ids, ...this.#unscanned(cause) };
    if (verdict.action === 'allow') return { ...ids, action: 'allow' as const };
    const { mask = {} } = this.#options;
    const mayMask = (kind === 'input' && mask.input === true) || (kind === 'output' && mask.output === true);
    const isLeakAlone = verdict.detectors.length > 0 && verdict.detectors.every((name) => name === 'dlp');
    if (mayMask && masked !== undefined && isLeakAlone) return { ...ids, action: 'mask' as const, text: masked };
    return { ...ids, action: 'block' as const };
  }

  #unscanned(cause: Cause) {
    return { action: actionFor(cause, this.#options.onError ?? 'block'), unscanned: cause };
  }
}

function anyOf({ signal }: GuardContext, other: AbortSignal): AbortSignal {
  return signal === undefined ? other : AbortSignal.any([signal, other]);
}

function sizesOf(stream: GuardOptions['stream'] = {}): StreamSizes {
  return stream === 'all' ? { ...WINDOWS, all: true } : { ...WINDOWS, ...stream, all: false };
}

/** Callers without a compiler are checked here: a guard with a wrong option must not start. */
function checkOptions({ profile, onError = 'block', stream, timeoutMs }: GuardOptions): void {
  if (typeof profile !== 'function' && (typeof profile !== 'string' || profile === ''))
    throw new TypeError('The guard needs a profile: the name of a security profile, or a function that returns it.');
  if (!['block', 'allow'].includes(onError)) throw new TypeError('onError of the guard is "block" or "allow".');
  if (timeoutMs !== undefined && !(timeoutMs > 0)) throw new TypeError('timeoutMs of the guard is a number above 0.');
  const { first, max, overlap } = sizesOf(stream);
  const isSound = [first, max, overlap].every(Number.isInteger) && first > 0 && max >= first && overlap >= 0;
  if (!isSound || max + overlap > 20_000)
    throw new TypeError('The windows of the guard need 0 < first <= max, 0 <= overlap, and max + overlap <= 20000.');
}
