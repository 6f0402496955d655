/** Builders of the parts that operations are made of. */
import type { JsonSchema } from '../../../manifest/schema.ts';

const PROBLEM_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'TooLarge',
  415: 'WrongContentType',
  422: 'KeyUsedBefore',
  429: 'TooManyRequests',
  502: 'ServiceFailed',
  503: 'Unavailable',
  504: 'NoAnswer',
};

/** Refers to a schema. */
export function refTo(schema: string): JsonSchema {
  return { $ref: `#/components/schemas/${schema}` };
}

/** Refers to a shared parameter. */
export function parameterRef(name: string): JsonSchema {
  return { $ref: `#/components/parameters/${name}` };
}

/** Refers to a shared response. */
export function responseRef(name: string): JsonSchema {
  return { $ref: `#/components/responses/${name}` };
}

/** Refers to the problems of these statuses, and to a general one for every other. */
export function problems(...statuses: readonly number[]): Readonly<Record<string, JsonSchema>> {
  const named = statuses.map((status) => [String(status), responseRef(PROBLEM_NAMES[status] ?? 'Problem')] as const);
  return { ...Object.fromEntries(named), default: responseRef('Problem') };
}

/** Returns the name of the shared response of a status. */
export function problemName(status: number): string {
  return PROBLEM_NAMES[status] ?? 'Problem';
}

/** Content of JSON. */
export function jsonContent(schema: JsonSchema, example?: unknown): JsonSchema {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

/** A required body of JSON. */
export function jsonBody(schema: JsonSchema, description: string, example: unknown): JsonSchema {
  return { description, required: true, content: jsonContent(schema, example) };
}

/** A response with JSON. */
export function jsonResponse(description: string, schema: JsonSchema, example?: unknown): JsonSchema {
  return { description, content: jsonContent(schema, example) };
}

/** An object, of which all members are required but those with a question mark after their names. */
export function objectOf(properties: Readonly<Record<string, JsonSchema>>, description?: string): JsonSchema {
  const names = Object.keys(properties);
  const required = names.filter((name) => !name.endsWith('?'));
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), properties[name] ?? {}])),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** A schema of a type, with a description. @param more other keywords */
export function typed(type: string | readonly string[], description: string, more: JsonSchema = {}): JsonSchema {
  return { type, description, ...more };
}

/** A list. */
export function listOf(items: JsonSchema, description: string): JsonSchema {
  return { type: 'array', description, items };
}
