/** The OpenAPI document: valid and complete. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { registry } from '../../../commands/index.ts';
import { parseLine } from '../../../lib/arguments/argv.ts';
import { readArguments } from '../../../lib/arguments/read.ts';
import { structured } from '../../../lib/client/result.ts';
import type { Command } from '../../../lib/engine/command.ts';
import { limitsOf } from '../../../lib/hosts/http/access/rights.ts';
import { entryOf } from '../../../lib/manifest/command-catalogue.ts';
import { type ApiDocument, openApiOf } from '../../../scripts/api/document.ts';
import { pascalCase } from '../../../scripts/api/names.ts';
import { expectNone } from '../../support/expect-none.ts';
import { LINE_ROWS, lineRoom } from '../../support/lines.ts';
import { someOf } from '../../support/runs.ts';
import { type Check, checkOf, loadCommands, operationsOf, resolved, visit } from './api-documents.ts';

const METHODS = ['get', 'post', 'delete'];
const OLDER = ['nullable', 'x-nullable', '$schema', 'definitions'];

let commands: readonly Command[] = [];
let document: ApiDocument;
let check: Check;
/** Arguments and results of commands. */
const samples: { readonly command: string; readonly args: unknown; readonly result: unknown }[] = [];

beforeAll(async () => {
  commands = await loadCommands();
  document = openApiOf(commands, '1.2.3');
  check = checkOf(document);
  for (const { name, line } of someOf(LINE_ROWS, 0)) {
    const command = await registry[name]?.();
    if (command === undefined) throw new Error(name);
    const { typed } = readArguments(command, parseLine(line), {});
    const result = structured(await lineRoom().run(line));
    samples.push({ command: name, args: typed, result: JSON.parse(JSON.stringify({ ...result, files: [] })) });
  }
});

describe('the document', () => {
  test('is valid', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  test('has every command once, with a name, a family, and a description in sentences', () => {
    const found = operationsOf(document).filter(({ path }) => /^\/v1\/commands\/aisec-/.test(path));
    expect(found.map(({ value }) => value['operationId'])).toEqual(Object.keys(registry));
    expect(found.map(({ path }) => path)).toEqual(Object.keys(registry).map((name) => `/v1/commands/${name}`));
    expect([...new Set(found.map(({ method }) => method))]).toEqual(['post']);
  });

  test('describes every operation in sentences, under a described tag', () => {
    const tags = (document['tags'] as { name: string; description: string }[]).map(({ name }) => name);
    const poor = operationsOf(document).filter(({ value }) => {
      const { operationId, tags: own, summary, description } = value;
      const isNamed = typeof operationId === 'string' && operationId !== '';
      const isTagged = Array.isArray(own) && own.length === 1 && tags.includes(String(own[0]));
      return !isNamed || !isTagged || ![summary, description].every((text) => /^[A-Z`].*\.$/.test(String(text)));
    });
    expectNone(
      poor.map(({ method, path }) => `${method} ${path}`),
      'operations without a description',
    );
    const ids = operationsOf(document).map(({ value }) => value['operationId']);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has no dangling reference and no unused component', () => {
    const targets = new Set<string>();
    const dead: string[] = [];
    visit(document, ({ $ref }, at) => {
      if (typeof $ref !== 'string') return;
      targets.add($ref);
      if (resolved(document, $ref) === undefined) dead.push(`${at}: ${$ref}`);
    });
    expectNone(dead, 'references to nothing');
    const shared = document['components'] as Record<string, object>;
    const places = ['schemas', 'parameters', 'responses'].flatMap((place) =>
      Object.keys(shared[place] ?? {}).map((name) => `/${place}/${name}`),
    );
    const used = [...targets].map((target) => target.replace(/^#(\/components)?/, ''));
    expectNone(
      places.filter((place) => !used.includes(place)),
      'shared parts without a use',
    );
  });

  test('names for every command the least role that may run it', () => {
    const catalogue = commands.map(entryOf);
    const roles = ['read', 'operate', 'admin'] as const;
    const allowed = roles.map((role) => limitsOf({ name: 'any', role }, catalogue).allow.commands);
    const found = operationsOf(document).flatMap(({ value }) => {
      const least = roles.find((_role, at) => allowed[at]?.includes(String(value['operationId'])));
      return value['x-role'] === least ? [] : [`${String(value['operationId'])}: ${String(value['x-role'])}`];
    });
    expectNone(found, 'roles other than those of the service');
  });

  test('has only keywords of its format', () => {
    const found: string[] = [];
    visit(document, (node, at) => {
      // Names of arguments and of fields, and the values of examples, are no keywords.
      if (/\/(properties|example|examples|paths|responses|schemas)$/.test(at) || /\/examples?\//.test(at)) return;
      found.push(...OLDER.filter((keyword) => keyword in node).map((keyword) => `${at}: ${keyword}`));
    });
    expectNone(found, 'keywords of older formats');
  });

  test('describes every parameter and every member', () => {
    const bare: string[] = [];
    visit(document, (node, at) => {
      if (METHODS.some((method) => at.endsWith(`/${method}`))) return;
      if (typeof node['in'] === 'string' && typeof node['description'] !== 'string') bare.push(at);
    });
    expectNone(bare, 'parameters without a description');
  });

  test('accepts the arguments and the results of every command', () => {
    const found = samples.flatMap(({ command, args, result }) => [
      ...check(`${pascalCase(command)}Arguments`, args).map((text) => `${command} arguments ${text}`),
      ...check(`${pascalCase(command)}Result`, result).map((text) => `${command} result ${text}`),
    ]);
    expectNone(found, 'real values that the document refuses');
  });
});
