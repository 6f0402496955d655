/** The parts of an answer of the SDK, and the decision about each. */
import { textOf } from '../../new-content.ts';
import { blockedIfMasked } from '../../telling.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { SERVER } from './tools.ts';

export type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** Parts without content of the answer. */
export const EMPTY = ['stream-start', 'response-metadata', 'ping'];
/** Parts without text of the model. The service scans no files. */
const PASSING = [...EMPTY, 'finish', 'error', 'source', 'file', 'reasoning-file', 'tool-approval-request'];

/** Returns the decision about a part; undefined for parts without text. A part of an unknown type is scanned as JSON. */
export function decisionAbout(guard: Guard, part: Part, context: GuardContext): Promise<Decision> | undefined {
  if (part.type === 'text' || part.type === 'reasoning') return guard.output(String(part['text']), context);
  if (part.type === 'tool-call') return guard.tool({ ...toolOf(part), input: part['input'] }, context);
  // The provider ran the tool, so only its result can be scanned.
  if (part.type === 'tool-result') return guard.tool({ ...toolOf(part), output: textOf(part) }, context);
  // Masked text cannot be put back into an unknown form.
  return PASSING.includes(part.type) ? undefined : guard.output(JSON.stringify(part), context).then(blockedIfMasked);
}

function toolOf(part: Part): { readonly server: string; readonly tool: string } {
  return { server: SERVER, tool: String(part['toolName']) };
}
