/** The OpenAPI document and the service's pages are correct: schemas, examples, and lines to paste. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse, parseAllDocuments } from 'yaml';
import { registry } from '../../../commands/index.ts';
import { PROMPTS } from '../../../fixtures/lines/red-team.ts';
import { parseLine } from '../../../lib/client/argv.ts';
import { invocationOf } from '../../../lib/client/invocation.ts';
import { structured } from '../../../lib/client/result.ts';
import { MAX_DEPTH } from '../../../lib/core/json.ts';
import { limitsOf } from '../../../lib/hosts/http/access/rights.ts';
import { SERVICE_ROUTES } from '../../../lib/hosts/http/routes/service.ts';
import { catalogueEntry } from '../../../lib/manifest/command-catalogue.ts';
import { readArguments } from '../../../lib/runtime/arguments/read.ts';
import type { Command } from '../../../lib/runtime/engine/command.ts';
import { dispatch } from '../../../lib/runtime/engine/dispatch.ts';
import { type ApiDocument, openApiOf } from '../../../scripts/api/document.ts';
import { ANY_FILE, exampleArguments, KNOWN_VALUES } from '../../../scripts/api/known-values.ts';
import { pascalCase } from '../../../scripts/api/names.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LINE_ROWS, lineRoom } from '../../support/lines.ts';
import { ROOT } from '../../support/program.ts';
import { someOf } from '../../support/runs.ts';
import { warRoom } from '../../support/simulated.ts';
import { type Check, checkOf, loadCommands, operationsOf, resolved, visit } from './api-documents.ts';
import { startBriefly } from './support.ts';

describe('OpenAPI', () => {
  const METHODS = ['get', 'post', 'delete'];
  const OLDER = ['nullable', 'x-nullable', '$schema', 'definitions'];

  let commands: readonly Command[] = [];
  let document: ApiDocument;
  let check: Check;
  /** The arguments and results of commands. */
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

    test('has every command once, and describes every operation in sentences, under a described tag', () => {
      const operations = operationsOf(document);
      const found = operations.filter(({ path }) => /^\/v1\/commands\/aisec-/.test(path));
      expect(found.map(({ method, path, value }) => [method, path, value['operationId']])).toEqual(
        Object.keys(registry).map((name) => ['post', `/v1/commands/${name}`, name]),
      );
      const tags = (document['tags'] as { name: string; description: string }[]).map(({ name }) => name);
      const poor = operations.filter(({ value: { operationId, tags: own, summary, description } }) => {
        const isNamed = typeof operationId === 'string' && operationId !== '';
        const isTagged = Array.isArray(own) && own.length === 1 && tags.includes(String(own[0]));
        return !isNamed || !isTagged || ![summary, description].every((text) => /^[A-Z`].*\.$/.test(String(text)));
      });
      expectNone(
        poor.map(({ method, path }) => `${method} ${path}`),
        'operations without a description',
      );
      expect(new Set(operations.map(({ value }) => value['operationId'])).size).toBe(operations.length);
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

    test('names the lowest role that may run each command', () => {
      const catalogue = commands.map(catalogueEntry);
      const roles = ['read', 'operate', 'admin'] as const;
      const allowed = roles.map((role) => limitsOf({ name: 'any', role }, catalogue).allow.commands);
      const found = operationsOf(document).flatMap(({ value }) => {
        const least = roles.find((_role, at) => allowed[at]?.includes(String(value['operationId'])));
        return value['x-role'] === least ? [] : [`${String(value['operationId'])}: ${String(value['x-role'])}`];
      });
      expectNone(found, 'roles other than those of the service');
    });

    test('describes every parameter, and has only keywords of its format', () => {
      const found: string[] = [];
      visit(document, (node, at) => {
        const isParameter = typeof node['in'] === 'string' && !METHODS.some((method) => at.endsWith(`/${method}`));
        if (isParameter && typeof node['description'] !== 'string') found.push(`${at}: no description`);
        // Names of arguments and fields, and values of examples, are not keywords.
        if (/\/(properties|example|examples|paths|responses|schemas)$/.test(at) || /\/examples?\//.test(at)) return;
        found.push(...OLDER.filter((keyword) => keyword in node).map((keyword) => `${at}: ${keyword}`));
      });
      expectNone(found, 'parameters without a description, and keywords of older formats');
    });

    test('accepts the arguments and the results of every command', () => {
      const found = samples.flatMap(({ command, args, result }) => [
        ...check(`${pascalCase(command)}Arguments`, args).map((text) => `${command} arguments ${text}`),
        ...check(`${pascalCase(command)}Result`, result).map((text) => `${command} result ${text}`),
      ]);
      expectNone(found, 'real values that the document refuses');
    });
  });
});

describe('examples', () => {
  const START_SCAN = 'aisec-redteam-scan-create';

  beforeAll(loadCommands);

  test.each(someOf(Object.keys(registry), 1))('the example of %s works on the simulated tenant', async (name) => {
    const room = warRoom();
    room.files[ANY_FILE] = PROMPTS.text;
    const run = async (command: string) => {
      const declared = await registry[command]?.();
      if (declared === undefined) throw new Error(command);
      return dispatch(invocationOf(command, exampleArguments(declared)), registry, room.runtime);
    };
    // A scan must be running before it can be stopped.
    if (name === 'aisec-redteam-scan-abort') await run(START_SCAN);
    const { failure } = await run(name);
    expect(failure).toBeUndefined();
  });

  test('no example has a placeholder', async () => {
    const examples = (await loadCommands()).map((command) => JSON.stringify(exampleArguments(command)));
    expect(examples.filter((text) => /<\w+>|@env:|@file:/.test(text))).toEqual([]);
  });

  test('every known value belongs to an argument of a command', async () => {
    const commands = await loadCommands();
    const idle = Object.entries(KNOWN_VALUES).flatMap(([start, values]) => {
      const fitting = commands.filter(({ name }) => name.startsWith(start));
      return Object.keys(values)
        .filter((argument) => !fitting.some(({ args }) => argument in args))
        .map((argument) => `${start} ${argument}`);
    });
    expect(idle).toEqual([]);
  });
});

describe('pages', () => {
  const run = promisify(execFile);
  const page = (name: string) => readFileSync(join(ROOT, name), 'utf8');
  const blocks = (name: string, language: string) =>
    Array.from(
      page(name).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm')),
      ([, text = '']) => text,
    );

  const TOKEN = 'my-first-token-0123456789';
  const ADDRESS = 'http://127.0.0.1:8788';

  async function hasCurl(): Promise<boolean> {
    return run('curl', ['--version']).then(
      ({ stdout }) => /^curl (?:7\.(?:8[2-9]|9\d)|[89]\.)/.test(stdout),
      () => false,
    );
  }

  test('the lines of the page and of the README work in a shell', async () => {
    const lines = [
      ...blocks('docs/http.md', 'sh').slice(1),
      ...blocks('docs/guard/without-code.md', 'sh').slice(1),
      ...blocks('README.md', 'sh').filter((text) => text.includes('curl')),
    ];
    expect(lines.length).toBeGreaterThan(3);
    if (!(await hasCurl())) {
      console.warn('Skipped: there is no curl with --json on this machine.');
      return;
    }
    const server = await startBriefly({ token: TOKEN });
    for (const text of lines) {
      const script = `set -eu\nexport AISEC_SERVE_TOKEN=${TOKEN}\n${text.replaceAll(ADDRESS, server.url)}`;
      const { stdout } = await run('bash', ['-c', script.replaceAll('curl ', 'curl --fail-with-body ')], {
        cwd: temporaryFolder('shell'),
        env: { PATH: process.env['PATH'] ?? '' },
      });
      expect(stdout).toMatch(/"commands":|"outputs":|event: end|"action":/);
    }
  });

  test('the page has every route of the description', async () => {
    const text = page('docs/http.md').replace(/\{[a-z_]+\}/g, '{}');
    const { paths } = JSON.parse(page('docs/api/openapi.json')) as { paths: Record<string, object> };
    const routes = Object.keys(paths)
      .filter((path) => !path.startsWith('/v1/commands/aisec-'))
      .map((path) => path.replace(/\{[a-z_A-Z]+\}/g, '{}'));
    expect(routes.length).toBeGreaterThan(12);
    expect(routes.filter((route) => !text.includes(route))).toEqual([]);
  });

  test('the page has every problem code of the description', () => {
    const text = page('docs/http.md');
    const document = page('docs/api/openapi.json');
    const codes = new Set(Array.from(document.matchAll(/urn:aisec:problem:([a-z-]+)/g), ([, code = '']) => code));
    expect(codes.size).toBeGreaterThan(5);
    expect([...codes].filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
  });

  test('manifests and alerts are valid YAML, and the metrics that they and the document name exist', async () => {
    const documents = blocks('docs/operate.md', 'yaml').flatMap((text) =>
      parseAllDocuments(text).map((each) => each.toJS() as Record<string, unknown>),
    );
    expect(
      documents.map(({ kind, services, groups }) => kind ?? (services ? 'compose' : groups ? 'alerts' : '')),
    ).toEqual(['compose', 'Deployment', 'Service', 'alerts']);
    const alerts = blocks('docs/operate.md', 'yaml').filter((text) => text.includes('alert:'));
    const names = new Set(alerts.join('\n').match(/aisec_\w+/g));
    const server = await startBriefly();
    const { text } = await server.send('/metrics');
    const [, example = ''] =
      /# HELP (\S+) /.exec(JSON.stringify(SERVICE_ROUTES.find(({ url }) => url === '/metrics'))) ?? [];
    expect(text).toContain(`# HELP ${example} `);
    expect([...names].filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
    expect(parse(alerts[0] ?? '')).toHaveProperty('groups');
  });

  test('the page states the maximum depth of JSON', () => {
    expect(/nested at most (\d+) deep/.exec(page('docs/http.md'))?.[1]).toBe(String(MAX_DEPTH));
  });
});
