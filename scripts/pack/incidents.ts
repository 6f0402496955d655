/** Creates the platform's content for incidents from the tables in `assets/incidents.yml`. */
import type { JsonObject } from '../../lib/core/json.ts';

/** The tables; the other members are document templates. */
export interface IncidentTables {
  readonly classifier: JsonObject & { readonly keyTypeMap: Readonly<Record<string, string>> };
  readonly colors: Readonly<Record<string, string>>;
  readonly fields: readonly Field[];
  readonly widgets: readonly Widget[];
  readonly tabs: readonly JsonObject[];
  readonly type: JsonObject;
  readonly field: JsonObject;
  readonly mapper: JsonObject;
  readonly layout: JsonObject;
  readonly widget: JsonObject;
  readonly dashboard: JsonObject;
}

interface Field {
  readonly kind?: string;
  readonly name: string;
  readonly type: string;
  readonly from: string;
  readonly description: string;
}

type Widget = JsonObject & {
  readonly name: string;
  readonly place: readonly [x: number, y: number, w: number, h: number];
};

/** One content item. */
export interface ContentItem {
  /** Folder in the pack. */
  readonly folder: string;
  readonly file: string;
  /** Name of the item's kind in an upload's metadata, and the title of that kind. */
  readonly key: string;
  readonly title: string;
  readonly document: JsonObject;
}

/** Creates all items. */
export function incidentItems(tables: IncidentTables): readonly ContentItem[] {
  const { classifier, colors, fields, widgets } = tables;
  const types = Object.entries(classifier.keyTypeMap);
  const mapper = item('Classifiers', 'classifier', 'Classifiers', mapperOf(tables));
  return [
    ...types.map(([kind, name]) =>
      item('IncidentTypes', 'incidenttype', 'Incident Types', { ...tables.type, id: name, name, color: colors[kind] }),
    ),
    ...fields.map((field) => item('IncidentFields', 'incidentfield', 'Incident Fields', fieldOf(field, tables))),
    item('Classifiers', 'classifier', 'Classifiers', classifier),
    { ...mapper, file: 'classifier-mapper-incoming-AiSec.json' },
    item('Layouts', 'layoutscontainer', 'Layouts', layoutOf(tables)),
    ...widgets.map((widget) => item('Widgets', 'widget', 'Widgets', widgetOf(widget, tables))),
    item('Dashboards', 'dashboard', 'Dashboards', dashboardOf(tables)),
  ];
}

function item(folder: string, key: string, title: string, document: JsonObject): ContentItem {
  const stem = String(document['name']).replace(/\s+/g, '_');
  return { folder, file: `${key}-${stem}.json`, key, title, document };
}

/** Returns the name of a field in queries. */
function cliNameOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function fieldOf({ kind, name, type, description }: Field, { field, classifier }: IncidentTables): JsonObject {
  const cliName = cliNameOf(name);
  const types = Object.entries(classifier.keyTypeMap).filter(([each]) => kind === undefined || kind === each);
  return {
    ...field,
    ...{ id: `incident_${cliName}`, name, cliName, type, description },
    unsearchable: type === 'longText',
    associatedTypes: types.map(([, title]) => title),
  };
}

function mapperOf({ mapper, classifier, fields }: IncidentTables): JsonObject {
  const mapping = Object.entries(classifier.keyTypeMap).map(([kind, type]) => {
    const own = fields.filter((field) => field.kind === undefined || field.kind === kind);
    const internalMapping: JsonObject = Object.fromEntries(
      own.map(({ name, from }) => [name, { complex: null, simple: from }]),
    );
    return [type, { dontMapEventToLabels: true, internalMapping }];
  });
  return { ...mapper, mapping: Object.fromEntries(mapping) };
}

const BUILT_IN = ['type', 'severity', 'owner', 'occurred', 'sourceinstance', 'playbookid'];

function layoutOf({ layout, fields, tabs }: IncidentTables): JsonObject {
  const own = fields.map(({ name }) => cliNameOf(name));
  const sections = [section('aisec-case', 'Case Details', BUILT_IN, 0), section('aisec-details', 'AiSec', own, 1)];
  const first = { id: 'aisec', name: 'Incident Info', type: 'custom', sections };
  return { ...layout, detailsV2: { tabs: [first, ...tabs] } };
}

function section(id: string, name: string, fields: readonly string[], column: number): JsonObject {
  return {
    i: id,
    name,
    displayType: 'ROW',
    hideName: false,
    moved: false,
    static: false,
    x: column,
    y: 0,
    w: column === 0 ? 1 : 2,
    h: Math.max(2, Math.ceil(fields.length / 3)),
    minH: 1,
    maxW: 3,
    items: fields.map((fieldId, index) => ({
      id: `${id}-${fieldId}`,
      fieldId,
      index,
      startCol: 0,
      endCol: column === 0 ? 2 : 4,
      height: 22,
      sectionItemType: 'field',
    })),
  };
}

function widgetOf({ place: _, ...own }: Widget, { widget }: IncidentTables): JsonObject {
  return { ...widget, ...own, id: cliNameOf(own.name) };
}

function dashboardOf(tables: IncidentTables): JsonObject {
  const layout = tables.widgets.map((each) => {
    const [x, y, w, h] = each.place;
    const { fromVersion: _, ...widget } = widgetOf(each, tables);
    const id = cliNameOf(each.name);
    return { id, i: id, forceRange: false, x, y, w, h, widget };
  });
  return { ...tables.dashboard, layout };
}
