/** Converts the description of a route to an OpenAPI operation. */

import {
  type Body,
  bodySchema,
  DRY_RUN,
  IDEMPOTENCY_KEY,
  jsonContent,
  PREFER,
  type Route,
  type Schemas,
} from '../../lib/hosts/http/route.ts';
import type { JsonSchema } from '../../lib/manifest/schema.ts';
import { problems } from './problem-responses.ts';

/** Shared parameters by name. */
export const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  DryRun: parameter('query', 'dry_run', DRY_RUN),
  IdempotencyKey: parameter('header', 'Idempotency-Key', IDEMPOTENCY_KEY),
  Prefer: parameter('header', 'Prefer', PREFER),
};

/** Returns the operations of routes, by path and method. */
export function pathsOf(routes: readonly Route[]): Readonly<Record<string, JsonSchema>> {
  const paths: Record<string, JsonSchema> = {};
  for (const route of routes) {
    paths[route.url] = { ...paths[route.url], [route.method.toLowerCase()]: operationOf(route) };
  }
  return paths;
}

/** Returns the operation of a route. */
export function operationOf(route: Route): JsonSchema {
  const { operationId, url, summary, description, isPublic, params, query, headers, body, stream, responses } = route;
  const parameters = Object.entries({ path: params, query, header: headers }).flatMap(([place, schemas]) =>
    parametersIn(place, schemas, route.requiredQuery),
  );
  return {
    operationId,
    tags: [tagOf(url)],
    summary,
    description,
    ...(isPublic === true ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    ...(stream === undefined ? {} : { requestBody: stream.requestBody }),
    responses: { ...responses, ...problemsOf(route) },
  };
}

/** Tags of resources that have another name. */
const TAGS: ReadonlyMap<string, string> = new Map([
  ['commands', 'catalogue'],

  ['me', 'service'],
  ['comparisons', 'reports'],
  ['dashboard', 'reports'],
]);

/** The tag of a route is the resource in its path. */
function tagOf(url: string): string {
  const [, version, resource = ''] = url.split('/');
  if (version !== 'v1') return 'service';
  return TAGS.get(resource) ?? resource;
}

function parametersIn(place: string, schemas: Schemas = {}, requiredQuery: readonly string[] = []): JsonSchema[] {
  return Object.entries(schemas).map(([name, schema]) => {
    const shared = Object.keys(PARAMETERS).find((key) => PARAMETERS[key]?.['name'] === name);
    const isRequired = place === 'path' || (place === 'query' && requiredQuery.includes(name));
    return shared === undefined
      ? parameter(place, name, schema, isRequired)
      : { $ref: `#/components/parameters/${shared}` };
  });
}

function parameter(place: string, name: string, own: JsonSchema, isRequired = false): JsonSchema {
  const { description, ...schema } = own;
  return { name, in: place, ...(isRequired ? { required: true } : {}), description, schema };
}

function requestBody(body: Body): JsonSchema {
  const schema = bodySchema(body);
  const { description, example } = body;
  return { description, required: schema['required'] !== undefined, content: jsonContent(schema, example) };
}

/** A public route has only the problems that it names. */
function problemsOf(route: Route): JsonSchema {
  if (route.isPublic !== true) return problems(statusesOf(route));
  return route.problems === undefined ? {} : problems(route.problems);
}

/** Lists the problem statuses that a route can return. */
function statusesOf({ params = {}, query, headers = {}, body, stream, problems: own = [] }: Route): readonly number[] {
  const isChecked = [query, body, stream, headers['Last-Event-ID']].some((part) => part !== undefined);
  const statuses = [
    ...(isChecked ? [400] : []),
    401,
    ...(Object.keys(params).length === 0 ? [] : [404]),
    ...(body === undefined ? [] : [413, 415]),
    ...(headers['Idempotency-Key'] === undefined ? [] : [422, 503]),
    429,
    ...own,
  ];
  return [...new Set(statuses)].sort((one, other) => one - other);
}
