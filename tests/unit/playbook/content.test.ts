/** The platform's content for incidents: its form, and that its parts fit together. */
import { createContext, Script } from 'node:vm';
import { type JsonObject, objectOf, objectsOf } from '../../../lib/core/json.ts';
import { readPlaybookDocument } from '../../../lib/playbook/read-playbook.ts';
import { packSources } from '../../../scripts/pack/sources.ts';
import { expectNone } from '../../support/expect-none.ts';
import { rehearse } from './rehearsal.ts';

const ROOT = new URL('../../..', import.meta.url).pathname.replace(/\/$/, '');
const { items } = packSources(ROOT);
const of = (folder: string) => items.filter((item) => item.folder === folder).map(({ document }) => document);
const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');

/** The keys of the platform's strict models, as far as the pack uses them. */
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

  test('has a dashboard of its widgets side by side, with existing types, fields and scripts', () => {
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
    const cells = places.flatMap(({ x, y, w, h }) =>
      Array.from(
        { length: Number(w) * Number(h) },
        (_, at) => `${Number(x) + (at % Number(w))},${Number(y) + Math.floor(at / Number(w))}`,
      ),
    );
    expect(new Set(cells).size).toBe(cells.length);
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
