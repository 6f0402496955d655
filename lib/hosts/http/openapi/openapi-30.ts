/** Converts the document to OpenAPI 3.0, for programs that do not read 3.1. */
import { isObject, type JsonObject } from '../../../engine/json.ts';
import type { JsonSchema } from '../../../manifest/schema.ts';
import type { ApiDocument } from './document.ts';
import { schema30 } from './schema-30.ts';

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
