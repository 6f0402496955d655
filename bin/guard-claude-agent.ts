/** The module `aisec/guard/claude-agent`: the guard around agents of the Claude Agent SDK. */
export * from '../lib/guard/adapters/claude-agent.ts';
