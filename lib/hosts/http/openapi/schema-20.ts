/** Converts schema objects of OpenAPI 3.0 to those of Swagger 2.0. */
import { isObject, type JsonObject } from '../../../engine/json.ts';
import type { JsonSchema } from '../../../manifest/schema.ts';
import { withInner } from './schema-30.ts';

/** Converts a schema and its inner schemas. Keywords that Swagger lacks become extensions. */
export function schema20(schema: JsonObject): JsonSchema {
  const { nullable, anyOf, oneOf, not, writeOnly, ...same } = withInner(schema, schema20);
  const { type, enum: choices, format } = same;
  return {
    ...same,
    // Readers of `x-nullable` add null themselves; other programs would offer it as a text.
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

/** Moves references to the places of Swagger 2.0. */
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
