/** Prepares the arguments of a call for the audit: without secrets and user content. */

import { asText, isObject, type JsonObject, setOwn } from '../../core/json.ts';
import { redaction } from '../../core/redaction/redact.ts';
import { GENERIC_NAMES } from '../../runtime/arguments/generic.ts';
import type { Command } from '../../runtime/engine/command.ts';
import { MASK } from '../../runtime/output/mask.ts';

export const MAX_TEXT_LENGTH = 200;

const { value: redacted } = redaction({ secrets: [] });

/** Returns the arguments with secrets and content masked, and long values cut. Unknown names may be misplaced values. */
export function redactedArguments({ args: declared }: Pick<Command, 'args'>, args: JsonObject): JsonObject {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    const argument = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (argument === undefined && !GENERIC_NAMES.includes(name)) {
      setOwn(shown, MASK, MASK);
      continue;
    }
    const isHidden = argument?.secret === true || argument?.content === true || isReference(value);
    setOwn(shown, name, isHidden ? MASK : cutValue(name, value));
  }
  return shown;
}

/** Cuts a long text. */
export function cutLong(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH)}...`;
}

function cutValue(name: string, value: unknown): unknown {
  // Redact by name too, which masks object members such as "password".
  const safe = redacted({ [name]: parsed(value) });
  const shown = isObject(safe) ? safe[name] : MASK;
  const text = asText(shown);
  return text.length <= MAX_TEXT_LENGTH ? shown : cutLong(text);
}

/** Parses a text that is JSON, so that its members are masked by their names. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    // Invalid JSON cannot be masked member by member.
    return MASK;
  }
}

/** Reports whether a value is a reference: any argument may read a secret by reference. */
function isReference(value: unknown): boolean {
  return typeof value === 'string' && /^@(?:env|file):/.test(value);
}
