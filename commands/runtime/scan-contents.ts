/** Contents of a scan beyond prompt and response: their schemas, their rules, and the list for the request. */
import type { Rule } from '../../lib/arguments/rules.ts';
import { isObject, type JsonObject } from '../../lib/engine/declare.ts';

/** Limit of the grounding context, in characters; source: `docs/wire.md`. */
export const CONTEXT = { maxLength: 100_000 };

// The texts of these members are in the description of the argument, because the native bundle keeps those in schemas.
const TEXT = { type: 'string' };

const TOOL_METADATA = {
  type: 'object',
  properties: {
    ecosystem: TEXT,
    method: TEXT,
    server_name: TEXT,
    tool_invoked: TEXT,
  },
  required: ['ecosystem', 'method', 'server_name'],
};

export const TOOL_EVENT = {
  type: 'object',
  properties: {
    metadata: TOOL_METADATA,
    input: TEXT,
    output: TEXT,
  },
  required: ['metadata'],
};

export const CONTENTS = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    properties: {
      prompt: TEXT,
      response: TEXT,
      code_prompt: TEXT,
      code_response: TEXT,
      context: { ...TEXT, ...CONTEXT },
      tool_event: TOOL_EVENT,
    },
  },
};

/** A call of a tool, as the service scans it. */
export interface ToolEvent {
  readonly metadata: JsonObject;
  readonly input?: string;
  readonly output?: string;
}

/** Members of one content that the service scans; a context is not among them. */
export const SCANNED = ['prompt', 'response', 'code_prompt', 'code_response', 'tool_event'] as const;

/** Requires that each call of a tool has a text to scan: a schema with a choice would name one of the two only. */
export const toolText: Rule = {
  description: 'A tool_event needs an input or an output.',
  check: ({ tool_event, contents }) => {
    if (isSilent(tool_event)) return refusal('tool_event', 'tool_event has no input and no output.');
    const at = listed(contents).findIndex((content) => isObject(content) && isSilent(content['tool_event']));
    return at < 0 ? undefined : refusal('contents', `contents (at ${at}/tool_event) has no input and no output.`);
  },
};

/** Requires that the last content has something to scan: an earlier one may be a context alone. */
export const lastScanned: Rule = {
  description: 'The last entry of contents is scanned; the entries before it are its context.',
  check: ({ contents }) => {
    const turns = listed(contents);
    const last = turns[turns.length - 1];
    if (!isObject(last) || SCANNED.some((name) => !isBlank(last[name]))) return undefined;
    return refusal('contents', `The last entry of contents has none of ${SCANNED.join(', ')}.`);
  },
};

function refusal(argument: string, message: string) {
  return { argument, message, hint: 'Give the text to scan.' };
}

function isSilent(event: unknown): boolean {
  return isObject(event) && isBlank(event['input']) && isBlank(event['output']);
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
