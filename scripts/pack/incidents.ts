/**
 * The platform's content for incidents: types, fields, classifier, mapper, layout, widgets and dashboard. One table of kinds and
 * one of fields; everything else follows from them.
 */
import type { JsonObject } from '../../lib/core/json.ts';
import { INTEGRATION } from '../../lib/manifest/integration.ts';

const FROM = '6.10.0';
const LAYOUT = 'AiSec Incident';

/** Kinds of incidents, by the member `aisec_kind` of the raw incident. */
const KINDS = {
  red_team_scan: { type: 'AiSec Red-Team Scan', color: '#c0392b' },
  model_scan: { type: 'AiSec Model Scan', color: '#8e44ad' },
  key_expiry: { type: 'AiSec Key Expiry', color: '#d68910' },
  violation: { type: 'AiSec Violation', color: '#2471a3' },
} as const;

type Kind = keyof typeof KINDS;
const ALL = Object.keys(KINDS) as Kind[];

interface Field {
  readonly name: string;
  readonly type: 'shortText' | 'longText' | 'number' | 'date';
  readonly description: string;
  /** Path in the raw incident. */
  readonly from: string;
  readonly kinds: readonly Kind[];
}

const FIELDS: readonly Field[] = [
  field('AiSec ID', 'shortText', 'Identifies the incident within its kind.', 'aisec_id', ALL),
  field('AiSec Summary', 'longText', 'What happened, as a sentence.', 'aisec_summary', ALL),
  field('AiSec Target', 'shortText', 'Name of the target that was attacked.', 'target_name', ['red_team_scan']),
  field('AiSec Success Rate', 'number', 'Attack success rate, in percent.', 'asr', ['red_team_scan']),
  field('AiSec Risk Score', 'number', 'Risk score, from 0 to 100.', 'score', ['red_team_scan']),
  field('AiSec Model', 'shortText', 'Address or path of the model.', 'model_uri', ['model_scan']),
  field('AiSec Outcome', 'shortText', 'Outcome of the model scan.', 'eval_outcome', ['model_scan']),
  field('AiSec Security Group', 'shortText', 'Security group whose rules decided.', 'security_group_name', [
    'model_scan',
  ]),
  field('AiSec Key Name', 'shortText', 'Name of the runtime API key.', 'name', ['key_expiry']),
  field('AiSec Expiration Date', 'date', 'When the runtime API key expires.', 'expires_at', ['key_expiry']),
  field('AiSec Application', 'shortText', 'Application of the prompt or response.', 'app_name', ['violation']),
  field('AiSec Detection Type', 'shortText', 'Detector that found the violation.', 'detection_type', ['violation']),
  field('AiSec Prompt', 'longText', 'The prompt.', 'scan_content.scan_contents.prompt', ['violation']),
  field('AiSec Response', 'longText', 'The response.', 'scan_content.scan_contents.response', ['violation']),
];

function field(name: string, type: Field['type'], description: string, from: string, kinds: readonly Kind[]): Field {
  return { name, type, description, from, kinds };
}

/** One item of content. */
export interface ContentItem {
  /** Folder in the pack. */
  readonly folder: string;
  readonly file: string;
  /** Name of its kind in the metadata of an upload, and the title of that kind. */
  readonly key: string;
  readonly title: string;
  readonly document: JsonObject;
}

/** Creates all items. */
export function incidentItems(): readonly ContentItem[] {
  const { classifier, mapper, layout, dashboard, widgets } = {
    classifier: classifierOf(),
    mapper: mapperOf(),
    layout: layoutOf(),
    dashboard: dashboardOf(),
    widgets: WIDGETS.map(widgetOf),
  };
  return [
    ...ALL.map((kind) => item('IncidentTypes', 'incidenttype', 'Incident Types', typeOf(kind))),
    ...FIELDS.map((each) => item('IncidentFields', 'incidentfield', 'Incident Fields', fieldOf(each))),
    item('Classifiers', 'classifier', 'Classifiers', classifier),
    { ...item('Classifiers', 'classifier', 'Classifiers', mapper), file: 'classifier-mapper-incoming-AiSec.json' },
    item('Layouts', 'layoutscontainer', 'Layouts', layout),
    ...widgets.map((widget) => item('Widgets', 'widget', 'Widgets', widget)),
    item('Dashboards', 'dashboard', 'Dashboards', dashboard),
  ];
}

function item(folder: string, key: string, title: string, document: JsonObject): ContentItem {
  const stem = String(document['name']).replace(/\s+/g, '_');
  return { folder, file: `${key}-${stem}.json`, key, title, document };
}

function typeOf(kind: Kind): JsonObject {
  const { type, color } = KINDS[kind];
  const times = { days: 0, daysR: 0, hours: 0, hoursR: 0, weeks: 0, weeksR: 0 };
  const flags = { autorun: false, default: false, disabled: false, locked: false, readonly: false, system: false };
  return {
    id: type,
    name: type,
    version: -1,
    color,
    layout: LAYOUT,
    playbookId: '',
    ...times,
    ...flags,
    reputationCalc: 0,
    fromVersion: FROM,
  };
}

/** Returns the name of a field in queries. */
function cliNameOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function fieldOf({ name, type, description, kinds }: Field): JsonObject {
  const cliName = cliNameOf(name);
  const flags = {
    caseInsensitive: true,
    closeForm: false,
    content: true,
    editForm: true,
    hidden: false,
    isReadOnly: false,
  };
  const more = {
    locked: false,
    neverSetAsRequired: false,
    ownerOnly: false,
    required: false,
    system: false,
    unmapped: false,
  };
  return {
    id: `incident_${cliName}`,
    name,
    cliName,
    version: -1,
    type,
    description,
    group: 0,
    sla: 0,
    threshold: 72,
    unsearchable: type === 'longText',
    useAsKpi: false,
    associatedToAll: false,
    associatedTypes: kinds.map((kind) => KINDS[kind].type),
    ...flags,
    ...more,
    fromVersion: FROM,
  };
}

function classifierOf(): JsonObject {
  return {
    id: INTEGRATION,
    name: INTEGRATION,
    version: -1,
    type: 'classification',
    description: 'Selects the type of an incident.',
    defaultIncidentType: KINDS.violation.type,
    feed: false,
    keyTypeMap: Object.fromEntries(ALL.map((kind) => [kind, KINDS[kind].type])),
    transformer: { complex: null, simple: 'aisec_kind' },
    fromVersion: FROM,
  };
}

function mapperOf(): JsonObject {
  const simple = (path: string) => ({ complex: null, simple: path });
  return {
    id: `${INTEGRATION}-mapper`,
    name: `${INTEGRATION} - Incoming Mapper`,
    version: -1,
    type: 'mapping-incoming',
    description: 'Maps the members of an incident to its fields.',
    feed: false,
    mapping: Object.fromEntries(
      ALL.map((kind) => [
        KINDS[kind].type,
        {
          dontMapEventToLabels: true,
          internalMapping: Object.fromEntries(fieldsOf(kind).map(({ name, from }) => [name, simple(from)])),
        },
      ]),
    ),
    fromVersion: FROM,
  };
}

function fieldsOf(kind: Kind): readonly Field[] {
  return FIELDS.filter(({ kinds }) => kinds.includes(kind));
}

const BUILT_IN = ['type', 'severity', 'owner', 'occurred', 'sourceinstance', 'playbookid'];

function layoutOf(): JsonObject {
  const own = FIELDS.map(({ name }) => cliNameOf(name));
  return {
    id: LAYOUT,
    name: LAYOUT,
    version: -1,
    group: 'incident',
    system: false,
    description: 'One layout for all incidents: a field without a value is not shown.',
    detailsV2: {
      tabs: [
        {
          id: 'aisec',
          name: 'Incident Info',
          type: 'custom',
          sections: [section('aisec-case', 'Case Details', BUILT_IN, 0), section('aisec-details', 'AiSec', own, 1)],
        },
        { id: 'warRoom', name: 'War Room', type: 'warRoom' },
        { id: 'workPlan', name: 'Work Plan', type: 'workPlan' },
        { id: 'evidenceBoard', name: 'Evidence Board', type: 'evidenceBoard' },
        { id: 'relatedIncidents', name: 'Related Incidents', type: 'relatedIncidents' },
      ],
    },
    fromVersion: FROM,
  };
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

interface Widget {
  readonly name: string;
  readonly description: string;
  readonly dataType: 'incidents' | 'scripts';
  readonly widgetType: 'pie' | 'bar' | 'table' | 'line' | 'column';
  readonly query: string;
  readonly params: JsonObject;
  /** Place and size on the dashboard. */
  readonly place: readonly [x: number, y: number, w: number, h: number];
}

const isOf = (kind: Kind) => `type:"${KINDS[kind].type}"`;
const column = (key: string, width: number) => ({ key, width, isDefault: true, displayed: true });

const WIDGETS: readonly Widget[] = [
  {
    name: 'AiSec Verdicts',
    description: 'Blocked prompts, responses and models of the last 30 days, by type and detector.',
    dataType: 'incidents',
    widgetType: 'pie',
    query: `${isOf('violation')} or ${isOf('model_scan')}`,
    params: { groupBy: ['type', cliNameOf('AiSec Detection Type')] },
    place: [0, 0, 4, 3],
  },
  {
    name: 'AiSec Success Rate by Target',
    description: 'Average attack success rate of the red-team scans of the last 30 days, in percent.',
    dataType: 'incidents',
    widgetType: 'column',
    query: isOf('red_team_scan'),
    params: { groupBy: [cliNameOf('AiSec Target')], keys: [`avg|${cliNameOf('AiSec Success Rate')}`] },
    place: [4, 0, 4, 3],
  },
  {
    name: 'AiSec Quota',
    description: 'Remaining red-team scans, by type; unlimited types are not shown.',
    dataType: 'scripts',
    widgetType: 'bar',
    query: 'AiSecQuotaWidget',
    params: {},
    place: [8, 0, 4, 3],
  },
  {
    name: 'AiSec Expiring Keys',
    description: 'Open incidents for runtime API keys that expire soon.',
    dataType: 'incidents',
    widgetType: 'table',
    query: `${isOf('key_expiry')} and -status:closed and -status:archived`,
    params: {
      tableColumns: [
        column('id', 110),
        column(cliNameOf('AiSec Key Name'), 200),
        column(cliNameOf('AiSec Expiration Date'), 200),
        column('severity', 80),
      ],
    },
    place: [0, 3, 6, 3],
  },
  {
    name: 'AiSec Incidents per Day',
    description: 'Incidents of the last 30 days, by type.',
    dataType: 'incidents',
    widgetType: 'line',
    query: ALL.map(isOf).join(' or '),
    params: { groupBy: ['occurred(d)', 'type'], timeFrame: 'days' },
    place: [6, 3, 6, 3],
  },
];

const NEVER = '0001-01-01T00:00:00Z';
const PERIOD = { by: '', byFrom: 'days', byTo: '', field: '', fromValue: 30, toValue: null };

function widgetOf({ name, description, dataType, widgetType, query, params }: Widget): JsonObject {
  return {
    id: cliNameOf(name),
    name,
    version: -1,
    description,
    dataType,
    widgetType,
    query,
    isPredefined: true,
    dateRange: { fromDate: NEVER, toDate: NEVER, period: PERIOD },
    params,
    fromVersion: FROM,
  };
}

function dashboardOf(): JsonObject {
  return {
    id: 'AiSec',
    name: 'AiSec',
    version: -1,
    description: 'Verdicts, success rate by target, quota, and keys that expire.',
    isPredefined: true,
    fromDate: NEVER,
    toDate: NEVER,
    period: PERIOD,
    layout: WIDGETS.map((each) => {
      const [x, y, w, h] = each.place;
      const { fromVersion: _from, ...widget } = widgetOf(each);
      const id = cliNameOf(each.name);
      return { id, i: id, forceRange: false, x, y, w, h, widget };
    }),
    fromVersion: FROM,
  };
}
