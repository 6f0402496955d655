/** Builders of the parts that descriptions are made of. */
import type { JsonSchema } from '../../manifest/schema.ts';

/** Refers to a schema. */
export function refTo(schema: string): JsonSchema {
  return { $ref: `#/components/schemas/${schema}` };
}

/** Refers to a shared response. */
export function responseRef(name: string): JsonSchema {
  return { $ref: `#/components/responses/${name}` };
}

/** Response of a request whose work goes on as a run. */
export const ACCEPTED = responseRef('Accepted');

/** Content of JSON. */
export function jsonContent(schema: JsonSchema, example?: unknown): JsonSchema {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

/** Response with JSON. */
export function jsonResponse(description: string, schema: JsonSchema, example?: unknown): JsonSchema {
  return { description, content: jsonContent(schema, example) };
}

/** Response with a list under its name, such as `runs`. @param items name of the schema of an item */
export function listResponse(name: string, items: string, example?: readonly unknown[]): JsonSchema {
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}.`;
  const schema = objectOf({ [name]: listOf(refTo(items), title) });
  return jsonResponse(`The ${name}.`, schema, example === undefined ? undefined : { [name]: example });
}

/** Response with text. */
export function textResponse(description: string, example: string, type = 'text/plain'): JsonSchema {
  return { description, content: { [type]: { schema: { type: 'string' }, example } } };
}

/** An object whose members are required, except names that end with a question mark. */
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

/** Path parameter of an identifier. */
export function idOf(what: string, example: string) {
  return { id: { type: 'string', description: `Identifier of the ${what}.`, examples: [example] } };
}
