/**
 * Defines a route once: the server validates requests with the description, and the OpenAPI document is generated from
 * it.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonSchema } from '../../manifest/schema.ts';
import type { Service } from './service.ts';

/** Schemas by name. An omitted parameter or member without a default is undefined. */
export type Schemas = Readonly<Record<string, JsonSchema>>;

type ValueOf<S> = S extends { readonly enum: readonly (infer Choice)[] }
  ? Choice
  : S extends { readonly type: 'integer' }
    ? number
    : S extends { readonly type: 'boolean' }
      ? boolean
      : S extends { readonly type: 'object' }
        ? Readonly<Record<string, string>>
        : string;

/** Values of a validated request. */
type Values<S extends Schemas> = {
  readonly [Name in keyof S]: ValueOf<S[Name]> | (S[Name] extends { readonly default: unknown } ? never : undefined);
};

/** A JSON body: an object with these members. Those without a default are required. */
export interface Body<B extends Schemas = Schemas> {
  readonly description: string;
  readonly members: B;
  /** Optional members without a default; the handler declares their types itself. */
  readonly optional?: Schemas;
  readonly example?: unknown;
}

export interface Route<P extends Schemas = Schemas, Q extends Schemas = Schemas, B extends Schemas = Schemas> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path with its parameters in braces, such as `/v1/runs/{id}`. */
  readonly url: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Parameters of the path. */
  readonly params?: P;
  /** Query parameters; a route with any refuses unknown ones. */
  readonly query?: Q;
  /** Required query parameters. */
  readonly requiredQuery?: readonly string[];
  readonly headers?: Schemas;
  readonly body?: Body<B>;
  /** A body that the route reads as a stream, whatever its type. */
  readonly stream?: { readonly maxBytes: number; readonly requestBody: JsonSchema };
  /** Responses other than problems, by status. */
  readonly responses: Readonly<Record<number, JsonSchema>>;
  /** Problem statuses besides those implied by the rest of the description. */
  readonly problems?: readonly number[];
  /** Whether the route answers without a token. */
  readonly isPublic?: true;
  /** Whether the route also answers under any other host name. */
  readonly isProbe?: true;
  /** The view of the room that a person without a login is sent to, such as `/#/reports/{id}`. */
  readonly view?: string;
  /** Maximum size of the body, in bytes. Default: the maximum of all bodies. */
  readonly maxBytes?: number;
  // A method, so that a list can hold routes with parameters of any type.
  handle(service: Service, request: RequestOf<P, Q, B>, reply: FastifyReply): unknown;
}

/** A request that its route has validated. */
type RequestOf<P extends Schemas, Q extends Schemas, B extends Schemas> = FastifyRequest<{
  Params: { readonly [Name in keyof P]: string };
  Querystring: Values<Q>;
  Body: { readonly [Name in keyof B]: ValueOf<B[Name]> };
}>;

/** Describes a route; the types of its handler follow from the schemas. @param url path with parameters in braces */
export function route<
  const P extends Schemas = Schemas,
  const Q extends Schemas = Schemas,
  const B extends Schemas = Schemas,
>(
  method: Route['method'],
  url: string,
  operationId: string,
  description: Omit<Route<P, Q, B>, 'method' | 'url' | 'operationId'>,
): Route<P, Q, B> {
  return { method, url, operationId, ...description };
}

/** Returns the schema of an object with only these members. */
export function closedObject(members: Schemas, required: readonly string[] = []): JsonSchema {
  return {
    type: 'object',
    properties: members,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Returns the schema of a body. */
export function bodySchema({ members, optional = {} }: Body): JsonSchema {
  return closedObject(
    { ...members, ...optional },
    Object.keys(members).filter((name) => members[name]?.['default'] === undefined),
  );
}

/** Parameters that several routes share. */
export const DRY_RUN = {
  type: 'boolean',
  default: false,
  description: 'Shows what would change, and changes nothing.',
} as const;

export const IDEMPOTENCY_KEY = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[!-~]+$',
  description:
    'A text for each piece of work: the same key and request give the same response for a day, with the header `Idempotent-Replayed`.',
} as const;

export const PREFER = {
  type: 'string',
  examples: ['respond-async'],
  description: '`respond-async`: respond at once with a run that does the work.',
} as const;

/** Refers to a schema. */
export function refTo(schema: string): JsonSchema {
  return { $ref: `#/components/schemas/${schema}` };
}

/** Refers to a shared response. */
export function responseRef(name: string): JsonSchema {
  return { $ref: `#/components/responses/${name}` };
}

/** Response to a request whose work continues as a run. */
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
  const schema = objectSchema({ [name]: listSchema(refTo(items), title) });
  return jsonResponse(`The ${name}.`, schema, example === undefined ? undefined : { [name]: example });
}

/** Response with text. */
export function textResponse(description: string, example: string, type = 'text/plain'): JsonSchema {
  return { description, content: { [type]: { schema: { type: 'string' }, example } } };
}

/** Returns the schema of an object. Members are required unless their names end with a question mark. */
export function objectSchema(properties: Readonly<Record<string, JsonSchema>>, description?: string): JsonSchema {
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
export function listSchema(items: JsonSchema, description: string): JsonSchema {
  return { type: 'array', description, items };
}

/** Path parameter of an identifier. */
export function idOf(what: string, example: string) {
  return { id: { type: 'string', description: `Identifier of the ${what}.`, examples: [example] } };
}
