/** Guards the routes of a Fastify instance with its hooks. */
import type { GuardContext } from '../../types.ts';
import { type Chunks, headOf } from './answer.ts';
import type { Bodies } from './bodies.ts';

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

/** Creates a plugin that holds for all routes of the instance. */
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
    const head = headOf((name) => reply.getHeader(name));
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
  // Without it, the hooks would hold only for routes of the plugin itself, which has none.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

/** Returns the chunks of a body; undefined for one of an unknown form. */
function chunksOf(payload: unknown): Chunks | undefined {
  if (typeof payload === 'string' || payload instanceof Uint8Array) return [payload];
  const isIterable = typeof payload === 'object' && payload !== null && Symbol.asyncIterator in payload;
  return isIterable ? (payload as Chunks) : undefined;
}
