import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { registry } from '../../../commands/index.ts';
import type { Effect } from '../../../lib/core/runtime.ts';
import { catalogueText, readCatalogue } from '../../../lib/manifest/catalogue.ts';
import { catalogueOf, describe as describeCommand } from '../../../lib/manifest/describe.ts';
import { type Manifest, manifestOf, manifestText } from '../../../lib/manifest/integration.ts';
import { referenceOf } from '../../../lib/manifest/reference.ts';
import { management } from '../../../lib/runtime/api/call.ts';
import { path } from '../../../lib/runtime/api/path.ts';
import { flag, json, limit, list, number, text } from '../../../lib/runtime/arguments/builders.ts';
import { oneOf } from '../../../lib/runtime/arguments/rules.ts';
import { type Command, command } from '../../../lib/runtime/engine/command.ts';
import { date, many, record, string, unknown, whole } from '../../../lib/runtime/output/record.ts';
import { DOCUMENT_SCHEMAS } from '../../../scripts/documents.ts';
import { generated, main, REFERENCE } from '../../../scripts/generate.ts';
import { drifted, write } from '../../../scripts/written-files.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';

const ROOT = new URL('../../..', import.meta.url).pathname.replace(/\/$/, '');
const loadCommands = (file: string) => import(`../../../commands/${file}`);

const Thing = record('AiSec.Thing', 'Things', 'id', {
  id: string('Identifier of the thing'),
  made_at: date('When it was made.'),
  parts: unknown('Parts | pieces of it.'),
});

function sample(effect: Effect, args: Command['args'] = {}, more: Partial<Command> = {}): Command {
  const declared = command('aisec-thing-do', 'Do the thing.', {
    effect,
    args,
    output: many(Thing),
    call: () => management.get(path`/v1/things`),
  });
  return { ...declared, ...more };
}

function manifestArgument(argument: Command['args'][string]) {
  const { arguments: args } = manifestCommand(sample('read', { given: argument }));
  return args[0];
}

function manifestCommand(declared: Command): Manifest['script']['commands'][number] {
  const [found] = manifestOf([describeCommand(declared)]).script.commands;
  if (found === undefined) throw new Error('The manifest has no command.');
  return found;
}

describe('a command in the manifest', () => {
  const extension = true;
  test.each([
    ['is required', text('A.', { required: true }), { required: true }],
    ['has a default', limit(50), { description: 'Maximum number of records to return.', defaultValue: '50' }],
    ['is closed', text('A.', { choices: ['b', 'c'] }), { auto: 'PREDEFINED', predefined: ['b', 'c'] }],
    [
      'is open',
      text('A.', { hints: ['b', 'c'] }),
      { description: 'A. Other values are sent as typed.', auto: 'PREDEFINED', predefined: ['b', 'c'] },
    ],
    [
      'is an open list',
      list('A.', { hints: ['b'] }),
      { description: 'A. Other values are sent as typed.', isArray: true, auto: 'PREDEFINED', predefined: ['b'] },
    ],
    ['is a Boolean', flag('A.'), { auto: 'PREDEFINED', predefined: ['true', 'false'] }],
    [
      'is a Boolean that can be cleared',
      flag('A.', { clearable: true }),
      { description: 'A. The text null clears it.', auto: 'PREDEFINED', predefined: ['true', 'false', 'null'] },
    ],
    ['is a list', list('A.'), { isArray: true }],
    ['is secret', json()('A.', {}, { secret: true }), { secret: true }],
    ['may be typed without its name', text('A.', { positional: true }), { default: true }],
    ['is an extension', number('A.', { extension }), { description: 'A. Specific to aisec.' }],
    [
      'is an extension that can be cleared',
      text('A', { extension, clearable: true }),
      { description: 'A. The text null clears it. Specific to aisec.' },
    ],
    ['lacks a dot', text('A'), { description: 'A.' }],
  ])('says that an argument %s', (_what, argument, expected) => {
    expect(manifestArgument(argument)).toEqual({ name: 'given', description: 'A.', ...expected });
  });

  test.each<[Effect, boolean | undefined]>([
    ['read', undefined],
    ['run', undefined],
    ['create', true],
    ['update', true],
    ['replace', true],
    ['delete', true],
  ])('%s: execution is %s', (effect, execution) => {
    expect(manifestCommand(sample(effect)).execution).toBe(execution);
  });

  test.each<[Effect, boolean, true | undefined]>([
    ['run', true, true],
    ['read', true, true],
    ['read', false, undefined],
  ])('%s that reaches a system outside of the service (%s): execution is %s', (effect, outside, execution) => {
    expect(manifestCommand(sample(effect, {}, { outside })).execution).toBe(execution);
  });

  test('lists its outputs with full paths, and says its rules', () => {
    const rules = [oneOf('a', 'b')];
    expect(manifestCommand(sample('read', {}, { rules }))).toEqual({
      name: 'aisec-thing-do',
      description: 'Do the thing. One of a or b is required.',
      arguments: [],
      outputs: [
        { contextPath: 'AiSec.Thing.id', description: 'Identifier of the thing.', type: 'String' },
        { contextPath: 'AiSec.Thing.made_at', description: 'When it was made.', type: 'Date' },
        { contextPath: 'AiSec.Thing.parts', description: 'Parts | pieces of it.', type: 'Unknown' },
      ],
    });
  });

  test('lists the members of a value after the value, whether they are shaped or kept as sent', () => {
    const Nested = record('AiSec.Nested', 'Nested', [], {
      rows: unknown('Rows.', { items: { name: string('Name.') } }),
      stats: unknown('Numbers.', { members: { by: unknown('By day.', { members: { day: date('Day.') } }) } }),
    });
    const { outputs } = describeCommand(sample('read', {}, { output: many(Nested) }));
    expect(outputs.map(({ path, type }) => `${path} ${type}`)).toEqual([
      'AiSec.Nested.rows Unknown',
      'AiSec.Nested.rows.name String',
      'AiSec.Nested.stats Unknown',
      'AiSec.Nested.stats.by Unknown',
      'AiSec.Nested.stats.by.day Date',
    ]);
    const words = whole('AiSec.Words', 'Words', unknown('Words.', { members: { en: string('English.') } }));
    const ofWords = describeCommand(sample('read', {}, { output: many(words) })).outputs;
    expect(ofWords.map(({ path }) => path)).toEqual(['AiSec.Words', 'AiSec.Words.en']);
  });

  test('has a timeout longer than the longest wait', () => {
    const wait = number('Longest time to wait, in seconds.', { default: '1800', extension });
    expect(manifestCommand(sample('run', { timeout: wait })).timeout).toBe(1860);
    expect(manifestCommand(sample('run')).timeout).toBeUndefined();
  });

  test('has an example even if none is declared', () => {
    const args = {
      name: text('A.', { required: true }),
      kind: text('B.', { required: true, choices: ['x'] }),
      c: flag('C.'),
    };
    expect(describeCommand(sample('read', args)).example).toBe('name=<name> kind=x');
    expect(describeCommand(sample('read', args, { example: 'name=n' })).example).toBe('name=n');
  });
});

describe('the catalogue', () => {
  test('round-trips through its text, which is plain ASCII', async () => {
    const catalogue = await catalogueOf(registry);
    const text = catalogueText(catalogue);
    expect(text).toMatch(/^[\t\n\x20-\x7e]*$/);
    expect(readCatalogue(text)).toEqual(catalogue);
    const [first] = catalogue;
    const foreign = first === undefined ? [] : [{ ...first, example: 'name="caf\u00e9 \ud83d\ude00"' }];
    expect(catalogueText(foreign)).toMatch(/^[\t\n\x20-\x7e]*$/);
    expect(readCatalogue(catalogueText(foreign))).toEqual(foreign);
  });
});

describe('integration.yml', () => {
  let source = '';
  let manifest: Manifest;
  beforeAll(async () => {
    source = manifestText(manifestOf(await catalogueOf(registry)));
    manifest = parse(source, { version: '1.1' });
  });

  test('names the uploaded file in its first line', () => {
    expect(source.split('\n')[0]).toMatch(/^# Upload dist\/platform\/integration-AiSec\.yml, .*npm run generate/);
    expect(manifest.script).toMatchObject({ script: '-', type: 'javascript' });
  });

  test('is read back unchanged by YAML 1.1', async () => {
    const words = [
      'yes',
      'no',
      'on',
      'off',
      'true',
      '1',
      '1.5',
      '1_000',
      '0o7',
      '012',
      '1:30',
      '2020-01-01',
      '~',
      '-',
      '',
    ];
    const catalogue = [describeCommand(sample('read', { given: text('A: # b.', { choices: words }) }))];
    const small = manifestOf(catalogue);
    expect(parse(manifestText(small), { version: '1.1' })).toEqual(small);
    expect(manifest).toEqual(manifestOf(await catalogueOf(registry)));
  });

  test('names the settings as the platform does', () => {
    const brief = manifest.configuration.map(({ name, type, required, display }) => [name, type, required, display]);
    expect(brief).toEqual([
      ['url', 0, true, 'Server URL'],
      ['credentials', 9, true, 'API Client ID'],
      ['runtime_api_key', 9, true, 'Runtime API Key'],
      ['tsg_id', 0, true, 'Tenant Services Group ID'],
      ['scanner_base_url', 15, false, 'Scanner API Base URL'],
      ['dlp_base_url', 0, false, 'DLP API Base URL'],
      ['token_url', 0, false, 'Token URL'],
      ['insecure', 8, false, 'Trust any certificate (not secure)'],
      ['proxy', 8, false, 'Use system proxy settings'],
      ['isFetch', 8, false, 'Fetch incidents'],
      ['incidentType', 13, false, 'Incident type'],
      ['incidentFetchInterval', 19, false, 'Incidents Fetch Interval'],
      ['fetch_sources', 16, false, 'Incident sources'],
      ['first_fetch', 0, false, 'First fetch time'],
      ['max_fetch', 0, false, 'Maximum incidents per fetch'],
      ['look_back', 0, false, 'Look back (minutes)'],
      ['red_team_rate', 0, false, 'Attack success rate (percent)'],
      ['key_warning_days', 0, false, 'Key warning (days)'],
      ['fetch_violations', 8, false, 'Fetch single runtime violations'],
    ]);
    const [, credentials, key, , scanner] = manifest.configuration;
    expect(credentials?.displaypassword).toBe('API Client Secret');
    expect(key).toMatchObject({ displaypassword: 'Runtime API Key', hiddenusername: true });
    expect(scanner?.options).toHaveLength(4);
    expect(scanner?.options).toContain(scanner?.defaultvalue);
    expectNone(
      manifest.configuration
        .filter(({ section }, at) => section !== (at < 9 ? 'Connect' : 'Collect'))
        .map(({ name }) => name),
      'parameters in a section of the others',
    );
  });

  test('contains no null, because the platform refuses null', () => {
    const nulls: string[] = [];
    JSON.stringify(manifest, (key, value) => {
      if (value === null) nulls.push(key);
      return value;
    });
    expectNone(nulls, 'members that are null');
  });
});

describe('the command reference', () => {
  const pageOf = (declared: Command) => {
    const pages = referenceOf([{ name: 'runtime/the-things', commands: [describeCommand(declared)] }]);
    return { index: pages[0], page: pages[1] };
  };

  test('has an index that leads to every command', () => {
    const { index, page } = pageOf(sample('read'));
    expect([index?.file, page?.file]).toEqual(['README.md', 'runtime-the-things.md']);
    expect(index?.text).toContain('[`aisec-thing-do`](runtime-the-things.md#aisec-thing-do) | Do the thing. |');
    expect(page?.text).toContain('# Runtime: The Things');
    expect(page?.text).toContain('## aisec-thing-do');
  });

  test('keeps every text inside its cell or code', () => {
    const given = text('A | b <c> and\nd.', { default: 'x`y' });
    const { page } = pageOf(sample('read', { given }, { example: 'given=`{"a": 1}`' }));
    expect(page?.text).toContain('| `given` | text |  | `` x`y `` | A \\| b &lt;c&gt; and d. |');
    expect(page?.text).toContain('`` !aisec-thing-do given=`{"a": 1}` ``');
    expect(page?.text).toContain('| `AiSec.Thing.parts` | Unknown | Parts \\| pieces of it. |');
  });

  test('explains each argument to the user', () => {
    const args = {
      one: text('A.', { choices: ['b'], extension: true, positional: true }),
      two: text('A.', { hints: ['b'], secret: true, clearable: true, required: true }),
      three: text('C.', { required: true, unless: 'one' }),
      four: text('D.', { required: true, unless: ['one', 'two'] }),
    };
    const { page } = pageOf(sample('delete', args, { rules: [oneOf('one', 'two')] }));
    expect(page?.text).toContain('A. One of `b`. May be typed without its name. Specific to aisec.');
    expect(page?.text).toContain(
      '| `two` | text | yes |  | A. Known values: `b`; others are sent as typed. The text `null` clears it. ' +
        'Secret: it may be given as `@env:NAME` or `@file:PATH`. |',
    );
    expect(page?.text).toContain(
      '| `three` | text | yes |  | C. A terminal and the library need it only where `one` is not given. |',
    );
    expect(page?.text).toContain(
      '| `four` | text | yes |  | D. A terminal and the library need it only where `one` or `two` is not given. |',
    );
    expect(page?.text).toContain('- One of one or two is required.');
    expect(page?.text).toContain('Do the thing. Deletes something at the service.');
  });
});

describe('files generated from the declarations', () => {
  test('equal the files on disk', async () => {
    expectNone(
      drifted(ROOT, await generated(ROOT, loadCommands), REFERENCE),
      'files that have drifted: run npm run generate',
    );
  });

  describe('in a separate project', () => {
    let root = '';
    const first = sample('read');
    const second = sample(
      'create',
      {},
      {
        name: 'aisec-thing-make-with-quite-a-long-name-that-needs-a-line-of-its-own-even-for-a-short-loader-of-that-declaration',
      },
    );
    const exports: Record<string, Record<string, unknown>> = {
      'runtime/things.ts': { alpha: second, helper: () => 1, zulu: first },
      'model-security/models.ts': { get: sample('read', {}, { name: 'aisec-modelsec-models-get' }) },
      'runtime/helper.ts': { shared: 1 },
    };
    const load = async (file: string) => exports[file] ?? {};
    const quietly = async (args: readonly string[]) => {
      const lines: string[] = [];
      const { log, error } = console;
      console.log = console.error = (line: string) => lines.push(line);
      try {
        return { code: await main(root, load, args), text: lines.join('\n') };
      } finally {
        Object.assign(console, { log, error });
      }
    };

    beforeEach(() => {
      root = temporaryFolder('generate');
      for (const folder of ['runtime', 'model-security'])
        mkdirSync(join(root, 'commands', folder), { recursive: true });
      writeFileSync(join(root, 'package.json'), '{ "version": "1.2.3" }');
      for (const file of Object.keys(exports)) writeFileSync(join(root, 'commands', file), '');
      const source = 'export const zulu = command(...);\nexport const alpha = command(...);\n';
      writeFileSync(join(root, 'commands/runtime/things.ts'), source);
    });

    test('lists commands by plane, file and place in the file', async () => {
      write(root, await generated(root, load), REFERENCE);
      const index = readFileSync(join(root, 'commands/index.ts'), 'utf8').split('\n').slice(3);
      expect(index).toEqual([
        "const runtimeThings = () => import('./runtime/things.ts');",
        "const modelSecurityModels = () => import('./model-security/models.ts');",
        '',
        'export const registry: Registry = {',
        "  'aisec-thing-do': () => runtimeThings().then((file) => file.zulu),",
        "  'aisec-thing-make-with-quite-a-long-name-that-needs-a-line-of-its-own-even-for-a-short-loader-of-that-declaration': () =>",
        '    runtimeThings().then((file) => file.alpha),',
        "  'aisec-modelsec-models-get': () => modelSecurityModels().then((file) => file.get),",
        '};',
        '',
      ]);
    });

    test('fail the check if a file is changed, missing or left over, and the check names the file', async () => {
      expect((await quietly([])).code).toBe(0);
      expect(await quietly(['--check'])).toEqual({ code: 0, text: '' });
      writeFileSync(join(root, 'integration.yml'), 'changed');
      rmSync(join(root, 'docs/commands/README.md'));
      writeFileSync(join(root, 'docs/commands/gone.md'), '');
      const { code, text: report } = await quietly(['--check']);
      expect(code).toBe(1);
      expect(report.split('\n').slice(1).sort()).toEqual([
        'docs/commands/README.md',
        'docs/commands/gone.md',
        'integration.yml',
      ]);
      expect(readFileSync(join(root, 'integration.yml'), 'utf8')).toBe('changed');
      expect((await quietly([])).code).toBe(0);
      expect((await quietly(['--check'])).code).toBe(0);
    });
  });
});

const names = Object.keys(DOCUMENT_SCHEMAS);

describe.each(names)('the schema of a %s file', (name) => {
  const path = `catalogue/${name}.schema.json`;
  const schema = JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

  test('is valid, has only standard keywords, and describes every member', () => {
    new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
    const bare: string[] = [];
    const visit = (value: Record<string, unknown>, at: string) => {
      if (typeof value['description'] !== 'string') bare.push(at);
      for (const [member, inner] of Object.entries((value['properties'] ?? {}) as Record<string, never>))
        visit(inner, `${at}.${member}`);
    };
    visit(schema, name);
    expect(bare).toEqual([]);
  });

  test('is in the package, and can be imported by its name', () => {
    const { exports, files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(files).toContain(path);
    expect(exports[`./${name}.schema.json`]).toBe(`./${path}`);
  });
});
