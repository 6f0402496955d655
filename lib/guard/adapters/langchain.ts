/**
 * Puts the guard into programs of LangChain (`langchain` 1.x, `@langchain/core` 1.x): around chat models, and into agents. The
 * types are structural: no framework is imported, and the framework itself creates the messages that the guard answers with.
 */
export { guardModel } from './langchain/guarded.ts';
export { type GuardMiddleware, guardMiddleware, type MiddlewareOptions } from './langchain/middleware.ts';
export type { ModelOptions } from './langchain/model.ts';
