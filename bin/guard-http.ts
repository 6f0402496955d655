/** The module `aisec/guard/http`: the guard before and after the handlers of Fastify, Express and Hono. */
export * from '../lib/guard/adapters/http.ts';
