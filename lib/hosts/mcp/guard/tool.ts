/** The tool `aisec_guard`, as the protocol lists it. Keep it short: every conversation pays for each word. */

/** The command that decides; without access to it, the tool is omitted. */
export const SCAN = 'aisec-runtime-scan';

const text = { type: 'string' };

export const GUARD = {
  name: 'aisec_guard',
  description: 'Decides whether a prompt, an answer or a tool call may pass. Only allow is a pass.',
  inputSchema: {
    type: 'object',
    properties: {
      profile: { ...text, description: 'Name of the security profile.' },
      kind: { enum: ['input', 'output', 'tool'], description: 'A prompt, an answer, or a tool call.' },
      text: { ...text, description: 'The prompt or the answer.' },
      messages: { type: 'array', description: 'A conversation of {role, content}, instead of the prompt.' },
      server: { ...text, description: 'Server of the tool.' },
      tool: { ...text, description: 'Its name.' },
      input: { description: 'Its input, before it runs.' },
      output: { description: 'Its result.' },
      context: { type: 'object', description: 'Texts: session_id, transaction_id, app_user, ai_model, grounding.' },
    },
    required: ['profile', 'kind'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      action: { enum: ['allow', 'block', 'mask'] },
      verdict: { type: 'object' },
      unscanned: text,
      scanId: text,
      reportId: text,
    },
    required: ['action'],
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
};
