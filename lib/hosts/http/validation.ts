/** Validates requests with the schemas of their routes, and names what is wrong with them. */
import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import type { JsonSchema } from '../../manifest/schema.ts';
import { HttpError } from './responses/problems.ts';
import { bodySchema, closedObject, type Route, type Schemas } from './route.ts';

type Compile = FastifySchemaCompiler<JsonSchema>;

const build = AjvCompiler();
const OPTIONS = { allErrors: true, removeAdditional: false, strict: false } as const;
// The types of the package leave out that its compilers take the part of the request.
const fromText = build({}, { customOptions: { ...OPTIONS, coerceTypes: true } }) as unknown as Compile;
const fromJson = build({}, { customOptions: { ...OPTIONS, coerceTypes: false } }) as unknown as Compile;

/** Compiles a validator. It converts text to other types, but not the values of a JSON body. */
export const compileValidator: Compile = (part) => (part.httpPart === 'body' ? fromJson : fromText)(part);

/** Returns the schemas with which the server validates the requests of a route. */
export function requestSchemas({ params, query, headers = {}, body }: Route) {
  const lowerCased = Object.entries(headers).map(([name, schema]) => [name.toLowerCase(), schema] as const);
  return {
    ...(params === undefined ? {} : { params: { type: 'object', properties: params } }),
    ...(query === undefined ? {} : { querystring: closedObject(query) }),
    ...(lowerCased.length === 0 ? {} : { headers: { type: 'object', properties: Object.fromEntries(lowerCased) } }),
    ...(body === undefined ? {} : { body: bodySchema(body) }),
  };
}

const MAX_NAME = 60;

/** Converts what a validator found to a problem that lists the first failure of each parameter or member. */
export function validationError(route: Route, failures: FastifySchemaValidationError[], part: string): HttpError {
  const schemas = (part === 'body' ? route.body?.members : route.query) ?? {};
  const unknown = failures.find(({ keyword }) => keyword === 'additionalProperties' && part !== 'headers');
  if (unknown !== undefined) return unknownName(String(unknown.params['additionalProperty']), schemas, part);
  const messages = new Map<string, string>();
  for (const { params, instancePath } of failures) {
    const [, name = String(params['missingProperty']), key] = instancePath.split('/');
    if (part === 'headers') return HEADERS[name] ?? new HttpError(400, 'arguments', `The header ${name} is wrong.`);
    if (!messages.has(name)) messages.set(name, messageOf(name, schemas[name] ?? {}, key));
  }
  const problems = Array.from(messages, ([argument, message]) => ({ argument, message }));
  return new HttpError(400, 'arguments', problems[0]?.message ?? 'The request is wrong.', { problems });
}

/** Returns the error of a misspelt name, which must not be ignored. */
function unknownName(name: string, schemas: Schemas, part: string): HttpError {
  const known = Object.keys(schemas);
  const what = part === 'body' ? 'member' : 'query parameter';
  return new HttpError(400, 'arguments', `There is no ${what} "${name.slice(0, MAX_NAME)}".`, {
    hint: known.length === 0 ? 'There are none.' : `There is ${known.join(', ')}.`,
  });
}

/** Says what a value must be. @param key of the wrong value in an object */
function messageOf(name: string, { type, enum: choices, minimum, maximum }: JsonSchema, key?: string): string {
  if (Array.isArray(choices)) return `${name} must be one of ${choices.join(', ')}.`;
  if (type === 'boolean') return `${name} must be true or false.`;
  if (type === 'integer') return `${name} must be a whole number from ${String(minimum)} to ${String(maximum)}.`;
  if (type === 'string') return `${name} must be a text.`;
  if (key === undefined) return `${name} must be an object of texts.`;
  return `${key.slice(0, MAX_NAME)} of ${name} must be a text.`;
}

/** Headers have codes and hints of their own. */
const HEADERS: Readonly<Record<string, HttpError>> = {
  'last-event-id': new HttpError(400, 'arguments', 'Last-Event-ID is not the id of an event.'),
  'idempotency-key': new HttpError(400, 'idempotency-key', 'Idempotency-Key has up to 255 visible ASCII characters.', {
    hint: 'Use a random UUID for each piece of work.',
  }),
};
