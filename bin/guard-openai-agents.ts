/** The module `aisec/guard/openai-agents`: the guard as guardrails for the OpenAI Agents SDK, and around its models. */
export * from '../lib/guard/adapters/openai-agents.ts';
