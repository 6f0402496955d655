/**
 * Single runtime violations, from undocumented addresses that public clients of the service use:
 * `dashboard/v2/violations/list`, `dashboard/v2/violations/threatsnippets` and `reports/scancontent`. Members are read
 * by the names that sibling addresses use.
 */
import { management } from '../../../api/call.ts';
import type { Api } from '../../../api/client.ts';
import { path } from '../../../api/path.ts';
import { isObject, type JsonObject, objectOf } from '../../../core/json.ts';
import type { Log } from '../../../core/ports.ts';
import { incidentOf, type Records, SEVERITY, type Source, type Window } from './sources.ts';

/** The dashboard knows windows of 7, 30 and 60 days. */
const WINDOW = { time_interval: '7', time_unit: 'days' } as const;

/** Creates the source. @param log receives a warning for violations whose text cannot be read */
export function violationsOf(api: Api, log: Log): Source {
  return {
    kind: 'violation',
    list: (_tools, window) => listed(api, window),
    idOf,
    createdOf,
    judge: async (record) => {
      const type = firstText(record, TYPE) || 'violation';
      const app = firstText(record, ['app_name', 'application_name']);
      const severity = firstText(record, ['severity']).toLowerCase();
      const facts = {
        name: `AiSec: ${type}${app === '' ? '' : ` in ${app}`}`,
        occurred: createdOf(record),
        severity: severity in SEVERITY ? SEVERITY[severity as keyof typeof SEVERITY] : SEVERITY.medium,
      };
      return incidentOf('violation', idOf(record), facts, await detailed(api, log, record));
    },
    again: async () => 'none',
  };
}

async function listed(api: Api, { limit, skip }: Window): Promise<Records> {
  const options = { items: 'items', limit, offset: skip, query: WINDOW, paging: 'skip' } as const;
  return (await api.list(management.list(path`/v1/mgmt/dashboard/v2/violations/list`, options))).records;
}

/** Adds the texts of a violation; it counts without them. */
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

function idOf(record: JsonObject): string {
  const scan = firstText(record, ['scan_id']);
  return scan === '' ? '' : [scan, String(record['scan_sub_req_id'] ?? 0), firstText(record, TYPE)].join('/');
}

function createdOf(record: JsonObject): string {
  return firstText(record, ['timestamp', 'created_at', 'received_ts']);
}

function firstText(record: JsonObject, names: readonly string[]): string {
  const found = names.map((name) => record[name]).find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string' ? found : '';
}

function itemsIn({ items, ...rest }: JsonObject): unknown {
  return Array.isArray(items) && items.every(isObject) ? items : rest;
}
