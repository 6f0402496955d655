/**
 * Defines the tools: a few general tools that reach every command, and tools for single commands. Reads their
 * arguments.
 */

import { UsageError } from '../../core/errors.ts';
import { isObject, objectOf } from '../../core/json.ts';
import { type Annotations, inputSchema, type JsonSchema, outputsOf, toolHints } from '../../manifest/schema.ts';
import type { Command } from '../../runtime/engine/command.ts';
import { type Output, WHOLE } from '../../runtime/output/record.ts';
import { plain } from './content.ts';
import { GUARD, SCAN } from './guard/tool.ts';
import { findReachable, type Reach } from './reach.ts';

/** A tool as the protocol lists it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: Annotations;
}

/** Parameters of a call, besides the command's own arguments. */
const ARGUMENTS = { type: 'object', description: 'Its arguments, as aisec_describe lists them.' };
const COMMAND = { type: 'string', description: 'Its name, such as aisec-runtime-topics-list.' };
export const CONFIRM = {
  type: 'boolean',
  description: 'Confirms a deletion, where the person cannot be asked.',
};

const READS: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const FIND: readonly Tool[] = [
  {
    name: 'aisec_search',
    description:
      'Finds commands of the AI-security service by words: scans of prompts, security profiles, keys, DLP, custom topics, red-team tests, model supply-chain checks.',
    inputSchema: object({ words: { type: 'string', description: 'What to do, such as "start red-team scan".' } }, [
      'words',
    ]),
    annotations: READS,
  },
  {
    name: 'aisec_describe',
    description: 'Shows the arguments, outputs and an example of a command.',
    inputSchema: object({ command: COMMAND }, ['command']),
    annotations: READS,
  },
  {
    name: 'aisec_read',
    description: 'Runs a command that changes nothing in the tenant.',
    inputSchema: object({ command: COMMAND, arguments: ARGUMENTS }, ['command']),
    annotations: { ...READS, openWorldHint: true },
  },
];

const CHANGE: Tool = {
  name: 'aisec_change',
  description:
    'Runs a command that creates, changes, deletes or starts something. With dry_run it shows what it would send, and sends nothing.',
  inputSchema: object(
    {
      command: COMMAND,
      arguments: ARGUMENTS,
      dry_run: { type: 'boolean', description: 'Show the request only.' },
      confirm: CONFIRM,
    },
    ['command'],
  ),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};

function object(properties: Readonly<Record<string, unknown>>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Lists the tools. Loads only the declarations of commands that have their own tool. */
export async function listedTools(reach: Omit<Reach, 'catalogue'>): Promise<readonly Tool[]> {
  const { allow, named } = reach.selection;
  const own: Tool[] = [];
  for (const name of named) {
    const command = await findReachable(reach, name);
    if (command !== undefined) own.push(toolOf(command));
  }
  const guard = (await findReachable(reach, SCAN)) === undefined ? [] : [GUARD];
  return [...FIND, ...(allow.readOnly === true ? [] : [CHANGE]), ...guard, ...own];
}

function toolOf(command: Command): Tool {
  const schema = inputSchema(command);
  const properties = schema['properties'] as Readonly<Record<string, unknown>>;
  return {
    name: command.name,
    description: command.summary,
    inputSchema: command.effect === 'delete' ? { ...schema, properties: { ...properties, confirm: CONFIRM } } : schema,
    outputSchema: resultSchema(command),
    annotations: toolHints(command),
  };
}

/**
 * Returns the schema of `structuredContent`: the envelope, and the possible context paths, without their fields, which
 * would cost too many tokens.
 */
function resultSchema(command: Command): JsonSchema {
  const paths = outputsOf(command).map((output) => [output.record.path, pathSchema(output)] as const);
  return {
    type: 'object',
    properties: {
      outputs: { type: 'object', properties: Object.fromEntries(paths) },
      notes: { type: 'array' },
      files: { type: 'array' },
      simulated: { type: 'boolean' },
      truncated: { type: 'object' },
    },
    required: ['outputs', 'simulated'],
  };
}

/** Returns the schema of a path's value; a record kept whole may be any value. */
function pathSchema({ record, many }: Output): JsonSchema {
  if (many) return { type: 'array' };
  return Object.hasOwn(record.fields, WHOLE) ? {} : { type: 'object' };
}

export type ToolArguments = Readonly<Record<string, unknown>>;

/** Checks that a tool declares the arguments: otherwise a typo in `dry_run` would run for real. @throws UsageError */
export function checkMembers({ tools }: { readonly tools: readonly Tool[] }, name: string, args: ToolArguments): void {
  const known = Object.keys(objectOf(tools.find((tool) => tool.name === name)?.inputSchema['properties']));
  const unknown = Object.keys(args).find((member) => !known.includes(member));
  if (unknown === undefined) return;
  throw new UsageError(`${name} has no argument "${plain(unknown).slice(0, 60)}".`, {
    hint: `It has ${known.join(', ')}.${known.includes('arguments') ? ' Put the arguments of the command into arguments.' : ''}`,
  });
}

/** Reads a string. @throws UsageError */
export function textArgument(args: ToolArguments, name: string): string {
  const value = args[name] ?? '';
  if (typeof value === 'string') return value;
  throw new UsageError(`${name} is not a text.`, { argument: name });
}

/** Reads a flag. @throws UsageError if it is neither true nor false */
export function flagArgument(args: ToolArguments, name: string): boolean {
  const value = args[name] ?? false;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw new UsageError(`${name} is neither true nor false.`, { argument: name });
}

/** Reads arguments; some clients pass them as JSON text. @throws UsageError if they are not an object */
export function argumentsIn(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : undefined;
    if (isObject(parsed)) return parsed;
  } catch {
    // Not JSON: the error below gives the expected format.
  }
  throw new UsageError('The arguments are not an object.', { hint: 'Pass them as {"name": value}.' });
}
