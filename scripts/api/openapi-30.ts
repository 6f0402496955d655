/** Converts the document to OpenAPI 3.0, for programs that do not read 3.1. */
import { isObject, type JsonObject } from '../../lib/core/json.ts';
import type { JsonSchema } from '../../lib/manifest/schema.ts';
import type { ApiDocument } from './document.ts';

/** Converts a document. @param document in OpenAPI 3.1, from `openApiOf` */
export function openApi30Of(document: ApiDocument): ApiDocument {
  const { openapi: _version, components, ...rest } = withSchemas(document, schema30);
  const { schemas, ...others } = isObject(components) ? components : {};
  const named = Object.entries(isObject(schemas) ? schemas : {});
  return {
    openapi: '3.0.3',
    ...rest,
    components: {
      ...others,
      schemas: Object.fromEntries(named.map(([name, schema]) => [name, isObject(schema) ? schema30(schema) : schema])),
    },
  };
}

/** Converts the schemas of bodies, parameters and headers. Examples are values, which may look like anything. */
function withSchemas(node: JsonObject, convert: (schema: JsonObject) => JsonSchema): Record<string, unknown> {
  const visit = (value: unknown, key: string): unknown => {
    if (key === 'example' || key === 'schemas') return value;
    if (Array.isArray(value)) return value.map((each: unknown) => visit(each, ''));
    if (!isObject(value)) return value;
    return key === 'schema' ? convert(value) : withSchemas(value, convert);
  };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, visit(value, key)]));
}

/** Keywords of the documents that hold one schema, or a list of them. */
const ONE = ['items', 'additionalProperties'];
const LISTS = ['allOf', 'anyOf'];

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
function schema30(schema: JsonObject): JsonSchema {
  const { $ref, ...rest } = schema;
  // A reference hides its siblings: move it into `allOf`.
  if ($ref !== undefined) return Object.keys(rest).length === 0 ? { $ref } : { ...schema30(rest), allOf: [{ $ref }] };
  const { type, const: constant, examples, propertyNames, ...same } = withInner(schema, schema30);
  return {
    ...typed(type),
    ...same,
    ...(constant === undefined ? {} : { enum: [constant] }),
    ...(Array.isArray(examples) ? { example: examples[0] as unknown } : {}),
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
  if (plain.length === 1) return { type: plain[0], ...nullable };
  return { anyOf: plain.map((each) => ({ type: each, ...nullable })) };
}
