/** Converts JSON Schema 2020-12, as far as the documents use it, to the schema objects of OpenAPI 3.0. */
import { isObject, type JsonObject } from '../../../engine/json.ts';
import type { JsonSchema } from '../../../manifest/schema.ts';

/** Keywords that hold one schema, a list of them, or a map of them. */
const ONE = ['items', 'additionalProperties', 'not'];
const LISTS = ['allOf', 'anyOf', 'oneOf'];

/** Converts the schemas directly inside a schema. */
export function withInner(schema: JsonObject, convert: (inner: JsonObject) => JsonSchema): Record<string, unknown> {
  const one = (inner: unknown) => (isObject(inner) ? convert(inner) : inner);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (ONE.includes(keyword)) return [keyword, one(value)];
      if (LISTS.includes(keyword) && Array.isArray(value)) return [keyword, value.map(one)];
      if (keyword !== 'properties' || !isObject(value)) return [keyword, value];
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, one(inner)]))];
    }),
  );
}

/** Converts a schema and its inner schemas. */
export function schema30(schema: JsonObject): JsonSchema {
  const { $ref, ...rest } = schema;
  // A reference hides its siblings: move it into `allOf`.
  if ($ref !== undefined) return Object.keys(rest).length === 0 ? { $ref } : { ...schema30(rest), allOf: [{ $ref }] };
  const {
    type,
    const: constant,
    examples,
    exclusiveMinimum,
    exclusiveMaximum,
    propertyNames,
    ...same
  } = withInner(schema, schema30);
  return {
    ...typed(type),
    ...same,
    ...(constant === undefined ? {} : { enum: [constant] }),
    ...(Array.isArray(examples) ? { example: examples[0] as unknown } : {}),
    ...(exclusiveMinimum === undefined ? {} : { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(exclusiveMaximum === undefined ? {} : { maximum: exclusiveMaximum, exclusiveMaximum: true }),
    // OpenAPI 3.0 lacks the keyword: show it to people in an extension.
    ...(propertyNames === undefined ? {} : { 'x-propertyNames': propertyNames }),
  };
}

/** Converts types: null becomes `nullable`, which has an effect only beside one type. */
function typed(type: unknown): JsonSchema {
  const types = [type].flat().filter((each) => typeof each === 'string');
  const plain = types.filter((each) => each !== 'null');
  const nullable = plain.length < types.length ? { nullable: true } : {};
  if (types.length === 0) return {};
  if (plain.length === 0) return { type: 'string', enum: [null], nullable: true };
  if (plain.length === 1) return { type: plain[0], ...nullable };
  return { anyOf: plain.map((each) => ({ type: each, ...nullable })) };
}
