/** Guards handlers through the framework's own extension points: hooks of a Fastify instance, and Hono middleware. */

import { claimsUtf8 } from '../../../core/text/charset.ts';
import { isEncoded } from '../../readable/json.ts';
import { decoded } from '../../readable.ts';
import type { GuardContext } from '../../types.ts';
import { answerHead, type Chunks } from './answer.ts';
import type { Bodies, Checked } from './bodies.ts';

/** The part of an instance that the plugin uses. */
export interface FastifyApp {
  addHook(name: 'preHandler', hook: never): unknown;
  addHook(name: 'onSend', hook: never): unknown;
}

interface FastifyRequest {
  body: unknown;
}

interface FastifyReply {
  readonly raw: { on(event: 'close', run: () => void): void };
  getHeader(name: string): unknown;
  removeHeader(name: string): void;
  code(status: number): FastifyReply;
  type(type: string): FastifyReply;
  send(body: unknown): FastifyReply;
}

/** Creates a plugin that applies to all routes of the instance. */
export function fastifyOf(bodies: Bodies) {
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
    const asked = await bodies.asked(() => request.body, contextFor(request, reply));
    if ('body' in asked) {
      request.body = asked.body;
      return undefined;
    }
    refused.add(request);
    return reply.code(asked.refusal.status).type(asked.refusal.type).send(asked.refusal.body);
  };
  const onSend = async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    if (refused.has(request) || payload === null || payload === undefined || payload === '') return payload;
    const head = answerHead((name) => reply.getHeader(name));
    const answer = await bodies.answered(chunksOf(payload), head, contextFor(request, reply));
    reply.removeHeader('content-length');
    if ('body' in answer) return answer.body;
    reply.removeHeader('content-encoding');
    reply.code(answer.refusal.status).type(answer.refusal.type);
    return answer.refusal.body;
  };
  const plugin = (app: FastifyApp, _: unknown, done: () => void) => {
    app.addHook('preHandler', preHandler as never);
    app.addHook('onSend', onSend as never);
    done();
  };
  // Without it, the hooks would apply only to the plugin's own routes, and it has none.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

/** Returns the chunks of a body; undefined for a body of an unknown type. */
function chunksOf(payload: unknown): Chunks | undefined {
  if (typeof payload === 'string' || payload instanceof Uint8Array) return [payload];
  const isIterable = typeof payload === 'object' && payload !== null && Symbol.asyncIterator in payload;
  return isIterable ? (payload as Chunks) : undefined;
}

/** The part of a context that the middleware uses. */
export interface HonoContext {
  readonly req: { readonly raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
  res: Response;
}

/** Creates the middleware. */
export function honoOf(bodies: Bodies) {
  return async (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const about = bodies.contextOf(context, context.req.raw.signal);
    // The handler reads the body itself, in several possible ways, so masked text cannot replace it.
    const asked = await bodies.asked(() => readAs(context.req), about, false);
    if ('refusal' in asked) return refusalOf(asked);
    await next();
    const { body: given, headers: all, status } = context.res;
    if (given === null) return undefined;
    const headers = new Headers(all);
    headers.delete('content-length');
    const head = answerHead((name) => all.get(name));
    const answer = await bodies.answered(given, head, about);
    // When an answer is replaced, Hono merges the old headers into the new ones.
    Object.assign(context, { res: undefined });
    context.res = 'body' in answer ? new Response(answer.body, { status, headers }) : refusalOf(answer);
    return undefined;
  };
}

function refusalOf({ refusal: { status, body, type } }: Extract<Checked<unknown>, { refusal: unknown }>): Response {
  return new Response(body, { status, headers: { 'content-type': type } });
}

/**
 * Reads a body as the handler may.
 * @returns undefined if it is not JSON
 * @throws if two readers could read it differently
 */
async function readAs(request: HonoContext['req']): Promise<unknown> {
  const bytes = await request.arrayBuffer();
  if (!isEncoded(new TextDecoder().decode(bytes))) return undefined;
  if (!claimsUtf8(request.raw.headers.get('content-type') ?? ''))
    throw new TypeError('The body declares a charset other than UTF-8.');
  return decoded(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}
