import { readFileSync } from 'node:fs';
import { createContext, Script } from 'node:vm';
import { unzipSync } from 'fflate';
import { parse } from 'yaml';
import { registry } from '../../../commands/index.ts';
import { LINE_SECRETS } from '../../../fixtures/lines/index.ts';
import { isObject, type JsonObject, objectOf, objectsOf } from '../../../lib/core/json.ts';
import { type Manifest, manifestText } from '../../../lib/manifest/integration.ts';
import { readPlaybookDocument } from '../../../lib/playbook/read-playbook.ts';
import { contentFiles } from '../../../scripts/pack/content.ts';
import { examplesOf } from '../../../scripts/pack/examples.ts';
import { packFiles, zipped } from '../../../scripts/pack/files.ts';
import { packSources } from '../../../scripts/pack/sources.ts';
import { withScript } from '../../../scripts/platform-bundle/product.ts';
import { integrationFaults } from '../../contract/integration-schema.ts';
import { expectNone } from '../../support/expect-none.ts';
import { playbookFaults } from './playbook-schema.ts';
import { rehearse } from './rehearsal.ts';

const ROOT = new URL('../../..', import.meta.url).pathname.replace(/\/$/, '');
const STEMS = [
  'Admit_Model',
  'Bulk-Scan_File',
  'Health_Check',
  'Nightly_Red_Team',
  'Rotate_Runtime_Key',
  'Scan_Prompt',
].map((name) => `AiSec_-_${name}`);
const TOP = 'Packs/AiSec';
const ITEM = `${TOP}/Integrations/AiSec`;
const REFERENCE = `${TOP}/doc_files/AiSec_commands.md`;
const { playbooks, items, metadata } = packSources(ROOT);
const yamlOf = (text: string | undefined): unknown => parse(text ?? '', { version: '1.1' });

let built: Awaited<ReturnType<typeof withScript>>;
let examples: Awaited<ReturnType<typeof examplesOf>>;
let upload: ReadonlyMap<string, string>;
let content: ReadonlyMap<string, string | Uint8Array>;
const textOf = (path: string) => Buffer.from(content.get(path) ?? '').toString('utf8');

beforeAll(async () => {
  built = await withScript(ROOT, 'return 1;\n');
  upload = packFiles(ROOT, built);
  examples = await examplesOf();
  content = contentFiles(ROOT, built.manifest, examples);
});

describe('the pack for upload', () => {
  test('contains metadata, README, integration and playbooks, and no release notes in its first version', () => {
    const unpacked = Object.entries(unzipSync(zipped(upload)));
    expect(unpacked.map(([path]) => path)).toEqual([
      'metadata.json',
      'pack_metadata.json',
      'README.md',
      'Integrations/integration-AiSec.yml',
      'Scripts/script-AiSecQuotaWidget.yml',
      ...STEMS.map((stem) => `Playbooks/playbook-${stem}.yml`),
      ...items.map(({ folder, file }) => `${folder}/${file}`),
    ]);
    expect(unpacked.map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')])).toEqual([...upload]);
  });

  test('lists its contents in its metadata, under its version', () => {
    const { commands } = built.manifest.script;
    const listed: unknown = JSON.parse(upload.get('metadata.json') ?? '');
    expect(listed).toMatchObject({
      id: 'AiSec',
      currentVersion: '1.0.0',
      contentItems: {
        integration: [{ id: 'AiSec', commands: commands.map(({ name }) => expect.objectContaining({ name })) }],
        playbook: playbooks.map(({ document }) => expect.objectContaining({ id: document['id'], toversion: '' })),
      },
    });
    expect(isObject(listed) && listed['contentItems']).toHaveProperty('playbook.length', STEMS.length);
  });
});

/** The keys in the platform's strict model of `pack_metadata.json` that public packs use. */
const METADATA_KEYS =
  `name description support currentVersion author url email created categories tags useCases keywords
  dependencies marketplaces serverMinVersion supportedModules githubUser devEmail videos hidden deprecated`.split(
    /\s+/,
  );

describe('the layout of a content repository', () => {
  test('has exactly the files that the tools of the platform expect', () => {
    const files = ['pack_metadata.json', 'README.md', '.secrets-ignore', '.pack-ignore'].map(
      (name) => `${TOP}/${name}`,
    );
    const item = ['AiSec.yml', 'AiSec.js', 'AiSec_description.md', 'AiSec_image.png', 'README.md'];
    const each = STEMS.flatMap((stem) => [
      `${TOP}/Playbooks/playbook-${stem}.yml`,
      `${TOP}/Playbooks/playbook-${stem}_README.md`,
    ]);
    const script = ['AiSecQuotaWidget.yml', 'AiSecQuotaWidget.js', 'README.md'];
    expect([...content.keys()]).toEqual([
      ...files,
      ...item.map((name) => `${ITEM}/${name}`),
      REFERENCE,
      ...script.map((name) => `${TOP}/Scripts/AiSecQuotaWidget/${name}`),
      ...each,
      `${TOP}/TestPlaybooks/playbook-AiSec-Test.yml`,
      ...items.map(({ folder, file }) => `${TOP}/${folder}/${file}`),
    ]);
  });

  test('equals the upload file byte for byte after unification', () => {
    const source = yamlOf(textOf(`${ITEM}/AiSec.yml`)) as Manifest;
    expect(source.script.script).toBe('-');
    const unified: Manifest = {
      ...source,
      script: { ...source.script, script: textOf(`${ITEM}/AiSec.js`) },
      image: `data:image/png;base64,${Buffer.from(content.get(`${ITEM}/AiSec_image.png`) ?? '').toString('base64')}`,
      detaileddescription: textOf(`${ITEM}/AiSec_description.md`),
    };
    const text = upload.get('Integrations/integration-AiSec.yml') ?? '';
    expect(Buffer.compare(Buffer.from(manifestText(unified)), Buffer.from(text))).toBe(0);
    expect(text.length).toBeGreaterThan(200_000);
  });

  test('has the playbooks and the metadata of the upload unchanged', () => {
    for (const stem of STEMS) {
      const path = `Playbooks/playbook-${stem}.yml`;
      expect(textOf(`${TOP}/${path}`)).toBe(upload.get(path));
    }
    expect(textOf(`${TOP}/pack_metadata.json`)).toBe(upload.get('pack_metadata.json'));
    expect(textOf(`${TOP}/README.md`)).toBe(upload.get('README.md'));
  });

  test('has only keys that the strict models accept, in either layout', () => {
    expectNone(integrationFaults(yamlOf(textOf(`${ITEM}/AiSec.yml`))), 'faults of AiSec.yml');
    expectNone(
      integrationFaults(yamlOf(upload.get('Integrations/integration-AiSec.yml'))),
      'faults of the upload file',
    );
    for (const { source, stem } of playbooks) expectNone(playbookFaults(yamlOf(source)), `faults of ${stem}`);
    expectNone(
      Object.keys(metadata).filter((key) => !METADATA_KEYS.includes(key)),
      'keys of pack_metadata.json',
    );
  });

  test('exempts each playbook only from the rule against a fixed instance', () => {
    const excused = textOf(`${TOP}/.pack-ignore`).trim().split(/\n\n/);
    expect(excused).toEqual(STEMS.map((stem) => `[file:playbook-${stem}.yml]\nignore=PB106`));
  });

  test('lists every address of the yml for the secrets detector, so that it reports no false leak', () => {
    const addresses = textOf(`${ITEM}/AiSec.yml`).match(/(?:defaultvalue:|^ +-) (https:\/\/\S+)$/gm) ?? [];
    expect(addresses.length).toBeGreaterThan(4);
    const listed = textOf(`${TOP}/.secrets-ignore`).trim().split('\n');
    expectNone(
      addresses.map((line) => line.replace(/^.*(https:.*)$/, '$1')).filter((address) => !listed.includes(address)),
      'addresses that are not listed',
    );
  });
});

describe('README.md of the integration, and its reference', () => {
  // As the platform's validators read it: from the base command to the next heading, the first cells are the paths.
  const pathsOf = (readme: string, name: string) => {
    const section = readme.split(`#### Base Command\n\n\`${name}\`\n`)[1]?.split('\n### ')[0] ?? '';
    const rows = section.split('| **Path** | **Type** | **Description** |')[1] ?? '';
    return Array.from(rows.matchAll(/^\| *(\S.*?\S) *\| *[^|]* *\| *[^|]* *\|$/gm), ([, path]) => path).filter(
      (path) => path !== '---',
    );
  };

  test('has every command, with the outputs of the yml and the visible arguments', () => {
    const readme = textOf(REFERENCE);
    const faults = built.manifest.script.commands.flatMap(({ name, arguments: args, outputs }) => {
      const listed = pathsOf(readme, name).join();
      const section = readme.split(`\n### ${name}\n`)[1]?.split('\n### ')[0] ?? '';
      const missing = args.filter(
        (argument) => section.includes(`\n| ${argument.name} | `) === (argument.hidden === true),
      );
      return [
        ...(listed === outputs.map(({ contextPath }) => contextPath).join() ? [] : [`${name}: outputs ${listed}`]),
        ...missing.map((argument) => `${name}: argument ${argument.name}`),
      ];
    });
    expectNone(faults, 'commands whose README differs from the yml');
  });

  test('has an example of every command, with context and output, and without a secret', () => {
    const readme = textOf(REFERENCE);
    const missing = built.manifest.script.commands.flatMap(({ name, outputs }) => {
      const section = readme.split(`\n### ${name}\n`)[1]?.split('\n### ')[0] ?? '';
      const parts = ['#### Command example', `!${name}`, '#### Human Readable Output'];
      return [...parts, ...(outputs.length > 0 ? ['#### Context Example'] : [])].filter(
        (part) => !section.includes(part),
      );
    });
    expectNone(missing, 'parts of examples');
    expect(readme).not.toContain('SIMULATED');
    expectNone(
      LINE_SECRETS.filter((secret) =>
        [...examples.values()].some(({ context, readable }) => `${context}${readable}`.includes(secret)),
      ),
      'secrets in examples',
    );
  });
});

describe.each(playbooks.map(({ stem, document }) => ({ stem, document })))('$stem', ({ stem, document }) => {
  const readme = () => textOf(`${TOP}/Playbooks/playbook-${stem}_README.md`);

  test('has every input, output and command in its README', () => {
    const scripts = JSON.stringify(document['tasks']).match(/aisec-[a-z-]+/g) ?? [];
    const others = JSON.stringify(document['tasks']).match(/(?<=scriptName":")\w+/g) ?? [];
    const wanted = [
      ...objectsOf(document['inputs']).map(({ key }) => `\n| ${String(key)} | `),
      ...objectsOf(document['outputs']).map(({ contextPath }) => `\n| ${String(contextPath)} | `),
      ...[...scripts, ...others, 'send-mail'].map((command) => `\n* ${command}\n`),
    ];
    expectNone(
      wanted.filter((part) => !readme().includes(part)),
      `what the README of ${stem} leaves out`,
    );
  });
});

const of = (folder: string) => items.filter((item) => item.folder === folder).map(({ document }) => document);
const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');

/** The keys in the platform's strict models that the pack uses. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  IncidentTypes:
    words(`id name version color layout playbookId days daysR hours hoursR weeks weeksR autorun default disabled locked
    readonly system reputationCalc fromVersion`),
  IncidentFields:
    words(`id name cliName version type description group sla threshold unsearchable useAsKpi associatedToAll
    associatedTypes caseInsensitive closeForm content editForm hidden isReadOnly locked neverSetAsRequired ownerOnly required system
    unmapped fromVersion`),
  Classifiers: words(
    'id name version type description defaultIncidentType feed keyTypeMap transformer mapping fromVersion',
  ),
  Layouts: words('id name version group system description detailsV2 fromVersion'),
  Widgets: words('id name version description dataType widgetType query isPredefined dateRange params fromVersion'),
  Dashboards: words(
    'id name version description isPredefined fromDate toDate fromDateLicense period layout fromVersion',
  ),
};

describe('the content for incidents', () => {
  test('has only keys that the strict models accept', () => {
    const faults = items.flatMap(({ folder, file, document }) =>
      Object.keys(document)
        .filter((key) => !(KEYS[folder] ?? []).includes(key))
        .map((key) => `${file}: ${key}`),
    );
    expectNone(faults, 'keys that are not known');
    expect(new Set(items.map(({ folder }) => folder))).toEqual(new Set(Object.keys(KEYS)));
  });

  test('has unique files, names and ids, from version 6.10.0', () => {
    const files = items.map(({ folder, file }) => `${folder}/${file}`);
    expect(new Set(files).size).toBe(files.length);
    for (const { folder, document } of items) {
      expect(document).toMatchObject({ version: -1, fromVersion: '6.10.0', name: expect.stringMatching(/^AiSec/) });
      expect(`${folder} ${String(document['description'] ?? 'Has none.')}`).toMatch(/\.$/);
    }
  });

  test('has the names as ids, and dates in the dashboard, as the validators of packs require', () => {
    const named = ['Classifiers', 'Layouts', 'IncidentTypes', 'Dashboards'].flatMap(of);
    expectNone(
      named.filter(({ id, name }) => id !== name).map(({ id }) => id),
      'ids that are not the name',
    );
    for (const dashboard of of('Dashboards'))
      for (const date of ['fromDate', 'toDate', 'fromDateLicense']) expect(dashboard[date]).toEqual(expect.any(String));
  });

  test('gives every type an existing layout, and fields that the layout shows', () => {
    const [layout = {}] = of('Layouts');
    const shown: string[] = JSON.stringify(layout).match(/(?<="fieldId":")[a-z]+/g) ?? [];
    for (const type of of('IncidentTypes')) expect(type['layout']).toBe(layout['id']);
    expectNone(
      of('IncidentFields').filter(({ cliName }) => !shown.includes(String(cliName))),
      'fields that the layout leaves out',
    );
  });

  test('classifies into existing types, and maps to fields of that type', () => {
    const [classifier = {}, mapper = {}] = of('Classifiers');
    const types = of('IncidentTypes').map(({ name }) => name);
    expect(Object.values(objectOf(classifier['keyTypeMap'])).sort()).toEqual([...types].sort());
    expect(Object.keys(objectOf(mapper['mapping'])).sort()).toEqual([...types].sort());
    for (const [type, mapping] of Object.entries(objectOf(mapper['mapping']))) {
      const fields = of('IncidentFields').filter(({ associatedTypes }) =>
        JSON.stringify(associatedTypes).includes(type),
      );
      const mapped = Object.keys(objectOf(objectOf(mapping)['internalMapping']));
      expect(mapped.sort()).toEqual(fields.map(({ name }) => String(name)).sort());
    }
  });

  test('has a dashboard with its widgets side by side, with existing types, fields and scripts', () => {
    const [dashboard = {}] = of('Dashboards');
    const widgets = of('Widgets');
    const places = objectsOf(dashboard['layout']);
    expect(places.map(({ widget }) => objectOf(widget)['id'])).toEqual(widgets.map(({ id }) => id));
    const types = of('IncidentTypes').map(({ name }) => String(name));
    const fields = of('IncidentFields').map(({ cliName }) => String(cliName));
    const scripts = packSources(ROOT).scripts.map(({ name }) => name);
    for (const { query, dataType, params } of widgets) {
      const asked = Array.from(String(query).matchAll(/type:"([^"]+)"/g), ([, type]) => type);
      if (dataType === 'scripts') expect(scripts).toContain(query);
      else expect(asked.length).toBeGreaterThan(0);
      expectNone(
        asked.filter((type) => !types.includes(String(type))),
        'types that are not there',
      );
      const named = JSON.stringify(params).match(/aisec[a-z]+/g) ?? [];
      expectNone(
        named.filter((name) => !fields.includes(name)),
        'fields that are not there',
      );
    }
  });
});

describe('the widget of the quota', () => {
  const [script] = packSources(ROOT).scripts;
  const widget = (entry: JsonObject): unknown => {
    const globals = { executeCommand: () => [entry], entryTypes: { error: 4 } };
    return new Script(`(function () {${script?.code}\n})()`).runInContext(createContext(globals));
  };

  test('shows the remaining credits of each limited type', () => {
    const Contents = {
      static: { allocated: 50, consumed: 12, unlimited: false },
      dynamic: { allocated: 5, consumed: 7, unlimited: false },
      custom: { unlimited: true },
    };
    expect(JSON.parse(String(widget({ Type: 1, Contents })))).toEqual([
      { name: 'static', data: [38] },
      { name: 'dynamic', data: [0] },
    ]);
  });

  test('fails with the error of the command', () => {
    expect(() => widget({ Type: 4, Contents: 'not configured' })).toThrow('not configured');
  });
});

describe('the test playbook', () => {
  const document = async () => {
    const [playbook] = packSources(ROOT).testPlaybooks;
    return (await readPlaybookDocument(playbook?.source ?? '', 'test')).value;
  };

  test('passes on a valid tenant, and changes nothing', async () => {
    const { failed, room } = await rehearse(await document());
    expect(failed).toBeUndefined();
    const changes = room.requests.filter(({ method, url }) => method !== 'GET' && !/oauth2|\/v1\/scan\//.test(url));
    expectNone(changes, 'requests that change something');
  });

  test.each([
    {
      rewrites: [['"ai_profiles":', '"ai_profiles":[],"others":']] as const,
      message: 'No security profile was listed.',
    },
    { rewrites: [['"action":"allow"', '"action":"block"']] as const, message: 'The harmless prompt was not allowed.' },
    { rewrites: [['"action":"block"', '"action":"allow"']] as const, message: 'The injection was not blocked.' },
  ])('fails if the tenant or a verdict is wrong: $message', async ({ rewrites, message }) => {
    const { failed } = await rehearse(await document(), {}, { rewrites });
    expect(failed?.error?.message).toBe(message);
  });
});

const PAGE = readFileSync(new URL('../../../docs/moving.md', import.meta.url), 'utf8');

/** The rows in the table of command names: prefix there, prefix here, and the part after both. */
function names(): { there: string; here: string }[] {
  const rows = Array.from(PAGE.matchAll(/^\| `(prisma-airs-[a-z-]*)` \| `(aisec-[a-z-]*)` \| (.*) \|$/gm));
  return rows.flatMap(([, there = '', here = '', rest = '']) =>
    Array.from(rest.matchAll(/`([a-z-]+)`/g), ([, end = '']) => ({ there: there + end, here: here + end })),
  );
}

describe('docs/moving.md', () => {
  test('has each command once, with its name in the public pack', () => {
    expect(
      names()
        .map(({ here }) => here)
        .sort(),
    ).toEqual(Object.keys(registry).sort());
    for (const { there, here } of names()) expect(there.replace(/^prisma-airs-/, 'aisec-')).toBe(here);
  });

  test('names only existing commands and context paths', async () => {
    const paths = new Set<string>();
    for (const load of Object.values(registry)) {
      const { output, job } = await load();
      for (const record of [output.record, job?.output.record]) {
        for (const field of Object.keys(record?.fields ?? {})) paths.add(field);
      }
    }
    const [, context = ''] = /## Context\n([\s\S]*?)\n## Values/.exec(PAGE) ?? [];
    const renamed = Array.from(context.matchAll(/^\|[^|]*\| ((?:`[a-z_]+`(?:, )?)+) \|$/gm), ([, cells = '']) => cells);
    const fields = renamed.flatMap((cells) => cells.match(/[a-z_]+/g) ?? []);
    expect(fields.length).toBeGreaterThan(6);
    expectNone(
      fields.filter((field) => !paths.has(field)),
      'fields that no command writes',
    );
  });
});
