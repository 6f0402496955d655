/** The sources of incidents: how each is listed, and which of its records are incidents. */
import type { JsonObject } from '../../../core/json.ts';
import { timeOf } from './cursor.ts';
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

/** Creates the incident of a record that the client may not read, so that it cannot be judged. */
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
  /** Runs a command that reads. @throws AisecError */
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
  /** Judges a record that was open. */
  again(id: string, tools: SourceTools): Promise<Judgement>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const uuidOf = ({ uuid }: JsonObject): string => textOf(uuid);
const createdOf = ({ created_at }: JsonObject): string => textOf(created_at);

const textsOf = ({ limit, skip }: Window) => ({ limit: String(limit), skip: String(skip) });

const ENDED: readonly string[] = ['COMPLETED', 'PARTIALLY_COMPLETE'];
const WITHOUT_RESULT: readonly string[] = ['FAILED', 'ABORTED'];
/** From this rate on, most attacks succeed. */
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

/** Finds keys that expire within the warning days. @returns incidents by an id that a new expiry date changes */
export async function keysAboutToExpire({ read, settings, now }: SourceTools): Promise<ReadonlyMap<string, Incident>> {
  const keys = await read('aisec-runtime-api-keys-list', { limit: '10000' });
  const found = new Map<string, Incident>();
  for (const key of keys) {
    const expires = textOf(key['expires_at']);
    const days = Math.floor((timeOf(expires) - now) / DAY_MS);
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

function firstTime(record: JsonObject, names: readonly string[]): string {
  return names.map((name) => textOf(record[name])).find((text) => text !== '') ?? '';
}
