/** Contents of a scan besides prompt and response: schemas, rules, and the list for the request. */

import { characters } from '../../lib/core/text/utf8.ts';
import type { Rule } from '../../lib/runtime/arguments/rules.ts';
import { isObject, type JsonObject, json, text } from '../../lib/runtime/engine/declare.ts';

/** Limit of one text, in bytes; source: `docs/wire.md`. */
export const CONTENT = { maxBytes: 2_097_152 };

/** Limit of the grounding context, in characters; source: `docs/wire.md`. */
const CONTEXT = { maxLength: 100_000 };

/** Limits of the texts that are compared with a grounding context, in characters; source: `docs/wire.md`. */
const GROUNDED = { prompt: 10_000, response: 20_000 };

// The argument's description documents these members, because the native bundle would keep descriptions in schemas.
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

const TOOL_EVENT = {
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

/** A tool call, as the service scans it. */
export interface ToolEvent {
  readonly metadata: JsonObject;
  readonly input?: string;
  readonly output?: string;
}

export const FURTHER = { extension: true, content: true };

/** Arguments for the contents besides prompt and response. */
export const further = {
  context: text('Grounding context, which the response is compared with.', { ...FURTHER, schema: CONTEXT }),
  code_prompt: text('Code of the prompt, scanned together with it.', { ...FURTHER, schema: CONTENT }),
  code_response: text('Code of the response, scanned together with it.', { ...FURTHER, schema: CONTENT }),
  tool_event: json<ToolEvent>()(
    'Tool call to scan: metadata with ecosystem (such as mcp), method (such as tools/call), server_name and tool_invoked; input, output or both, as texts.',
    TOOL_EVENT,
    FURTHER,
  ),
};

/** Members of one content that the service scans; it does not scan a context. */
export const SCANNED = ['prompt', 'response', 'code_prompt', 'code_response', 'tool_event'] as const;

/**
 * Requires that each tool call has a text to scan, because the error of a schema with alternatives would name only one of them.
 */
export const toolText: Rule = {
  description: 'A tool_event needs an input or an output.',
  check: ({ tool_event, contents }) => {
    if (isSilent(tool_event)) return refusal('tool_event', 'tool_event has no input and no output.');
    const at = listed(contents).findIndex((content) => isObject(content) && isSilent(content['tool_event']));
    return at < 0 ? undefined : refusal('contents', `contents (at ${at}/tool_event) has no input and no output.`);
  },
};

/** Requires that the last content has something to scan; an earlier content may be only context. */
export const lastScanned: Rule = {
  description: 'The last entry of contents is scanned; the entries before it are its context.',
  check: ({ contents }) => {
    const turns = listed(contents);
    const last = turns[turns.length - 1];
    if (!isObject(last) || SCANNED.some((name) => !isBlank(last[name]))) return undefined;
    return refusal('contents', `The last entry of contents has none of ${SCANNED.join(', ')}.`);
  },
};

/**
 * Limits the texts that are compared with a grounding context, before the service rejects them or leaves them out of
 * the comparison.
 */
export const grounded: Rule = {
  description: `Together with context, prompt may have at most ${GROUNDED.prompt} characters, and response ${GROUNDED.response}.`,
  check: (args) => {
    const turns = listed(args['contents']);
    const at = turns.length - 1;
    const content = at < 0 ? args : turns[at];
    if (!isObject(content) || isBlank(content['context'])) return undefined;
    for (const [name, most] of Object.entries(GROUNDED)) {
      const value = content[name];
      const length = typeof value === 'string' ? characters(value) : 0;
      if (length <= most) continue;
      const [argument, place] = at < 0 ? [name, name] : ['contents', `contents (at ${at}/${name})`];
      const message = `${place} must have at most ${most} characters together with context; it has ${length}.`;
      return {
        argument,
        message,
        hint: `Shorten ${name}, or leave out context: the response is then compared with nothing.`,
      };
    }
    return undefined;
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
