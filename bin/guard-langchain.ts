/** The module `aisec/guard/langchain`: the guard around LangChain's chat models, and in its agents. */
export * from '../lib/guard/adapters/langchain.ts';
