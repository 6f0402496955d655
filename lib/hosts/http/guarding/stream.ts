/** Guards a stream: texts arrive as server-sent events, and are sent on as such once they are scanned. */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Guard, GuardContext, HeldStream } from '../../../guard/types.ts';
import { ownerKey } from '../../../runs/port.ts';
import { permits } from '../../../runs/rights.ts';
import { callerStill, ownerOf, requestOwner } from '../access/rights.ts';
import { type SentEvent, streamEvents } from '../events/event-stream.ts';
import { documentOf, HttpError } from '../problems.ts';
import { stopping } from '../responses/answer.ts';
import { unreadBy } from '../responses/unread.ts';
import type { Service } from '../service.ts';
import { askingOf, mayNotScan, SCAN } from './asking.ts';
import { policyFor, type Wish } from './guards.ts';
import { reasoned } from './reasoned.ts';
import { Chunks, textsIn } from './texts.ts';

/** Measures how long the pieces of a stream were held back. */
export class HeldTime {
  readonly #now: () => number;
  readonly #observe: (milliseconds: number) => void;
  /** Arrivals not yet released, in order: the stream length up to their end, and their arrival time. */
  readonly #waiting: { readonly end: number; readonly at: number }[] = [];
  #first = 0;
  #length = 0;
  #released = 0;

  constructor(now: () => number, observe: (milliseconds: number) => void) {
    this.#now = now;
    this.#observe = observe;
  }

  /** Records the arrival of a piece. @param length in characters */
  came(length: number): void {
    if (length === 0) return;
    this.#length += length;
    this.#waiting.push({ end: this.#length, at: this.#now() });
  }

  /** Records released text; masked text may be shorter or longer, and counts with its own length. */
  left(length: number): void {
    this.#released += length;
    this.#release(this.#released);
  }

  /** Records the end of the stream: nothing waits any longer. */
  end(): void {
    this.#release(Infinity);
  }

  #release(end: number): void {
    const now = this.#now();
    for (let next = this.#waiting[this.#first]; next !== undefined && next.end <= end; ) {
      this.#observe(now - next.at);
      this.#first += 1;
      next = this.#waiting[this.#first];
    }
  }
}

/** Maximum bytes of one stream. */
export const MAX_STREAM_BYTES = 2_000_000;
/** Time for the sender to end its request after the last event, in milliseconds. */
const LINGER_MS = 1000;
/**
 * Time between two checks of the token, in milliseconds: together with the token file check, a stream ends within a
 * second.
 */
const CHECK_MS = 400;

interface Wanted {
  readonly profile: string;
  readonly context: GuardContext;
  readonly wish: Wish;
}

/**
 * Answers a request with its guarded stream.
 * @throws HttpError before the first event; later problems are sent as events
 */
export async function guardStream(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { profile, context, wish }: Wanted,
): Promise<FastifyReply> {
  checkType(request);
  const { guards, guardStreams, catalogue } = service;
  const policy = policyFor(guards.policy, wish);
  const asking = askingOf(service, request, profile, wish.timeout_ms);
  const open = guardStreams.enter(ownerKey(requestOwner(request, catalogue)));
  if (open === undefined) {
    throw new HttpError(429, 'rate-limit', 'Too many guarded streams are open.', {
      headers: { 'retry-after': '10' },
      retryable: true,
    });
  }
  try {
    const chunks = new Chunks((request.body as Readable | null | undefined) ?? request.raw);
    await guards.for(asking, policy, (guard) =>
      streamEvents(reply, unreadBy(service, request), (left) =>
        guarded(new Guarded(service, request, guard), { chunks, context, left, ...open }),
      ),
    );
  } finally {
    open.leave();
  }
  return reply;
}

function checkType({ headers }: FastifyRequest): void {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === 'text/event-stream') {
    if (!(Number(headers['content-length']) > MAX_STREAM_BYTES)) return;
    throw new HttpError(413, 'size', `A stream has at most ${MAX_STREAM_BYTES} bytes.`, {
      hint: 'Send less in one stream.',
    });
  }
  throw new HttpError(415, 'content-type', 'A stream to guard must be text/event-stream.', {
    hint: 'Send content-type: text/event-stream.',
  });
}

interface Input {
  readonly chunks: Chunks;
  readonly context: GuardContext;
  /** The reader has left. */
  readonly left: AbortSignal;
  readonly take: (bytes: number) => void;
}

/** Returns the events of a stream; nothing leaves after the decision or a problem. */
async function* guarded(parts: Guarded, { chunks, context, left, take }: Input): AsyncGenerator<SentEvent> {
  const { signal, release } = parts.until(left);
  try {
    yield* parts.events(chunks, { context, signal, take });
  } catch (thrown) {
    if (left.aborted) return;
    yield { event: 'problem', data: documentOf(thrown) };
  } finally {
    release();
  }
  await chunks.drop(LINGER_MS);
}

/** One guarded stream. */
class Guarded {
  readonly #service: Service;
  readonly #request: FastifyRequest;
  readonly #guard: Guard;
  readonly #held: HeldTime;

  constructor(service: Service, request: FastifyRequest, guard: Guard) {
    const { clock, metrics } = service;
    this.#service = service;
    this.#request = request;
    this.#guard = guard;
    this.#held = new HeldTime(
      () => clock.elapsed(),
      (milliseconds) => metrics.held(milliseconds),
    );
  }

  /** Returns a signal that aborts when the reader leaves, the time or the token expires, or the service stops. */
  until(left: AbortSignal): { signal: AbortSignal; release(): void } {
    const { halting, limits } = this.#service;
    const ending = new AbortController();
    const leave = () => ending.abort(left.reason);
    const halt = () => ending.abort(stopping());
    const timer = setTimeout(() => ending.abort(tooLong(limits.guardStreamMs)), limits.guardStreamMs);
    timer.unref();
    // The sender may send nothing.
    const checks = setInterval(
      () => void this.#checkRights().catch((thrown: unknown) => ending.abort(thrown)),
      CHECK_MS,
    ).unref();
    left.addEventListener('abort', leave);
    halting.addEventListener('abort', halt);
    if (left.aborted) leave();
    if (halting.aborted) halt();
    const release = () => {
      clearTimeout(timer);
      clearInterval(checks);
      left.removeEventListener('abort', leave);
      halting.removeEventListener('abort', halt);
    };
    return { signal: ending.signal, release };
  }

  async *events(
    chunks: Chunks,
    { context, signal, take }: { context: GuardContext; signal: AbortSignal; take: (bytes: number) => void },
  ): AsyncGenerator<SentEvent> {
    const { clock, limits } = this.#service;
    const reading = { bytes: MAX_STREAM_BYTES, idleMs: limits.guardIdleMs, take, now: () => clock.elapsed() };
    let held: HeldStream | undefined;
    const open = (more: GuardContext = {}) => this.#guard.stream({ ...context, ...more, signal });
    const cancel = () => held?.cancel();
    signal.addEventListener('abort', cancel);
    try {
      for await (const given of textsIn(chunks, reading, signal)) {
        if (given.kind === 'context') {
          held = open(given.context);
          continue;
        }
        held ??= open();
        this.#held.came(given.text.length);
        yield* this.#released(await held.push(given.text), signal);
        if (held.blocked) break;
      }
      held ??= open();
      yield* this.#released(await held.end(), signal);
      if (!held.blocked) this.#held.end();
      yield { event: 'decision', data: await this.#decisionOf(held) };
    } finally {
      signal.removeEventListener('abort', cancel);
      held?.cancel();
    }
  }

  *#released(text: string, signal: AbortSignal): Generator<SentEvent> {
    // A cancelled stream releases nothing, and has no decision.
    signal.throwIfAborted();
    if (text === '') return;
    this.#held.left(text.length);
    yield { data: { text } };
  }

  /** Returns the decision without the masked text, which was already sent. */
  async #decisionOf({ decision }: HeldStream) {
    const { text: _text, ...said } = decision ?? (await this.#guard.output(''));
    return reasoned(said);
  }

  /** Checks that the token may still scan. @throws HttpError or NotAllowedError if not */
  async #checkRights(): Promise<void> {
    const { catalogue } = this.#service;
    const caller = await callerStill(this.#service, this.#request);
    if (caller instanceof HttpError) throw caller;
    if (!permits(ownerOf(caller, catalogue).limits, catalogue)(SCAN)) throw mayNotScan();
  }
}

function tooLong(milliseconds: number): HttpError {
  return new HttpError(408, 'timeout', `A stream has at most ${milliseconds / 1000} seconds.`, {
    hint: 'Guard a longer text in several streams.',
  });
}
