/**
 * Puts the guard before and behind the handlers of Fastify, Express and Hono: a field of a JSON request, and a JSON answer or
 * an answer in events. The types are structural: no framework is imported.
 */
import { objectOf } from '../../core/json.ts';
import type { Decision, Guard, GuardContext } from '../types.ts';
import {
  type AnswerOptions,
  bodyChecked,
  type Field,
  fieldOf,
  HeldEvents,
  hasEvents,
  promptIn,
  UNREADABLE,
  wholeText,
  withValue,
} from './http/answer.ts';
import { type ExpressResponse, held } from './http/express.ts';

export { type ChatOptions, type ChatRequestInit, guardChat } from './http/chat.ts';

export interface BodyOptions {
  /** The field of the request with the prompt: a text, or messages. */
  readonly prompt: Field;
  /** The field of an answer, or of each of its events. What lacks it, and by default every answer, is scanned whole. */
  readonly answer?: Field;
  /** Lets requests without the prompt pass. Default: false. */
  readonly optional?: boolean;
  /** Returns what is answered in place of what is blocked. Default: 422 with a problem of RFC 9457. */
  readonly blocked?: (decision: Decision) => Refusal;
  /** Returns session, turn and user of a request, as the framework has it. */
  readonly context?: (request: unknown) => GuardContext;
}

export interface Refusal {
  readonly status: number;
  readonly body: unknown;
  /** Default: `application/json`. */
  readonly type?: string;
}

/** The same guard for each framework. */
export interface BodyGuard {
  /** A plugin: `await app.register(guarded.fastify)`; it holds for all routes of the instance. */
  fastify(app: never, options: never, done: (error?: Error) => void): void;
  /** Middleware: add it after the body parser and after `compression`. */
  express(request: never, response: never, next: () => void): Promise<void>;
  /** Middleware. */
  hono(context: never, next: () => Promise<void>): Promise<Response | undefined>;
}

const PROBLEM = 'application/problem+json';

/**
 * Guards what a handler is asked and what it answers.
 * @throws TypeError without the field of the prompt
 */
export function guardBody(guard: Guard, options: BodyOptions): BodyGuard {
  if (!['string', 'function'].includes(typeof objectOf(options)['prompt']))
    throw new TypeError('guardBody needs the field of the prompt: guardBody(guard, { prompt: "prompt" }).');
  const bodies = new Bodies(guard, options);
  return { fastify: fastifyOf(bodies), express: expressOf(bodies), hono: honoOf(bodies) };
}

/** A request that may pass, with its body, or its refusal. */
type Asked = { readonly body: unknown } | { readonly refused: Decision };

class Bodies {
  readonly guard: Guard;
  readonly #options: BodyOptions;

  constructor(guard: Guard, options: BodyOptions) {
    this.guard = guard;
    this.#options = options;
  }

  contextOf(request: unknown, signal: AbortSignal): GuardContext {
    return { ...this.#options.context?.(request), signal };
  }

  answerOptions(context: GuardContext): AnswerOptions {
    return { guard: this.guard, field: this.#options.answer, context };
  }

  async asked(body: unknown, context: GuardContext): Promise<Asked> {
    const { prompt: field, optional = false } = this.#options;
    const value = attempt(() => fieldOf(body, field));
    if (value === undefined && optional) return { body };
    const prompt = promptIn(value);
    if (prompt === undefined) return { refused: { ...UNREADABLE, kind: 'input' } };
    const decision = await this.guard.input(prompt, context);
    if (decision.action === 'allow') return { body };
    // Masked text can take the place of a text at a path alone.
    if (decision.action !== 'mask' || typeof prompt !== 'string' || typeof field !== 'string')
      return { refused: decision };
    return { body: withValue(body, field.split('.'), decision.text ?? '') };
  }

  refusal(decision: Decision): Required<Refusal> {
    const detail = this.guard.message(decision);
    const problem = { type: 'about:blank', title: 'Unprocessable Content', status: 422, detail };
    const { status, body, type } = this.#options.blocked?.(decision) ?? { status: 422, body: problem, type: PROBLEM };
    return { status, body: JSON.stringify(body), type: type ?? 'application/json' };
  }

  /** Returns the events of an answer that may pass. Ends the handler's stream after a block, and when the reader leaves. */
  events(chunks: AsyncIterable<unknown>, context: GuardContext): ReadableStream<Uint8Array> {
    const held = new HeldEvents(this.answerOptions(context));
    const source = chunks[Symbol.asyncIterator]();
    const decoder = new TextDecoder();
    const encoder = new TextEncoder();
    const end = async () => {
      held.cancel();
      await source.return?.();
    };
    // A framework may leave the stream alone when its reader leaves.
    context.signal?.addEventListener('abort', () => void end().catch(() => undefined), { once: true });
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        for (;;) {
          const read: IteratorResult<unknown, unknown> = await source.next();
          const { done, value } = read;
          const text = typeof value === 'string' ? value : decoder.decode(value as Uint8Array, { stream: !done });
          const added = await held.push(text);
          const passed = done && held.refused === undefined ? added + (await held.end()) : added;
          if (passed !== '') controller.enqueue(encoder.encode(passed));
          if (held.refused !== undefined) controller.enqueue(encoder.encode(this.#lastEvent(held.refused)));
          if (held.refused !== undefined || done === true) {
            controller.close();
            return end();
          }
          if (passed !== '') return undefined;
        }
      },
      cancel: end,
    });
  }

  #lastEvent(decision: Decision): string {
    const error = { type: 'content_filter', message: this.guard.message(decision) };
    return `event: error\ndata: ${JSON.stringify({ error })}\n\n`;
  }
}

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

interface FastifyRequest {
  body: unknown;
  readonly method: string;
  readonly raw: object;
}

interface FastifyReply {
  readonly raw: { on(event: 'close', run: () => void): void };
  getHeader(name: string): unknown;
  removeHeader(name: string): void;
  code(status: number): FastifyReply;
  type(type: string): FastifyReply;
  send(body: unknown): FastifyReply;
}

function fastifyOf(bodies: Bodies) {
  const contexts = new WeakMap<object, GuardContext>();
  const refused = new WeakSet<object>();
  const contextFor = (request: FastifyRequest, reply: FastifyReply) => {
    const known = contexts.get(request);
    if (known !== undefined) return known;
    const leaving = new AbortController();
    reply.raw.on('close', () => leaving.abort());
    const context = bodies.contextOf(request, leaving.signal);
    contexts.set(request, context);
    return context;
  };
  const preHandler = async (request: FastifyRequest, reply: FastifyReply) => {
    const asked = await bodies.asked(request.body, contextFor(request, reply));
    if ('body' in asked) {
      request.body = asked.body;
      return undefined;
    }
    const { status, body, type } = bodies.refusal(asked.refused);
    refused.add(request);
    return reply.code(status).type(type).send(body);
  };
  const onSend = async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    if (refused.has(request) || payload === null || payload === undefined || payload === '') return payload;
    const context = contextFor(request, reply);
    const head = {
      type: textIn(reply.getHeader('content-type')),
      encoding: textIn(reply.getHeader('content-encoding')),
    };
    reply.removeHeader('content-length');
    const chunks = chunksOf(payload);
    if (chunks !== undefined && hasEvents(head)) return bodies.events(chunks, context);
    const text = chunks === undefined ? undefined : await wholeText(chunks);
    const checked =
      text === undefined ? { refused: UNREADABLE } : await bodyChecked(text, head, bodies.answerOptions(context));
    if ('passed' in checked) return checked.passed;
    const { status, body, type } = bodies.refusal(checked.refused);
    reply.removeHeader('content-encoding');
    reply.code(status).type(type);
    return body;
  };
  type App = { addHook(name: string, hook: unknown): void };
  const plugin = (app: App, _: unknown, done: () => void) => {
    app.addHook('preHandler', preHandler);
    app.addHook('onSend', onSend);
    done();
  };
  // Without it the hooks would hold for the routes of the plugin alone, of which it has none.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the chunks of a body; undefined for one of an unknown form. */
function chunksOf(payload: unknown): AsyncIterable<unknown> | undefined {
  if (typeof payload === 'string' || payload instanceof Uint8Array) return oneChunk(payload);
  const isIterable = typeof payload === 'object' && payload !== null && Symbol.asyncIterator in payload;
  return isIterable ? (payload as AsyncIterable<unknown>) : undefined;
}

async function* oneChunk(chunk: unknown): AsyncGenerator {
  yield chunk;
}

function expressOf(bodies: Bodies) {
  return async (request: { body?: unknown }, response: ExpressResponse, next: () => void): Promise<void> => {
    const leaving = new AbortController();
    response.on('close', () => leaving.abort());
    const context = bodies.contextOf(request, leaving.signal);
    const asked = await bodies.asked(request.body, context);
    const refuse = (decision: Decision, end: (body: string) => void) => {
      const { status, body, type } = bodies.refusal(decision);
      response.statusCode = status;
      for (const name of ['content-encoding', 'etag']) response.removeHeader(name);
      response.setHeader('content-type', type);
      end(String(body));
    };
    if ('refused' in asked) return refuse(asked.refused, (body) => response.end(body as never));
    request.body = asked.body;
    held(response, async (chunks, passing) => {
      const [type, encoding] = ['content-type', 'content-encoding'].map((name) => textIn(response.getHeader(name)));
      const head = { type: type ?? '', encoding: encoding ?? '' };
      if (hasEvents(head)) {
        response.removeHeader('content-length');
        const events = bodies.events(chunks, context).getReader();
        const left = new Promise<void>((done) => response.once('close', done));
        for (let read = await events.read(); !read.done; read = await events.read()) {
          // A reader that is slow makes the scans wait.
          if (!passing.write(read.value))
            await Promise.race([new Promise<void>((done) => response.once('drain', done)), left]);
        }
        return passing.end();
      }
      const text = await wholeText(chunks);
      if (text === '') return passing.end();
      response.removeHeader('content-length');
      const checked =
        text === undefined ? { refused: UNREADABLE } : await bodyChecked(text, head, bodies.answerOptions(context));
      if ('passed' in checked) return passing.end(checked.passed);
      return refuse(checked.refused, (body) => passing.end(body));
    });
    next();
  };
}

interface HonoContext {
  readonly req: { readonly raw: Request; json(): Promise<unknown> };
  res: Response | undefined;
}

function honoOf(bodies: Bodies) {
  const responseOf = (decision: Decision) => {
    const { status, body, type } = bodies.refusal(decision);
    return new Response(String(body), { status, headers: { 'content-type': type } });
  };
  return async (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const about = bodies.contextOf(context, context.req.raw.signal);
    const body = await context.req.json().catch(() => undefined);
    const asked = await bodies.asked(body, about);
    if ('refused' in asked) return responseOf(asked.refused);
    // The handler reads the body of the request itself: masked text cannot take its place for all its ways of reading.
    if (asked.body !== body) return responseOf({ ...UNREADABLE, kind: 'input' });
    await next();
    const answer = context.res;
    if (answer === undefined || answer.body === null) return undefined;
    const { headers: given, status } = answer;
    const head = { type: given.get('content-type') ?? '', encoding: given.get('content-encoding') ?? '' };
    const headers = new Headers(given);
    headers.delete('content-length');
    const chunks = answer.body as unknown as AsyncIterable<unknown>;
    // Hono joins the headers of an answer that is replaced by another with its own.
    context.res = undefined;
    if (hasEvents(head)) {
      context.res = new Response(bodies.events(chunks, about), { status, headers });
      return undefined;
    }
    const text = await wholeText(chunks);
    const checked =
      text === undefined ? { refused: UNREADABLE } : await bodyChecked(text, head, bodies.answerOptions(about));
    context.res = 'passed' in checked ? new Response(checked.passed, { status, headers }) : responseOf(checked.refused);
    return undefined;
  };
}
