/** The module `aisec/guard/langchain`: the guard around chat models of LangChain, and in its agents. */
export * from '../lib/guard/adapters/langchain.ts';
