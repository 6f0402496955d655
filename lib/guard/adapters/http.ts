/**
 * Puts the guard before and behind the handlers of Fastify, Express and Hono: scans a field of a JSON request, and the
 * JSON or event-stream answer. The types are structural: no framework is imported.
 */
import { objectOf } from '../../core/json.ts';
import type { Guard } from '../types.ts';
import { Bodies, type BodyOptions } from './http/bodies.ts';
import { type ExpressRequest, type ExpressResponse, expressOf } from './http/express.ts';
import { type FastifyApp, fastifyOf, type HonoContext, honoOf } from './http/hooks.ts';

export type { BodyOptions, Refusal } from './http/bodies.ts';
export { type ChatOptions, type ChatRequestInit, guardChat } from './http/chat.ts';

/** The same guard for each framework. */
export interface BodyGuard {
  /** A plugin: `await app.register(guarded.fastify)`; it applies to all routes of the instance. */
  fastify(app: FastifyApp, options: unknown, done: (error?: Error) => void): void;
  /** Middleware: add it after the body parser and after `compression`. */
  express(request: ExpressRequest, response: ExpressResponse, next: () => void): Promise<void>;
  /** Middleware. */
  hono(context: HonoContext, next: () => Promise<void>): Promise<Response | undefined>;
}

/**
 * Guards the requests and the answers of handlers.
 * @throws TypeError if the prompt field is missing
 */
export function guardBody(guard: Guard, options: BodyOptions): BodyGuard {
  if (!['string', 'function'].includes(typeof objectOf(options)['prompt']))
    throw new TypeError('guardBody needs the prompt field: guardBody(guard, { prompt: "prompt" }).');
  const bodies = new Bodies(guard, options);
  return { fastify: fastifyOf(bodies), express: expressOf(bodies), hono: honoOf(bodies) };
}
