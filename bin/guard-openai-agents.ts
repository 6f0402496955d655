/** The module `aisec/guard/openai-agents`: the guard as guardrails of the OpenAI Agents SDK, and around its models. */
export * from '../lib/guard/adapters/openai-agents.ts';
