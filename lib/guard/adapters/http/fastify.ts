/** Guards the routes of a Fastify instance with its hooks. */
import type { GuardContext } from '../../types.ts';
import { hasEvents, textIn } from './answer.ts';
import type { Bodies } from './bodies.ts';

/** The part of an instance that the plugin uses. */
export interface FastifyApp {
  addHook(name: 'preHandler', hook: never): unknown;
  addHook(name: 'onSend', hook: never): unknown;
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
    const checked = await bodies.answered(chunks, head, context);
    if ('passed' in checked) return checked.passed;
    const { status, body, type } = bodies.refusal(checked.refused);
    reply.removeHeader('content-encoding');
    reply.code(status).type(type);
    return body;
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
function chunksOf(payload: unknown): AsyncIterable<unknown> | undefined {
  if (typeof payload === 'string' || payload instanceof Uint8Array) return oneChunk(payload);
  const isIterable = typeof payload === 'object' && payload !== null && Symbol.asyncIterator in payload;
  return isIterable ? (payload as AsyncIterable<unknown>) : undefined;
}

async function* oneChunk(chunk: unknown): AsyncGenerator {
  yield chunk;
}
