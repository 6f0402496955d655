/** The OpenAPI documents: valid, complete, and the same in three formats. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { registry } from '../../../commands/index.ts';
import { parseLine } from '../../../lib/arguments/argv.ts';
import { readArguments } from '../../../lib/arguments/read.ts';
import { structured } from '../../../lib/client/result.ts';
import { isObject } from '../../../lib/core/json.ts';
import type { Command } from '../../../lib/engine/command.ts';
import { limitsOf } from '../../../lib/hosts/http/owner.ts';
import { entryOf } from '../../../lib/manifest/command-catalogue.ts';
import { pascalCase } from '../../../scripts/api/names.ts';
import { expectNone } from '../../support/expect-none.ts';
import { LINE_ROWS, lineRoom } from '../../support/lines.ts';
import { someOf } from '../../support/runs.ts';
import {
  type Check,
  checksOf,
  documentsOf,
  type Format,
  loadCommands,
  operationsOf,
  resolved,
  visit,
} from './api-documents.ts';

const FORMATS: readonly Format[] = ['3.1', '3.0', '2.0'];
const METHODS = ['get', 'post', 'delete'];

let commands: readonly Command[] = [];
let documents: ReturnType<typeof documentsOf>;
let checks: Readonly<Record<Format, Check>>;
/** Arguments and results of commands. */
const samples: { readonly command: string; readonly args: unknown; readonly result: unknown }[] = [];

beforeAll(async () => {
  commands = await loadCommands();
  documents = documentsOf(commands);
  const checksIn = (format: Format) => checksOf(documents[format], format);
  checks = { '3.1': checksIn('3.1'), '3.0': checksIn('3.0'), '2.0': checksIn('2.0') };
  for (const { name, line } of someOf(LINE_ROWS, 0)) {
    const command = await registry[name]?.();
    if (command === undefined) throw new Error(name);
    const { typed } = readArguments(command, parseLine(line), {});
    const result = structured(await lineRoom().run(line));
    samples.push({ command: name, args: typed, result: JSON.parse(JSON.stringify({ ...result, files: [] })) });
  }
});

describe.each(FORMATS)('the document of %s', (format) => {
  test('is valid', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(documents[format]));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  test('has every command once, with a name, a family, and a description in sentences', () => {
    const found = operationsOf(documents[format]).filter(({ path }) => /^\/v1\/commands\/aisec-/.test(path));
    expect(found.map(({ value }) => value['operationId'])).toEqual(Object.keys(registry));
    expect(found.map(({ path }) => path)).toEqual(Object.keys(registry).map((name) => `/v1/commands/${name}`));
    expect([...new Set(found.map(({ method }) => method))]).toEqual(['post']);
  });

  test('describes every operation in sentences, under a described tag', () => {
    const tags = (documents[format]['tags'] as { name: string; description: string }[]).map(({ name }) => name);
    const poor = operationsOf(documents[format]).filter(({ value }) => {
      const { operationId, tags: own, summary, description } = value;
      const isNamed = typeof operationId === 'string' && operationId !== '';
      const isTagged = Array.isArray(own) && own.length === 1 && tags.includes(String(own[0]));
      return !isNamed || !isTagged || ![summary, description].every((text) => /^[A-Z`].*\.$/.test(String(text)));
    });
    expectNone(
      poor.map(({ method, path }) => `${method} ${path}`),
      'operations without a description',
    );
    const ids = operationsOf(documents[format]).map(({ value }) => value['operationId']);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has no dangling reference and no unused component', () => {
    const targets = new Set<string>();
    const dead: string[] = [];
    visit(documents[format], ({ $ref }, at) => {
      if (typeof $ref !== 'string') return;
      targets.add($ref);
      if (resolved(documents[format], $ref) === undefined) dead.push(`${at}: ${$ref}`);
    });
    expectNone(dead, 'references to nothing');
    const shared = format === '2.0' ? documents[format] : (documents[format]['components'] as object);
    const places = ['schemas', 'definitions', 'parameters', 'responses'].flatMap((place) =>
      Object.keys((shared as Record<string, object>)[place] ?? {}).map((name) => `/${place}/${name}`),
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
    const found = operationsOf(documents[format]).flatMap(({ value }) => {
      const least = roles.find((_role, at) => allowed[at]?.includes(String(value['operationId'])));
      return value['x-role'] === least ? [] : [`${String(value['operationId'])}: ${String(value['x-role'])}`];
    });
    expectNone(found, 'roles other than those of the service');
  });

  test('has only keywords of its format', () => {
    const foreign: Readonly<Record<Format, readonly string[]>> = {
      '3.1': ['nullable', 'x-nullable', '$schema', 'definitions'],
      '3.0': ['const', 'examples', 'propertyNames', 'x-nullable', '$schema', 'definitions'],
      '2.0': ['const', 'nullable', 'propertyNames', 'anyOf', 'oneOf', 'not', 'writeOnly', 'requestBody', 'components'],
    };
    const found: string[] = [];
    visit(documents[format], (node, at) => {
      // Names of arguments and of fields, and the values of examples, are no keywords.
      if (/\/(properties|example|x-example|examples|paths|responses|definitions|schemas)$/.test(at)) return;
      if (/\/(example|x-example|examples)\//.test(at)) return;
      found.push(...foreign[format].filter((keyword) => keyword in node).map((keyword) => `${at}: ${keyword}`));
      if (format !== '3.1' && Array.isArray(node['type'])) found.push(`${at}: a list of types`);
      if (format !== '3.1' && '$ref' in node && Object.keys(node).length > 1) found.push(`${at}: beside a reference`);
    });
    expectNone(
      found.filter((each) => !(format === '2.0' && each.startsWith('#: definitions'))),
      `keywords that ${format} does not have`,
    );
  });

  test('describes every parameter and every member', () => {
    const bare: string[] = [];
    visit(documents[format], (node, at) => {
      if (METHODS.some((method) => at.endsWith(`/${method}`))) return;
      if (typeof node['in'] === 'string' && typeof node['description'] !== 'string') bare.push(at);
    });
    expectNone(bare, 'parameters without a description');
  });

  test('accepts the arguments and the results of every command', () => {
    const found = samples.flatMap(({ command, args, result }) => [
      ...checks[format](`${pascalCase(command)}Arguments`, args).map((text) => `${command} arguments ${text}`),
      ...checks[format](`${pascalCase(command)}Result`, result).map((text) => `${command} result ${text}`),
    ]);
    expectNone(found, 'real values that the document refuses');
  });
});

test.each<Format>(['3.0', '2.0'])('%s refuses exactly what 3.1 refuses', (format) => {
  // Swagger has no keyword for a choice of types: it allows any there, and says so.
  const loose = new Set<string>();
  visit(documents[format], (node, at) => {
    if ('x-anyOf' in node) loose.add(at.split('/').pop() ?? '');
  });
  expect([...loose]).toEqual(format === '3.0' ? [] : ['result', 'expiration_date']);
  const found: string[] = [];
  let refused = 0;
  for (const { command, args, result } of samples) {
    for (const [part, sample] of Object.entries({ Arguments: args, Result: result })) {
      const schema = `${pascalCase(command)}${part}`;
      for (const { name, value } of variants(sample)) {
        const wanted = checks['3.1'](schema, value).length > 0;
        if (wanted) refused += 1;
        if (checks[format](schema, value).length > 0 !== wanted && !(wanted && loose.has(name)))
          found.push(`${schema} ${wanted ? 'accepts' : 'refuses'} ${name} of ${JSON.stringify(value)}`);
      }
    }
  }
  expect(refused).toBeGreaterThan(10 * samples.length);
  expectNone(found, 'values that are judged otherwise');
});

interface Variant {
  /** The member that was changed. */
  readonly name: string;
  readonly value: unknown;
}

/** Changes a value at each of its members: null, another type, left out. Of a list, its first item is changed. */
function variants(value: unknown, depth = 4): Variant[] {
  if (depth === 0) return [];
  if (Array.isArray(value)) {
    const [first, ...rest] = value as unknown[];
    return first === undefined ? [] : variants(first, depth).map((each) => ({ ...each, value: [each.value, ...rest] }));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const { [name]: _left, ...without } = value;
    const others = [null, typeof member === 'object' ? 'text' : { other: true }];
    return [
      { name, value: without },
      ...others.map((each) => ({ name, value: { ...value, [name]: each } })),
      ...variants(member, depth - 1).map((each) => ({ ...each, value: { ...value, [name]: each.value } })),
    ];
  });
}
