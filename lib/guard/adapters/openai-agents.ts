/**
 * Puts the guard around agents of the OpenAI Agents SDK (`@openai/agents` 0.20): as guardrails of agents and tools, and around
 * their models. The types are structural, because the SDK needs a newer Node than the program; the framework trials compile
 * them against its own.
 */
export {
  type GuardrailInfo,
  guardrails,
  inputGuardrail,
  mcpGuardrails,
  outputGuardrail,
  toolGuardrails,
} from './openai-agents/guardrails.ts';
export { type GuardedModel, type GuardedProvider, guardModel, guardProvider } from './openai-agents/model.ts';
export type { OpenAiAgentsOptions } from './openai-agents/types.ts';
