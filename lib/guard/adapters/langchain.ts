/**
 * Puts the guard into programs of LangChain (`langchain` 1.x, `@langchain/core` 1.x): around chat models, and into agents. Both
 * packages are optional peers of this one; only this module imports them.
 */
export type { ModelOptions } from './langchain/call.ts';
export { guardMiddleware, type MiddlewareOptions } from './langchain/middleware.ts';
export { guardModel } from './langchain/model.ts';
