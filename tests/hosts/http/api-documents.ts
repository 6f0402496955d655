/** The OpenAPI document of the tests, and helpers that read its schemas. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Ajv } from 'ajv';
import { registry } from '../../../commands/index.ts';
import { isObject } from '../../../lib/core/json.ts';
import type { Command } from '../../../lib/runtime/engine/command.ts';
import type { ApiDocument } from '../../../scripts/api/document.ts';
import { expectNone } from '../../support/expect-none.ts';
import { ROOT } from '../../support/program.ts';

const { default: Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020') as { default: typeof Ajv };

/** Loads all declarations one after the other, because jest cannot link modules concurrently. */
export async function loadCommands(): Promise<readonly Command[]> {
  const commands: Command[] = [];
  for (const load of Object.values(registry)) commands.push(await load());
  return commands;
}

export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Lists the operations of a document. */
export function operationsOf(document: ApiDocument): Operation[] {
  return Object.entries(document['paths'] as Record<string, Record<string, object>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, value]) => ({ path, method, value: { ...value } })),
  );
}

/** Calls a function for every object in a document. */
export function visit(value: unknown, found: (node: Readonly<Record<string, unknown>>, at: string) => void, at = '#') {
  if (isObject(value)) found(value, at);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) visit(each, found, `${at}/${key.replace(/\//g, '~1')}`);
}

/** Resolves a reference. */
export function resolved(document: ApiDocument, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (node, part) => (isObject(node) ? node[part.replace(/~1/g, '/').replace(/~0/g, '~')] : undefined),
      document,
    );
}

/** Describes the problems of a value; undefined if it is valid. */
export type Check = (schema: string, value: unknown) => string[];

/** Creates the validators of a document's named schemas. */
export function checkOf(document: ApiDocument): Check {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ components: document['components'] }, 'document');
  return (schema, value) => {
    const validate = ajv.getSchema(`document#/components/schemas/${schema}`);
    if (validate === undefined) throw new Error(`There is no schema ${schema}.`);
    void validate(value);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

/** Describes how a response differs from the document; undefined if it matches. */
export type ResponseCheck = (method: string, path: string, response: Received) => string[];

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly json: unknown;
}

/**
 * Checks the responses of a file's tests against the published document.
 *
 * @returns the function that a service calls with each response
 */
export function describedResponses() {
  const document: ApiDocument = JSON.parse(readFileSync(join(ROOT, 'docs', 'api', 'openapi.json'), 'utf8'));
  const operations = operationsOf(document).map(({ method, path }) => ({
    ...{ method, path },
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  const check = responseCheck(document);
  const found: string[] = [];
  afterEach(() => expectNone(found.splice(0), 'responses that the document does not describe'));
  return (name: string, url: string, got: Received) => {
    const method = name.toLowerCase();
    const asked = operations.find((each) => each.method === method && each.pattern.test(url.replace(/\?.*/, '')));
    // An unknown command gets the answer of the route for any command; an unknown route is not in the document.
    if (asked !== undefined) found.push(...check(method, asked.path, got));
  };
}

/** Creates a check that compares responses with a document. */
export function responseCheck(document: ApiDocument): ResponseCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, 'document');
  const escaped = (text: string) => encodeURIComponent(text.replace(/~/g, '~0').replace(/\//g, '~1'));
  return (method, path, { status, headers, json }) => {
    const operation = operationsOf(document).find((each) => each.method === method && each.path === path);
    if (operation === undefined) return [`${method} ${path} is not described`];
    const responses = operation.value['responses'] as Record<string, Record<string, unknown>>;
    const key = String(status) in responses ? String(status) : 'default';
    const found = responses[key] ?? {};
    const at =
      typeof found['$ref'] === 'string' ? found['$ref'] : `#/paths/${escaped(path)}/${method}/responses/${key}`;
    const response = resolved(document, decodeURIComponent(at));
    const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
    const { content = {} } = (response ?? {}) as { content?: Record<string, { schema: object }> };
    if ((status === 204 || status === 303) && type === '') return [];
    if (content[type] === undefined) return [`${method} ${path} has no ${status} of ${type}`];
    if (!/json$/.test(type)) return [];
    const validate = ajv.getSchema(`document${at}/content/${escaped(type)}/schema`);
    if (validate === undefined) throw new Error(`There is no schema of ${method} ${path}.`);
    void validate(json);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${method} ${path} ${instancePath} ${message}`);
  };
}
