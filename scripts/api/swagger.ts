/** Converts the document to Swagger 2.0, for generators of older platforms. */
import { isObject, type JsonObject, objectOf } from '../../lib/core/json.ts';
import type { JsonSchema } from '../../lib/manifest/schema.ts';
import type { ApiDocument } from './document.ts';
import { openApi30Of, withInner } from './openapi-30.ts';

const JSON_TYPES = ['application/json', 'application/problem+json'];
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Converts a document. @param document in OpenAPI 3.1, from `openApiOf` */
export function swaggerOf(document: ApiDocument): ApiDocument {
  const { info, tags, paths, servers, security, components } = openApi30Of(document);
  const { schemas, parameters, responses, securitySchemes } = objectOf(components);
  const definitions = mapped(schemas, schema20);
  const url = new URL(String(objectOf((servers as unknown[])[0])['url']));
  const converted = {
    swagger: '2.0',
    info,
    host: url.host,
    basePath: '/',
    schemes: [url.protocol.replace(':', '')],
    consumes: ['application/json'],
    produces: JSON_TYPES,
    securityDefinitions: mapped(securitySchemes, apiKey),
    security,
    tags,
    paths: mapped(paths, (item) => mapped(item, (value, key) => (METHODS.includes(key) ? operation(value) : value))),
    parameters: mapped(parameters, parameter),
    responses: mapped(responses, response),
    definitions: withExamples(definitions, objectOf(paths)),
  };
  return withLocalRefs(converted);
}

/** Swagger has no bearer scheme: the caller writes the whole header. */
function apiKey({ description }: JsonObject): JsonSchema {
  return {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: `\`Bearer\`, a space, and the token. ${String(description)}`,
  };
}

function operation({ parameters, requestBody, responses, ...rest }: JsonObject): JsonSchema {
  const others = Array.isArray(parameters) ? parameters.filter(isObject).map(parameter) : [];
  const types = contentTypes(Object.values(objectOf(responses)));
  const isOwn = types.some((type) => !JSON_TYPES.includes(type));
  const body = isObject(requestBody) ? bodyOf(requestBody) : undefined;
  const all = [...others, ...(body === undefined ? [] : [body.parameter])];
  return {
    ...rest,
    ...(isOwn ? { produces: [...types, 'application/problem+json'] } : {}),
    ...(body === undefined || body.consumes.includes('application/json') ? {} : { consumes: body.consumes }),
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: mapped(responses, response),
  };
}

/** Converts a body to a parameter; its example moves to the schema. */
function bodyOf({ description, required, content }: JsonObject) {
  const media = objectOf(content);
  const { schema, example } = objectOf(Object.values(media)[0]);
  const converted = schema20(objectOf(schema));
  const isInline = example !== undefined && converted['$ref'] === undefined;
  return {
    consumes: Object.keys(media),
    parameter: {
      name: 'body',
      in: 'body',
      description,
      required,
      schema: { ...converted, ...(isInline ? { example } : {}) },
    },
  };
}

/** Moves the examples of bodies to their definitions: a reference cannot have siblings. */
function withExamples(definitions: JsonObject, paths: JsonObject): JsonSchema {
  const examples: Record<string, unknown> = {};
  for (const item of Object.values(paths)) {
    const { requestBody } = objectOf(objectOf(item)['post']);
    const { schema, example } = objectOf(objectOf(objectOf(requestBody)['content'])['application/json']);
    const name = /[^/]+$/.exec(String(objectOf(schema)['$ref'] ?? ''))?.[0];
    if (name !== undefined && example !== undefined) examples[name] = example;
  }
  return mapped(definitions, (schema, name) => (name in examples ? { ...schema, example: examples[name] } : schema));
}

/** Merges the schema of a parameter into the parameter. */
function parameter({ schema, ...rest }: JsonObject): JsonSchema {
  if (rest['$ref'] !== undefined) return rest;
  const { example, ...keywords } = schema20(objectOf(schema));
  return { ...rest, ...keywords, ...(example === undefined ? {} : { 'x-example': example }) };
}

function response({ description, headers, content, ...rest }: JsonObject): JsonSchema {
  if (rest['$ref'] !== undefined) return rest;
  const [media] = Object.entries(objectOf(content));
  const { schema, example } = objectOf(media?.[1]);
  return {
    description,
    ...(isObject(schema) ? { schema: schema['format'] === 'binary' ? { type: 'file' } : schema20(schema) } : {}),
    ...(headers === undefined ? {} : { headers: mapped(headers, parameter) }),
    ...(example === undefined ? {} : { examples: { [String(media?.[0])]: example } }),
  };
}

/** Lists the content types of responses that are not shared. */
function contentTypes(responses: readonly unknown[]): string[] {
  return [...new Set(responses.flatMap((each) => Object.keys(objectOf(objectOf(each)['content']))))];
}

function mapped(map: unknown, convert: (value: JsonObject, key: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(objectOf(map)).map(([key, value]) => [key, convert(objectOf(value), key)]));
}

/** Keywords that Swagger lacks, which become extensions. */
const EXTENSIONS = ['nullable', 'anyOf', 'writeOnly'];

/** Converts a schema and its inner schemas. */
function schema20(schema: JsonObject): JsonSchema {
  const same = withInner(schema, schema20);
  const { nullable, writeOnly, type, enum: choices, format } = same;
  return {
    ...Object.fromEntries(
      Object.entries(same).map(([name, value]) => [EXTENSIONS.includes(name) ? `x-${name}` : name, value]),
    ),
    // Readers of `x-nullable` add null themselves; other programs would offer it as a text.
    ...(nullable === true && Array.isArray(choices) ? { enum: choices.filter((choice) => choice !== null) } : {}),
    ...(writeOnly === true && type === 'string' && format === undefined ? { format: 'password' } : {}),
  };
}

/** Moves references to the places of Swagger 2.0. */
function withLocalRefs(document: JsonObject): ApiDocument {
  const text = JSON.stringify(document)
    .replaceAll('"$ref":"#/components/schemas/', '"$ref":"#/definitions/')
    .replaceAll('"$ref":"#/components/', '"$ref":"#/');
  return JSON.parse(text) as ApiDocument;
}
