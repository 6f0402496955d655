/** Converts schema objects of OpenAPI 3.0 to those of Swagger 2.0. */
import { isObject, type JsonObject } from '../../../engine/json.ts';
import type { JsonSchema } from '../../../manifest/schema.ts';
import { withInner } from './schema-30.ts';

/** Converts a schema with all that is inside it. What has no keyword is allowed, and said in an extension. */
export function schema20(schema: JsonObject): JsonSchema {
  const { nullable, anyOf, oneOf, not, writeOnly, ...same } = withInner(schema, schema20);
  const { type, enum: choices, format } = same;
  return {
    ...same,
    // Readers of the mark add null themselves; others would offer it as a text.
    ...(nullable === true && Array.isArray(choices) ? { enum: choices.filter((choice) => choice !== null) } : {}),
    ...(nullable === undefined ? {} : { 'x-nullable': nullable }),
    ...(anyOf === undefined ? {} : { 'x-anyOf': anyOf }),
    ...(oneOf === undefined ? {} : { 'x-oneOf': oneOf }),
    ...(not === undefined ? {} : { 'x-not': not }),
    ...(writeOnly === undefined ? {} : { 'x-writeOnly': writeOnly }),
    ...(writeOnly === true && type === 'string' && format === undefined ? { format: 'password' } : {}),
  };
}

const PLACES: readonly (readonly [string, string])[] = [
  ['#/components/schemas/', '#/definitions/'],
  ['#/components/parameters/', '#/parameters/'],
  ['#/components/responses/', '#/responses/'],
];

/** Points references to the places that Swagger 2.0 has. */
export function withLocalRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLocalRefs);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' ? moved(inner) : withLocalRefs(inner),
    ]),
  );
}

function moved(reference: string): string {
  const [from, to] = PLACES.find(([start]) => reference.startsWith(start)) ?? ['', ''];
  return to + reference.slice(from.length);
}
