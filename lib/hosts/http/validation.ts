/** Validates requests with the schemas of their routes, and describes their problems. */
import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { isObject, objectOf } from '../../core/json.ts';
import type { JsonSchema } from '../../manifest/schema.ts';
import { HttpError } from './problems.ts';
import { bodySchema, closedObject, type Route, type Schemas } from './route.ts';

type Compile = FastifySchemaCompiler<JsonSchema>;

const build = AjvCompiler();
const OPTIONS = { allErrors: true, removeAdditional: false, strict: false } as const;
// The package's types omit that its compilers receive the part of the request.
const fromText = build({}, { customOptions: { ...OPTIONS, coerceTypes: true } }) as unknown as Compile;
const fromJson = build({}, { customOptions: { ...OPTIONS, coerceTypes: false } }) as unknown as Compile;

/** Compiles a validator. It converts text to other types, but not the values of a JSON body. */
export const compileValidator: Compile = (part) => (part.httpPart === 'body' ? fromJson : fromText)(part);

/** Returns the schemas with which the server validates the requests of a route. */
export function requestSchemas({ params, query, requiredQuery, headers = {}, body }: Route) {
  const lowerCased = Object.entries(headers).map(([name, schema]) => [name.toLowerCase(), schema] as const);
  return {
    ...(params === undefined ? {} : { params: { type: 'object', properties: params } }),
    ...(query === undefined ? {} : { querystring: closedObject(query, requiredQuery) }),
    ...(lowerCased.length === 0 ? {} : { headers: { type: 'object', properties: Object.fromEntries(lowerCased) } }),
    ...(body === undefined ? {} : { body: bodySchema(body) }),
  };
}

const MAX_NAME = 60;

/** Converts a validator's failures to a problem that lists the first failure of each parameter or member. */
export function validationError(route: Route, failures: FastifySchemaValidationError[], part: string): HttpError {
  const schemas = (part === 'body' ? { ...route.body?.members, ...route.body?.optional } : route.query) ?? {};
  const unknown = failures.find(({ keyword }) => keyword === 'additionalProperties' && part !== 'headers');
  if (unknown !== undefined) return unknownName(unknown, schemas, part);
  const messages = new Map<string, string>();
  for (const failure of failures) {
    const { params, instancePath } = failure;
    const [, name = String(params['missingProperty']), key] = instancePath.split('/');
    if (part === 'headers') return HEADERS[name] ?? new HttpError(400, 'arguments', `The header ${name} is wrong.`);
    if (messages.has(name)) continue;
    const isTexts = isObject(schemas[name]?.['additionalProperties']);
    messages.set(name, isTexts ? textsMessage(name, key) : messageAt(failure, schemas));
  }
  const problems = Array.from(messages, ([argument, message]) => ({ argument, message }));
  return new HttpError(400, 'arguments', problems[0]?.message ?? 'The request is wrong.', { problems });
}

/** Returns the error for a misspelt name, which must not be ignored. */
function unknownName({ params, instancePath }: FastifySchemaValidationError, schemas: Schemas, part: string) {
  const name = String(params['additionalProperty']).slice(0, MAX_NAME);
  const path = instancePath.split('/').slice(1);
  const known = Object.keys(path.length === 0 ? schemas : objectOf(schemaAt(path, schemas)['properties']));
  const what = part === 'body' ? 'member' : 'query parameter';
  const where = path.length === 0 ? '' : ` in ${path.join('.')}`;
  return new HttpError(400, 'arguments', `There is no ${what} "${name}"${where}.`, {
    hint: known.length === 0 ? 'There are none.' : `There is ${known.join(', ')}.`,
  });
}

/** Describes a failure at its path, such as `messages.3.role`. */
function messageAt({ params, instancePath, keyword }: FastifySchemaValidationError, schemas: Schemas): string {
  const missing = params['missingProperty'];
  const path = [...instancePath.split('/').slice(1), ...(missing === undefined ? [] : [String(missing)])];
  const place = path.join('.');
  if (keyword === 'pattern') return `${place} has characters that are not allowed, such as control characters.`;
  return messageOf(place, schemaAt(path, schemas));
}

/** Finds the schema of a member by its path; an empty schema if the path leads to no member. */
function schemaAt([first = '', ...rest]: readonly string[], schemas: Schemas): JsonSchema {
  return rest.reduce<JsonSchema>((schema, part) => {
    const properties = objectOf(schema['properties']);
    return objectOf(Object.hasOwn(properties, part) ? properties[part] : schema['items']);
  }, schemas[first] ?? {});
}

/** Describes the valid values. */
function messageOf(name: string, schema: JsonSchema): string {
  const { type, enum: choices, minimum, maximum, minLength = 0, maxLength, maxItems } = schema;
  if (Array.isArray(choices)) return `${name} must be one of ${choices.join(', ')}.`;
  if (type === 'boolean') return `${name} must be true or false.`;
  if (type === 'integer') return `${name} must be a whole number from ${String(minimum)} to ${String(maximum)}.`;
  if (type === 'string' && maxLength === undefined) return `${name} must be a text.`;
  if (type === 'string') return `${name} must be a text of ${String(minLength)} to ${String(maxLength)} characters.`;
  if (type === 'array') return `${name} must be a list of at most ${String(maxItems)} objects.`;
  return type === 'object' ? `${name} must be an object.` : `${name} is missing.`;
}

/** Describes a valid object of strings. @param key key of the wrong value */
function textsMessage(name: string, key?: string): string {
  if (key === undefined) return `${name} must be an object of texts.`;
  return `${key.slice(0, MAX_NAME)} of ${name} must be a text.`;
}

/** Headers have their own codes and hints. */
const HEADERS: Readonly<Record<string, HttpError>> = {
  'last-event-id': new HttpError(400, 'arguments', 'Last-Event-ID is not the id of an event.'),
  'idempotency-key': new HttpError(400, 'idempotency-key', 'Idempotency-Key has up to 255 visible ASCII characters.', {
    hint: 'Use a random UUID for each piece of work.',
  }),
};
