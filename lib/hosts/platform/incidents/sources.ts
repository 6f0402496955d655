/** The sources of incidents: how each is listed, and which of its records are incidents. */

import { isObject, type JsonObject, objectOf } from '../../../core/json.ts';
import type { Log } from '../../../core/ports.ts';
import { management } from '../../../runtime/api/call.ts';
import type { Api } from '../../../runtime/api/client.ts';
import { path } from '../../../runtime/api/path.ts';
import type { FetchSettings } from './settings.ts';

/** Severities of the platform. */
export const SEVERITY = { low: 1, medium: 2, high: 3, critical: 4 } as const;

export interface Incident {
  readonly name: string;
  /** ISO time. */
  readonly occurred: string;
  readonly severity: number;
  /** JSON, from which the classifier and the mapper read. */
  readonly rawJSON: string;
}

/** Kinds that the classifier of the pack distinguishes. */
export type IncidentKind = 'red_team_scan' | 'model_scan' | 'key_expiry' | 'violation';

/**
 * Creates an incident.
 * @param id identifies the incident within its kind
 * @param details members of the raw incident
 */
export function incidentOf(
  kind: IncidentKind,
  id: string,
  { name, occurred, severity }: Omit<Incident, 'rawJSON'>,
  details: JsonObject,
): Incident {
  const raw = { ...details, aisec_kind: kind, aisec_id: id, aisec_summary: name };
  return { name, occurred, severity, rawJSON: JSON.stringify(raw) };
}

/** Creates the incident for a record that the client may not read and so cannot judge. */
export function deniedIncident(
  kind: IncidentKind,
  id: string,
  { occurred, message }: { readonly occurred: string; readonly message: string },
  record: JsonObject,
): Incident {
  const name = `AiSec: ${kind.replace(/_/g, ' ')} ${id} cannot be read: ${message}`;
  return incidentOf(kind, id, { name, occurred, severity: SEVERITY.high }, record);
}

export type Records = readonly JsonObject[];

/** The tools of a source. */
export interface SourceTools {
  /** Runs a read-only command. @throws AisecError */
  read(command: string, args: Readonly<Record<string, string>>): Promise<Records>;
  readonly settings: FetchSettings;
  /** The platform's time, in milliseconds since the epoch. */
  readonly now: number;
}

/** `open`: not decided yet. `none`: not an incident. */
export type Judgement = 'open' | 'none' | Incident;

/** A part of a list. */
export interface Window {
  readonly limit: number;
  /** How many of the newest records to skip. */
  readonly skip: number;
}

/** A source whose records have an id and a creation time, the newest first. */
export interface Source {
  readonly kind: IncidentKind;
  list(tools: SourceTools, window: Window): Promise<Records>;
  idOf(record: JsonObject): string;
  createdOf(record: JsonObject): string;
  judge(record: JsonObject, tools: SourceTools): Promise<Judgement>;
  /** Judges an open record. */
  again(id: string, tools: SourceTools): Promise<Judgement>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const uuidOf = ({ uuid }: JsonObject): string => textOf(uuid);
const createdOf = ({ created_at }: JsonObject): string => textOf(created_at);

const textsOf = ({ limit, skip }: Window) => ({ limit: String(limit), skip: String(skip) });

const ENDED: readonly string[] = ['COMPLETED', 'PARTIALLY_COMPLETE'];
const WITHOUT_RESULT: readonly string[] = ['FAILED', 'ABORTED'];
/** The attack success rate from which most attacks succeed. */
const CRITICAL_RATE = 50;

/** Finished red-team scans above the success rate. */
export const redTeamScans: Source = {
  kind: 'red_team_scan',
  list: ({ read }, window) => read('aisec-redteam-scans-list', textsOf(window)),
  idOf: uuidOf,
  createdOf,
  judge: async (record, tools) => {
    const status = textOf(record['status']);
    if (WITHOUT_RESULT.includes(status)) return 'none';
    return ENDED.includes(status) ? redTeamScans.again(uuidOf(record), tools) : 'open';
  },
  again: async (uuid, { read, settings }) => {
    const [scan = {}] = await read('aisec-redteam-scan-get', { job_id: uuid });
    const status = textOf(scan['status']);
    if (WITHOUT_RESULT.includes(status)) return 'none';
    if (!ENDED.includes(status)) return 'open';
    const { asr } = scan;
    const isKnown = typeof asr === 'number';
    if (isKnown && asr <= settings.rate) return 'none';
    const target = textOf(scan['target_name']) || textOf(scan['target_id']);
    const rate = isKnown ? `${asr} % of the attacks succeeded` : 'its success rate is not known';
    return incidentOf(
      'red_team_scan',
      uuid,
      {
        name: `AiSec: red-team scan of ${target}: ${rate}`,
        occurred: firstTime(scan, ['completed_at', 'updated_at', 'created_at']),
        severity: isKnown && asr >= CRITICAL_RATE ? SEVERITY.critical : SEVERITY.high,
      },
      scan,
    );
  },
};

/** Model scans whose outcome is not ALLOWED. */
export const modelScans: Source = {
  kind: 'model_scan',
  list: ({ read }, window) => read('aisec-model-security-scans-list', textsOf(window)),
  idOf: uuidOf,
  createdOf,
  judge: async (record) => {
    const outcome = textOf(record['eval_outcome']);
    if (outcome === 'PENDING' || outcome === '') return 'open';
    if (outcome === 'ALLOWED') return 'none';
    return incidentOf(
      'model_scan',
      uuidOf(record),
      {
        name: `AiSec: model ${textOf(record['model_uri'])}: ${outcome}`,
        occurred: firstTime(record, ['updated_at', 'created_at']),
        severity: outcome === 'BLOCKED' ? SEVERITY.high : SEVERITY.medium,
      },
      record,
    );
  },
  again: async (uuid, tools) => {
    const [scan = {}] = await tools.read('aisec-model-security-scans-get', { uuid });
    return modelScans.judge(scan, tools);
  },
};

const DAY_MS = 86_400_000;
/** A key that expires within this number of days is urgent. */
const URGENT_DAYS = 7;

/** Finds keys that expire within the warning days. @returns incidents by id; a new expiry date changes the id */
export async function keysAboutToExpire({ read, settings, now }: SourceTools): Promise<ReadonlyMap<string, Incident>> {
  const keys = await read('aisec-runtime-api-keys-list', { limit: '10000' });
  const found = new Map<string, Incident>();
  for (const key of keys) {
    const expires = textOf(key['expires_at']);
    const days = Math.floor((epochOf(expires) - now) / DAY_MS);
    if (expires === '' || key['revoked'] === true || days >= settings.keyDays) continue;
    const id = `${textOf(key['id'])} ${expires}`;
    const when = days < 0 ? 'has expired' : `expires on ${expires.slice(0, 10)}`;
    const details = {
      name: `AiSec: runtime API key ${textOf(key['name'])} ${when}`,
      occurred: new Date(now).toISOString(),
      severity: days < URGENT_DAYS ? SEVERITY.high : SEVERITY.medium,
    };
    found.set(id, incidentOf('key_expiry', id, details, key));
  }
  return found;
}

/** Converts a time to milliseconds since the epoch; an invalid time is 0. */
export function epochOf(text: unknown): number {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
}

function firstTime(record: JsonObject, names: readonly string[]): string {
  return names.map((name) => textOf(record[name])).find((text) => text !== '') ?? '';
}

/** The dashboard supports windows of 7, 30 and 60 days. */
const WINDOW = { time_interval: '7', time_unit: 'days' } as const;

/**
 * Creates the source of single runtime violations, from undocumented endpoints that public clients of the service use:
 * `dashboard/v2/violations/list`, `dashboard/v2/violations/threatsnippets` and `reports/scancontent`. Member names are
 * those of sibling endpoints.
 * @param log receives a warning about violations with unreadable text
 */
export function violationsOf(api: Api, log: Log): Source {
  return {
    kind: 'violation',
    list: (_tools, window) => listed(api, window),
    idOf: violationId,
    createdOf: violationTime,
    judge: async (record) => {
      const type = firstText(record, TYPE) || 'violation';
      const app = firstText(record, ['app_name', 'application_name']);
      const severity = firstText(record, ['severity']).toLowerCase();
      const facts = {
        name: `AiSec: ${type}${app === '' ? '' : ` in ${app}`}`,
        occurred: violationTime(record),
        severity: severity in SEVERITY ? SEVERITY[severity as keyof typeof SEVERITY] : SEVERITY.medium,
      };
      return incidentOf('violation', violationId(record), facts, await detailed(api, log, record));
    },
    again: async () => 'none',
  };
}

async function listed(api: Api, { limit, skip }: Window): Promise<Records> {
  const options = { items: 'items', limit, offset: skip, query: WINDOW, paging: 'skip' } as const;
  return (await api.list(management.list(path`/v1/mgmt/dashboard/v2/violations/list`, options))).records;
}

/** Adds a violation's texts; the violation counts even without them. */
async function detailed(api: Api, log: Log, record: JsonObject): Promise<JsonObject> {
  const query = { scan_id: firstText(record, ['scan_id']), scan_sub_req_id: String(record['scan_sub_req_id'] ?? 0) };
  const read = (address: ReturnType<typeof path>) =>
    api.fetch(management.get(address, query)).catch((thrown: unknown) => {
      log.warn('the text of a violation cannot be read', { scan_id: query.scan_id, error: String(thrown) });
      return {};
    });
  const snippets = await read(path`/v1/mgmt/dashboard/v2/violations/threatsnippets`);
  const content = await read(path`/v1/mgmt/reports/scancontent`);
  return { ...record, threat_snippets: itemsIn(snippets), scan_content: objectOf(content) };
}

const TYPE = ['detection_type', 'detector', 'violation_type'];

function violationId(record: JsonObject): string {
  const scan = firstText(record, ['scan_id']);
  return scan === '' ? '' : [scan, String(record['scan_sub_req_id'] ?? 0), firstText(record, TYPE)].join('/');
}

function violationTime(record: JsonObject): string {
  return firstText(record, ['timestamp', 'created_at', 'received_ts']);
}

function firstText(record: JsonObject, names: readonly string[]): string {
  const found = names.map((name) => record[name]).find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string' ? found : '';
}

function itemsIn({ items, ...rest }: JsonObject): unknown {
  return Array.isArray(items) && items.every(isObject) ? items : rest;
}
