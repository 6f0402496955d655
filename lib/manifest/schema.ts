/** Generates JSON Schemas (2020-12) of arguments and outputs, and hints for agents, from declarations. */

import { isObject, type JsonObject } from '../core/json.ts';
import type { Argument } from '../runtime/arguments/builders.ts';
import { alternativesOf } from '../runtime/arguments/generic.ts';
import { parseValue } from '../runtime/arguments/kinds.ts';
import type { Command } from '../runtime/engine/command.ts';
import { type Field, type Fields, type Output, type RecordType, WHOLE } from '../runtime/output/record.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Creates the schema of the arguments, as one object. */
export function inputSchema({ args }: Pick<Command, 'args'>): JsonSchema {
  const properties = Object.entries(args).map(([name, argument]) => [name, argumentSchema(name, argument)] as const);
  const required = Object.keys(args).filter(
    (name) =>
      args[name]?.required === true && args[name].default === undefined && alternativesOf(args[name]).length === 0,
  );
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/**
 * Creates the schema of the outputs: one property per context path. No property is required, because a dry run has no
 * outputs.
 */
export function outputSchema(command: Pick<Command, 'output' | 'job'>): JsonSchema {
  const properties = outputsOf(command).map((output) => [output.record.path, recordsSchema(output)] as const);
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: true };
}

/** Lists the outputs of a command, including those of its finished job. */
export function outputsOf({ output, job }: Pick<Command, 'output' | 'job'>): Output[] {
  const end = job === undefined || job.output.record.path === output.record.path ? [] : [job.output];
  return [output, ...end].filter(({ silent }) => silent !== true);
}

export type Annotations = Readonly<ReturnType<typeof toolHints>>;

/** Creates the hints that agents and their users see before a call: tool annotations of the Model Context Protocol. */
export function toolHints({ effect, outside, repeatable }: Pick<Command, 'effect' | 'outside' | 'repeatable'>) {
  return {
    readOnlyHint: effect === 'read',
    /** May overwrite or delete existing data. */
    destructiveHint: effect === 'update' || effect === 'replace' || effect === 'delete',
    /** Repeating the call changes nothing more. */
    idempotentHint: effect === 'read' || effect === 'delete' || repeatable === true,
    /** Reaches a system other than the service. */
    openWorldHint: outside === true,
  };
}

export function argumentSchema(name: string, argument: Argument): JsonSchema {
  const { description, default: standard, hints, secret, clearable, schema } = argument;
  const plain = withoutOwnKeywords(schema);
  const typed = (text: string) => {
    const parsed = parseValue(name, argument, text);
    return 'value' in parsed ? parsed.value : text;
  };
  const items = argument.kind === 'list' && isObject(plain['items']) && hints !== undefined;
  return {
    description: clearable === true ? `${description} null clears it.` : description,
    ...(clearable === true ? orNull(plain) : plain),
    ...(standard === undefined ? {} : { default: typed(standard) }),
    ...(items ? { items: { ...(plain['items'] as JsonObject), examples: hints } } : {}),
    ...(hints === undefined || items ? {} : { examples: hints.map(typed) }),
    ...(secret === true ? { writeOnly: true } : {}),
  };
}

/** Keywords that only the runtime's own validation uses. */
const OWN_KEYWORDS = ['title', 'maxBytes'];

/** Returns a schema without these keywords, for other programs. */
export function withoutOwnKeywords(schema: JsonObject): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (OWN_KEYWORDS.includes(keyword)) continue;
    if (keyword === 'properties' && isObject(value)) {
      plain[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, isObject(inner) ? withoutOwnKeywords(inner) : inner]),
      );
    } else if (Array.isArray(value))
      plain[keyword] = value.map((each: unknown) => (isObject(each) ? withoutOwnKeywords(each) : each));
    else plain[keyword] = isObject(value) ? withoutOwnKeywords(value) : value;
  }
  return plain;
}

function orNull(schema: JsonObject): JsonSchema {
  const { type, enum: choices } = schema;
  if (typeof type !== 'string') return { anyOf: [{ type: 'null' }, schema] };
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(choices) ? { enum: [...(choices as unknown[]), null] } : {}),
  };
}

function recordsSchema({ record, many }: Output): JsonSchema {
  const one = recordSchema(record);
  return many ? { type: 'array', items: one } : one;
}

function recordSchema({ fields }: RecordType): JsonSchema {
  const whole = fields[WHOLE];
  return whole === undefined ? objectSchema(fields, true) : fieldSchema(whole, true);
}

/**
 * Creates the schema of an object. @param shaped true if all declared members are present; false if the object is kept
 * as sent
 */
function objectSchema(fields: Fields, shaped: boolean): JsonSchema {
  const properties: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) put(properties, name.split('.'), fieldSchema(field, shaped));
  const present = Object.keys(properties).filter((name) => fields[name]?.extension !== true);
  const required = shaped ? { required: present } : {};
  return { type: 'object', properties, ...required };
}

/** Adds a property; a dotted name is a nested property. */
function put(properties: Record<string, unknown>, [name = '', ...rest]: readonly string[], schema: JsonSchema): void {
  if (rest.length === 0) {
    properties[name] = schema;
    return;
  }
  const parent = isObject(properties[name]) ? properties[name] : {};
  const inner = { ...(isObject(parent['properties']) ? parent['properties'] : {}) };
  put(inner, rest, schema);
  properties[name] = { ...parent, type: 'object', properties: inner, required: Object.keys(inner) };
}

const TYPES = { String: 'string', Number: 'number', Boolean: 'boolean', Date: 'string' } as const;

function fieldSchema(field: Field, shaped: boolean): JsonSchema {
  const { type, description, asSent, required, constant, secret, extension, choices } = field;
  const isPresent = shaped && (required === true || constant !== undefined || extension === true);
  const nullable = (types: readonly string[]) => (isPresent ? types : [...types, 'null']);
  const of = (...types: string[]) => {
    const all = nullable(types);
    const closed = choices === undefined ? {} : { enum: all.includes('null') ? [...choices, null] : choices };
    return { type: all.length === 1 ? all[0] : all, ...closed };
  };
  const mark = secret === true || field.once === true ? { 'x-secret': true } : {};
  if (type !== 'Unknown') {
    return { description, ...(asSent === true ? of('string', 'number') : of(TYPES[type])), ...mark };
  }
  const { items, members, isList, rows } = field;
  if (items !== undefined) return { description, ...of('array'), items: objectSchema(items, true), ...mark };
  if (members === undefined) return { description, ...(rows === undefined ? {} : of('array')), ...mark };
  const inside = objectSchema(members, false);
  if (isList === true || rows !== undefined) return { description, ...of('array'), items: inside, ...mark };
  return { description, ...inside, ...of('object'), ...mark };
}
