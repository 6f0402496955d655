/**
 * Puts the guard around a transport of the Model Context Protocol, on the client side or the server side. The types are
 * structural: no SDK is imported.
 */
import { type JsonObject, objectOf } from '../../core/json.ts';
import { unreadable } from '../decisions.ts';
import type { Decision, Guard, GuardContext } from '../types.ts';
import { type Id, type Judged, McpJudge, messageKind, type Named, type Question, RESULTS, rpc } from './mcp/judge.ts';
import { contextWith } from './values.ts';

/** Members that both generations of the SDK's transports share. Messages have more members than the guard reads. */
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

type Pass = (message: unknown, extra?: unknown) => Promise<void>;

/** A request that is being scanned or that waits for its answer. */
interface Asked extends Question {
  readonly id: Id;
  readonly stopping: AbortController;
  /** Ends with the request, its caller or the connection. */
  readonly signal: AbortSignal;
  /** Whether the request was delivered and is still unanswered. */
  isOpen: boolean;
}

/** The messages in one direction: they keep their order, and their scans run in parallel. */
interface Way {
  /** Passes a message on. */
  readonly pass: Pass;
  readonly asked: Set<Asked>;
  turn: Promise<unknown>;
}

/** A message that may pass, unless its request is cancelled before its turn comes. */
interface Cleared {
  readonly message: JsonObject;
  readonly asked?: Asked;
}

/** A JSON-RPC code in the server range that MCP does not use. */
const REFUSED = -32090;
const SHOWN = ['sessionId', 'hasPerRequestStream'] as const;
const PASSED_ON = ['setProtocolVersion', 'setSupportedProtocolVersions', 'setScopeChallengeResolver'] as const;

/**
 * Wraps a transport: connect a client or a server to the returned transport, and start and close only that.
 * @throws TypeError if the transport is already connected: its messages would pass unscanned
 */
export function guardTransport<Transport extends McpTransport>(
  guard: Guard,
  transport: Transport,
  options: McpOptions,
): Guarded<Transport> {
  // JavaScript callers may omit the options or pass null.
  if (typeof objectOf(options)['server'] !== 'string' || options.server === '')
    throw new TypeError('guardTransport needs the server name: guardTransport(guard, transport, { server }).');
  if (typeof transport.onmessage === 'function')
    throw new TypeError('The transport is already connected: wrap it first, then connect what guardTransport returns.');
  return new GuardedTransport(guard, transport, options) as unknown as Guarded<Transport>;
}

class GuardedTransport {
  onmessage?: ((message: unknown, extra?: unknown) => void) | undefined;
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
    inner.onmessage = (message: unknown, extra?: unknown) => {
      this.#enter(this.#in, message, extra).catch(this.#report);
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onclose = () => this.#closed();
    for (const name of SHOWN) Object.defineProperty(this, name, { get: () => inner[name] });
    for (const name of PASSED_ON) {
      const passedOn = inner[name];
      if (typeof passedOn === 'function') Object.assign(this, { [name]: passedOn.bind(inner) });
    }
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  /** Resolves once the message is passed on or refused. */
  send(message: unknown, options?: unknown): Promise<void> {
    return this.#enter(this.#out, message, options);
  }

  close(): Promise<void> {
    this.#closing.abort();
    return this.#inner.close();
  }

  /** Passes on, in order, the answers that arrived before the other side left, then stops all scans. */
  #closed(): void {
    for (const { stopping } of this.#in.asked) stopping.abort();
    const tell = () => {
      this.#closing.abort();
      this.onclose?.();
    };
    if (this.#closing.signal.aborted) tell();
    else this.#in.turn = this.#in.turn.then(tell);
  }

  /** Starts to scan a message at once, and passes it on after the messages before it. */
  #enter(way: Way, message: unknown, extra: unknown): Promise<void> {
    const signal = (objectOf(extra)['requestSignal'] ?? undefined) as AbortSignal | undefined;
    return this.#queue(way, this.#judged(way, objectOf(message), signal), extra);
  }

  #queue(way: Way, judging: Promise<Cleared | undefined>, extra?: unknown): Promise<void> {
    // Wait until the message is handed over, not until it is delivered: a transport may answer within `send`.
    const begun = way.turn.then(async () => {
      const cleared = await judging;
      const asked = cleared?.asked;
      if (asked !== undefined) asked.isOpen = !asked.signal.aborted;
      if (asked?.isOpen === false) way.asked.delete(asked);
      const isWanted = asked?.isOpen !== false && !this.#closing.signal.aborted;
      return { done: cleared === undefined || !isWanted ? undefined : way.pass(cleared.message, extra) };
    });
    way.turn = begun.catch(() => undefined);
    return begun.then(({ done }) => done);
  }

  async #judged(way: Way, message: JsonObject, signal: AbortSignal | undefined): Promise<Cleared | undefined> {
    const kind = messageKind(message);
    const named = message as Named;
    if (kind === 'request') return this.#request(way, named, signal);
    if (kind === 'response') return this.#response(way, named);
    if (kind === 'notification') return this.#notification(way, named);
    // Do not quote the message: it may hold content.
    return this.#report(new Error('A message that is not JSON-RPC was dropped.'));
  }

  async #request(way: Way, message: Named, caller: AbortSignal | undefined): Promise<Cleared | undefined> {
    const { id, method, params } = message;
    // If two requests shared an id, an answer could be judged as the other request's answer.
    if (askedIn(way, id) !== undefined)
      return this.#report(new Error('A request was dropped: another request with its id is still unanswered.'));
    const tool = method === 'tools/call' ? String(objectOf(params)['name']) : method;
    const stopping = new AbortController();
    const signal = AbortSignal.any([stopping.signal, this.#closing.signal, ...(caller === undefined ? [] : [caller])]);
    const asked: Asked = { id, method, tool, stopping, signal, isOpen: false };
    way.asked.add(asked);
    const judged = await this.#decided('request', asked, message, signal);
    if ('passed' in judged) return { message: rpc({ id, method, params }), asked };
    way.asked.delete(asked);
    const refusal = rpc({ id, ...this.#refusal(asked, judged.refused) });
    if (!signal.aborted) this.#queue(this.#other(way), Promise.resolve({ message: refusal })).catch(this.#report);
    return undefined;
  }

  async #response(way: Way, message: Named): Promise<Cleared | undefined> {
    const { id, result } = message;
    const other = this.#other(way);
    const asked = askedIn(other, id);
    if (asked?.isOpen !== true) return this.#report(new Error('A response was dropped: no request waits for it.'));
    asked.isOpen = false;
    const judged = await this.#decided('answer', asked, message, asked.signal);
    other.asked.delete(asked);
    if ('refused' in judged) return { message: rpc({ id, ...this.#refusal(asked, judged.refused) }), asked };
    return { message: rpc({ id, [result === undefined ? 'error' : 'result']: judged.passed }), asked };
  }

  async #notification(way: Way, message: Named): Promise<Cleared | undefined> {
    const { method, params } = message;
    // A cancellation must not wait for a scan, and its reason is only logged.
    if (method === 'notifications/cancelled') return this.#cancelled(way, objectOf(params)['requestId']);
    const judged = await this.#decided('notification', { method, tool: method }, message, this.#closing.signal);
    return 'passed' in judged ? { message: rpc({ method, params }) } : undefined;
  }

  /** Ends a request's scans, and notifies the other side if the request was delivered. */
  #cancelled(way: Way, requestId: unknown): Cleared | undefined {
    const asked = askedIn(way, requestId);
    if (asked === undefined) return undefined;
    way.asked.delete(asked);
    asked.stopping.abort();
    return asked.isOpen ? { message: rpc({ method: 'notifications/cancelled', params: { requestId } }) } : undefined;
  }

  /** Decides with a cancellable context. Refuses unreadable messages. */
  async #decided(kind: keyof McpJudge, about: Question, message: Named, signal: AbortSignal): Promise<Judged> {
    try {
      const { params, result = message['error'] } = message;
      const context = contextWith(this.#contextOf?.(message), signal);
      return await this.#judge[kind](about, objectOf(kind === 'answer' ? result : params), context);
    } catch {
      return { refused: unreadable('tool') };
    }
  }

  /** Refuses: a tool call gets a result that its model can read; any other request gets an error. */
  #refusal({ method }: Asked, decision: Decision): JsonObject {
    const text = this.#guard.message(decision);
    if (!RESULTS.includes(method)) return { error: { code: REFUSED, message: text } };
    // Only clients of protocol revision 2026-07-28 and later read a result's type.
    return { result: { content: [{ type: 'text', text }], isError: true, resultType: 'complete' } };
  }

  #other(way: Way): Way {
    return way === this.#in ? this.#out : this.#in;
  }

  readonly #report = (error: unknown): undefined => {
    this.onerror?.(error instanceof Error ? error : new Error('The transport failed.'));
  };
}

function wayOf(pass: Pass): Way {
  return { pass, asked: new Set(), turn: Promise.resolve() };
}

function askedIn({ asked }: Way, id: unknown): Asked | undefined {
  return [...asked].find((each) => each.id === id);
}
