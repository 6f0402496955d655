/**
 * Puts the guard around agents of the OpenAI Agents SDK (`@openai/agents` 0.20): as guardrails of agents and tools, and around
 * their models. The types are structural: no framework is imported.
 */
export {
  type GuardrailInfo,
  guardrails,
  type InputGuardrail,
  inputGuardrail,
  mcpGuardrails,
  type OutputGuardrail,
  outputGuardrail,
  type ToolInputGuardrail,
  type ToolOutputGuardrail,
  toolGuardrails,
} from './openai-agents/guardrails.ts';
export { type GuardedModel, type GuardedProvider, guardModel, guardProvider } from './openai-agents/model.ts';
export type { OpenAiAgentsOptions } from './openai-agents/types.ts';
