/**
 * Puts the guard around a transport of the Model Context Protocol, at the side of a client or of a server. The types are
 * structural: no SDK is imported.
 */
import { isDeeper, isObject, type JsonObject, MAX_DEPTH, objectOf } from '../../core/json.ts';
import type { Decision, Guard, GuardContext } from '../types.ts';
import { type Judged, McpJudge, type Question, RESULTS } from './mcp/judge.ts';
import { type Id, kindOf, type Named, rpc } from './mcp/messages.ts';

/** Members of both generations of the SDK's transports. Their messages have more members than the guard reads. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: never, options?: never): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  sessionId?: string | undefined;
  readonly hasPerRequestStream?: boolean;
  setProtocolVersion?: ((version: string) => void) | undefined;
  setSupportedProtocolVersions?: ((versions: string[]) => void) | undefined;
  setScopeChallengeResolver?: ((resolver: never) => void) | undefined;
}

export interface McpOptions {
  /** Name of the server, as the service shows it. */
  readonly server: string;
  /** Returns session, turn and user of a message. */
  readonly context?: (message: unknown) => GuardContext;
}

/** The members of a transport that a client or a server of MCP uses. */
export type Guarded<Transport extends McpTransport> = Pick<Transport, Extract<keyof Transport, keyof McpTransport>>;

type Send = (message: unknown, options?: unknown) => Promise<void>;
type Receive = (message: unknown, extra?: unknown) => void;

/** A request on its way, or that waits for its answer. */
interface Asked extends Question {
  readonly stopping: AbortController;
  /** The revision of 2026-07-28 and later: its results have a type. */
  readonly isModern: boolean;
  state: 'scanned' | 'sent' | 'answered';
}

/** The messages in one direction, which keep their order; their scans run at the same time. */
interface Way {
  /** Passes a message on. */
  readonly pass: Send;
  readonly asked: Map<Id, Asked>;
  turn: Promise<unknown>;
}

/** A message that may pass. */
interface Cleared {
  readonly message: JsonObject;
  /** Called when its turn has come. @returns false if it must not pass after all */
  readonly begin?: () => boolean;
}

/** A JSON-RPC code of the range for servers, which MCP does not use. */
const REFUSED = -32090;
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const PASSED_ON = ['setProtocolVersion', 'setSupportedProtocolVersions', 'setScopeChallengeResolver'] as const;
const UNREADABLE: Decision = { kind: 'tool', action: 'block', unscanned: 'unreadable', ms: 0, cached: false };

/**
 * Wraps a transport: connect a client or a server to the returned transport, and start and close only that.
 * @throws TypeError for a transport that is already connected: its messages would pass unseen
 */
export function guardTransport<Transport extends McpTransport>(
  guard: Guard,
  transport: Transport,
  options: McpOptions,
): Guarded<Transport> {
  // Callers without a compiler may leave the options out, or pass null.
  if (typeof objectOf(options)['server'] !== 'string' || options.server === '')
    throw new TypeError('guardTransport needs the name of the server: guardTransport(guard, transport, { server }).');
  if (typeof transport.onmessage === 'function')
    throw new TypeError(
      'The transport is connected already. Wrap it first, then connect the transport that guardTransport returns.',
    );
  return new GuardedTransport(guard, transport, options) as unknown as Guarded<Transport>;
}

class GuardedTransport {
  onmessage?: Receive | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  readonly #guard: Guard;
  readonly #inner: McpTransport;
  readonly #judge: McpJudge;
  readonly #contextOf: McpOptions['context'];
  readonly #closing = new AbortController();
  readonly #out: Way;
  readonly #in: Way;

  constructor(guard: Guard, inner: McpTransport, { server, context }: McpOptions) {
    this.#guard = guard;
    this.#inner = inner;
    this.#judge = new McpJudge(guard, server);
    this.#contextOf = context;
    this.#out = wayOf((message, options) => inner.send(message as never, options as never));
    this.#in = wayOf(async (message, extra) => this.onmessage?.(message, extra));
    const receive: Receive = (message, extra) => {
      this.#enter(this.#in, message, extra).catch((error: unknown) => this.#report(error));
    };
    inner.onmessage = receive as never;
    inner.onerror = (error) => this.onerror?.(error);
    inner.onclose = () => this.#closed();
    for (const name of PASSED_ON) {
      const passedOn = inner[name];
      if (typeof passedOn === 'function') Object.assign(this, { [name]: passedOn.bind(inner) });
    }
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  get hasPerRequestStream(): boolean | undefined {
    return this.#inner.hasPerRequestStream;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  /** Resolves when the message was passed on or refused. */
  send(message: unknown, options?: unknown): Promise<void> {
    return this.#enter(this.#out, message, options);
  }

  close(): Promise<void> {
    this.#closing.abort();
    return this.#inner.close();
  }

  /** Still passes answers that arrived before the other side left, in their order, and stops all other scans. */
  #closed(): void {
    for (const { stopping } of this.#in.asked.values()) stopping.abort();
    for (const { stopping, state } of this.#out.asked.values()) if (state !== 'answered') stopping.abort();
    const tell = () => {
      this.#closing.abort();
      this.onclose?.();
    };
    if (this.#closing.signal.aborted) tell();
    else this.#in.turn = this.#in.turn.then(tell);
  }

  /** Judges a message at once, and passes it on after the messages before it. */
  #enter(way: Way, message: unknown, extra: unknown): Promise<void> {
    const all: readonly unknown[] = Array.isArray(message) ? message : [message];
    const signal = (objectOf(extra)['requestSignal'] ?? undefined) as AbortSignal | undefined;
    const judging = Promise.all(all.map((each) => this.#judged(way, each, signal)));
    // The turn waits for the message to be passed, not for its delivery: a transport may answer within `send`.
    const begun = way.turn.then(async () => {
      const cleared = (await judging).filter((each) => each !== undefined);
      if (this.#closing.signal.aborted) return { done: undefined };
      const messages = cleared.filter(({ begin }) => begin?.() !== false).map((each) => each.message);
      if (messages.length === 0) return { done: undefined };
      return { done: way.pass(Array.isArray(message) ? messages : messages[0], extra) };
    });
    way.turn = begun.catch(() => undefined);
    return begun.then(({ done }) => done);
  }

  async #judged(way: Way, message: unknown, signal: AbortSignal | undefined): Promise<Cleared | undefined> {
    const kind = kindOf(message);
    const { id, method } = objectOf(message);
    const named = { ...objectOf(message), method: String(method), id: id as Id };
    if (kind === 'request') return this.#request(way, named, signal);
    if (kind === 'response') return this.#response(way, named);
    if (kind === 'notification') return this.#notification(way, named);
    // Do not repeat its text: it may be content.
    this.#report(new Error('A message without the form of JSON-RPC was dropped.'));
    return undefined;
  }

  async #request(way: Way, message: Named, requestSignal: AbortSignal | undefined): Promise<Cleared | undefined> {
    const { id, method, params } = message;
    // With two requests of one id, an answer could be judged as that of the other request.
    if (way.asked.has(id)) return this.#drop('A request was dropped: another with its id waits for an answer.');
    const given = objectOf(params);
    const tool = method === 'tools/call' ? String(given['name']) : method;
    const isModern = objectOf(given['_meta'])[VERSION] !== undefined;
    const asked: Asked = { method, tool, isModern, stopping: new AbortController(), state: 'scanned' };
    way.asked.set(id, asked);
    const judged = await this.#decided(message, [asked.stopping.signal, requestSignal], (context) =>
      this.#judge.request(asked, given, context),
    );
    if ('passed' in judged && requestSignal?.aborted !== true) {
      const begin = () => {
        const isWanted = !asked.stopping.signal.aborted;
        if (isWanted) asked.state = 'sent';
        return isWanted;
      };
      return { message: rpc({ id, method, params }), begin };
    }
    if (way.asked.get(id) === asked) way.asked.delete(id);
    if ('refused' in judged && !asked.stopping.signal.aborted)
      this.#reply(way, rpc({ id, ...this.#refusal(asked, judged.refused, {}) }));
    return undefined;
  }

  async #response(way: Way, message: Named): Promise<Cleared | undefined> {
    const { id, result, error } = message;
    const other = this.#other(way);
    const asked = other.asked.get(id);
    if (asked?.state !== 'sent') return this.#drop('A response was dropped: no request waits for it.');
    asked.state = 'answered';
    const judged = await this.#decided(message, [asked.stopping.signal], (context) =>
      isObject(result)
        ? this.#judge.result(asked, result, context)
        : this.#judge.error(asked, objectOf(error), context),
    );
    if (other.asked.get(id) === asked) other.asked.delete(id);
    if (asked.stopping.signal.aborted) return undefined;
    if ('refused' in judged) return { message: rpc({ id, ...this.#refusal(asked, judged.refused, objectOf(error)) }) };
    return { message: rpc({ id, ...(isObject(result) ? { result: judged.passed } : { error }) }) };
  }

  async #notification(way: Way, message: Named): Promise<Cleared | undefined> {
    const { method, params } = message;
    if (method === 'notifications/cancelled' && this.#cancelled(way, objectOf(params)['requestId'])) return undefined;
    const judged = await this.#decided(message, [], (context) =>
      this.#judge.notification(method, objectOf(params), context),
    );
    if ('refused' in judged) return undefined;
    return { message: rpc({ method, ...(params === undefined ? {} : { params: judged.passed }) }) };
  }

  /** Ends the scans about a request. @returns true if the other side has not seen it */
  #cancelled(way: Way, id: unknown): boolean {
    const asked = way.asked.get(id as Id);
    if (asked === undefined) return false;
    way.asked.delete(id as Id);
    asked.stopping.abort();
    return asked.state === 'scanned';
  }

  /** Decides with a context whose scan ends with the connection. An unreadable message is refused. */
  async #decided(
    message: Named,
    signals: readonly (AbortSignal | undefined)[],
    decide: (context: GuardContext) => Promise<Judged>,
  ): Promise<Judged> {
    if (isDeeper(message, MAX_DEPTH)) return { refused: UNREADABLE };
    try {
      const given = this.#contextOf?.(message) ?? {};
      const all = [this.#closing.signal, given.signal, ...signals].filter((signal) => signal !== undefined);
      return await decide({ ...given, signal: AbortSignal.any(all) });
    } catch {
      return { refused: UNREADABLE };
    }
  }

  /** Answers instead of the other side. */
  #reply(way: Way, message: JsonObject): void {
    const other = this.#other(way);
    other.turn = other.turn.then(() => {
      if (!this.#closing.signal.aborted) other.pass(message).catch((error: unknown) => this.#report(error));
    });
  }

  /** A call of a tool ends with a result that its model can read; all else with an error. */
  #refusal({ method, isModern }: Asked, decision: Decision, { code }: JsonObject): JsonObject {
    const message = this.#guard.message(decision);
    if (code !== undefined || !RESULTS.includes(method))
      return { error: { code: typeof code === 'number' ? code : REFUSED, message } };
    const content = [{ type: 'text', text: message }];
    return { result: { content, isError: true, ...(isModern ? { resultType: 'complete' } : {}) } };
  }

  #other(way: Way): Way {
    return way === this.#in ? this.#out : this.#in;
  }

  #drop(reason: string): undefined {
    this.#report(new Error(reason));
  }

  #report(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error('The transport failed.'));
  }
}

function wayOf(pass: Send): Way {
  return { pass, asked: new Map(), turn: Promise.resolve() };
}
