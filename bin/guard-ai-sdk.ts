/** The module `aisec/guard/ai-sdk`: the guard around a language model of the Vercel AI SDK. */
export * from '../lib/guard/adapters/ai-sdk.ts';
