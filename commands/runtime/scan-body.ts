/** Builds the request of a scan, and limits its size. */

import { utf8Length } from '../../lib/core/text/utf8.ts';
import { group } from '../../lib/runtime/api/body.ts';
import type { Rule } from '../../lib/runtime/arguments/rules.ts';
import { isObject, type JsonObject } from '../../lib/runtime/engine/declare.ts';
import type { ToolEvent } from './scan-contents.ts';

/** Limit of the scanner for one request, in bytes; source: `docs/wire.md`. */
const MAX_BYTES = 2_097_152;

/** Arguments of a scan. */
export interface ScanArguments {
  readonly profile_name?: string | undefined;
  readonly profile_id?: string | undefined;
  readonly tr_id?: string | undefined;
  readonly session_id?: string | undefined;
  readonly transaction_id?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly agent_version?: string | undefined;
  readonly agent_arn?: string | undefined;
  readonly app_name?: string | undefined;
  readonly app_user?: string | undefined;
  readonly ai_model?: string | undefined;
  readonly user_ip?: string | undefined;
  readonly prompt?: string | undefined;
  readonly response?: string | undefined;
  readonly code_prompt?: string | undefined;
  readonly code_response?: string | undefined;
  readonly context?: string | undefined;
  readonly tool_event?: ToolEvent | undefined;
  readonly contents?: readonly JsonObject[] | undefined;
}

/** Builds the body of a scan. */
export function scanBody(args: ScanArguments): JsonObject {
  const { profile_name, profile_id, tr_id, session_id, transaction_id, contents, ...others } = args;
  const { prompt, response, code_prompt, code_response, context, tool_event, ...rest } = others;
  const { agent_id, agent_version, agent_arn, ...metadata } = rest;
  const content = { prompt, response, code_prompt, code_response, context, tool_event };
  const agent_meta = group({ agent_id, agent_version, agent_arn });
  return {
    tr_id,
    session_id,
    transaction_id,
    ai_profile: { profile_name, profile_id },
    metadata: group({ ...metadata, agent_meta }),
    contents: contents ?? [content],
  };
}

/** Limits the whole request, because the service would only reject it after receiving all of it. */
export const bodySize: Rule = {
  description: `The whole request may have at most ${MAX_BYTES} bytes.`,
  check: (args) => {
    const bytes = bytesOf(scanBody(args));
    if (bytes <= MAX_BYTES) return undefined;
    const sizes = Object.entries(args).map(([name, value]) => ({ argument: name, size: bytesOf(value) }));
    const [{ argument, size } = { argument: 'prompt', size: bytes }] = sizes.sort(
      (one, other) => other.size - one.size,
    );
    return {
      argument,
      message: `${argument} has ${size} bytes, and the whole request ${bytes}: it must have at most ${MAX_BYTES}.`,
      hint: `Shorten ${argument}, or scan it in parts.`,
    };
  },
};

/** Counts the bytes of a string, or of the JSON of another value. Does not count a string that is far below the limit. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return utf8Length(value);
  const json = isObject(value) || Array.isArray(value) ? JSON.stringify(value) : '';
  return json.length * 3 <= MAX_BYTES ? json.length : utf8Length(json);
}
