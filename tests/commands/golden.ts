/** Checks every golden: its requests, context value and types, table, credentials and dry run. */
import { isDeepStrictEqual } from 'node:util';
import type { HttpRequest } from '../../lib/core/ports.ts';
import { markdown } from '../../lib/runtime/output/markdown.ts';
import { resolveSettings } from '../../lib/runtime/settings/settings.ts';
import { claimedTest } from '../claimed-test.ts';
import { requirementIds } from '../claims-reporter.mjs';
import type { ContextType } from '../contract/transcription.ts';
import { expectNone } from '../support/expect-none.ts';
import { memoryFiles } from '../support/files.ts';
import { membersAt } from '../support/members.ts';
import { ENVIRONMENT, type Exchange, HOSTS, type Room, scripted, TENANT } from '../support/scripted.ts';
import { scenarios } from '../system/scenarios/ids.ts';
import { declared, type Fields, fieldsOf, type Golden, isFields } from './goldens.ts';

/** Registers a test that claims requirements, scenarios or both. */
export const claimed = claimedTest('claim', new Set([...requirementIds(), ...scenarios.map(({ id }) => id)]));

const lineOf = ({ command, args }: Golden) => `!${command} ${args}`;

const portsOf = ({ files = {} }: Golden) => ({ files: memoryFiles({ ...files }) });

const recordsOf = (value: unknown): Fields[] => [value].flat().filter(isFields);

const COMMON = ['context-exact', 'unknown-response-field', 'invocation-form', 'context-value-types', 'readable-table'];

/** The planes that use a client-credentials token, and what shows that only this token is sent there. */
const TOKEN_PLANES = [
  {
    at: `${HOSTS.management}/ai-red-teaming`,
    claims: ['red-team-connection-parameters', 'red-team-client-credentials', 'red-team-tenant-group-scope'],
  },
  { at: `${HOSTS.management}/aims`, claims: ['model-client-credentials', 'model-tenant-scope'] },
  {
    at: HOSTS.management,
    claims: ['management-client-credentials', 'runtime-key-only-for-scans', 'tenant-group-default-scope'],
  },
  { at: HOSTS.dlp, claims: ['dlp-address', 'dlp-client-credentials'] },
];

const planeOf = ({ script }: Golden) =>
  TOKEN_PLANES.find(({ at }) => script.every(({ request }) => request.includes(` ${at}/`)));

/** Registers the tests of these goldens. */
export function describeGoldens(goldens: readonly Golden[]): void {
  for (const golden of goldens) {
    const { command, what, script, planned } = golden;
    const claims = new Set([...COMMON, ...(planeOf(golden)?.claims ?? []), ...(golden.claims ?? [])]);
    claimed([...claims], `${command} (${what}) sends these requests and leaves this value`, () => play(golden));
    if (planned !== null && script.some(changes)) {
      test(`${command} (${what}): a dry run shows the change and sends only reads`, () => rehearse(golden));
    }
  }
}

async function play(golden: Golden): Promise<void> {
  const { command, key, script, value } = golden;
  const { context, outputs } = declared(command);
  await scripted(script, async (room) => {
    const { writes, readable } = await room.run(lineOf(golden), { ...portsOf(golden), ...settingsOf(golden) });
    expect(writes).toStrictEqual([{ path: context, key, value }]);
    const records = recordsOf(writes[0]?.value);
    if ('' in outputs) return;
    for (const record of records) expectFields(golden, record);
    expectTable(key[0], records, readable);
    expectCredentials(golden, room);
  });
  if (golden.asSent === true || '' in outputs) return;
  const more = script.map((exchange) => ({ ...exchange, answer: withMore(exchange) }));
  await scripted(more, async (room) => {
    expect(await room.value(lineOf(golden), portsOf(golden))).toStrictEqual(value);
  });
}

/** No plane needs another plane's address or key. */
function settingsOf(golden: Golden) {
  const { AISEC_RUNTIME_API_KEY, AISEC_SCANNER_BASE_URL, AISEC_DLP_BASE_URL, ...needed } = ENVIRONMENT;
  return planeOf(golden) === TOKEN_PLANES[0] ? { settings: resolveSettings({ environment: needed }).settings } : {};
}

function expectFields({ command }: Golden, record: Fields): void {
  const contract = declared(command);
  const { outputs, outputExtensions = [] } = contract;
  const own = Object.keys(record).filter((name) => !outputExtensions.includes(name));
  expect(own.sort()).toEqual(fieldsOf(contract).sort());
  const mistyped = Object.entries(outputs).flatMap(([name, type]) =>
    valuesOf(record, name)
      .filter((value) => !isOfType(type, value))
      .map((value) => `${name} is ${JSON.stringify(value)}, expected ${type}`),
  );
  expectNone(mistyped, `fields of another type in ${command}`);
}

function expectTable(key: string | undefined, records: readonly Fields[], readable: Parameters<typeof markdown>[0]) {
  const cells = readable.tables[0]?.rows.flat() ?? [];
  const named = key === undefined ? [] : records.map((record) => String(record[key] ?? ''));
  expectNone(
    named.filter((text) => text !== '' && !cells.includes(text)),
    `values of ${key} that the table leaves out`,
  );
  const table = cells.length === 0 ? /^### .+\n\nNo entries\.\n/ : /^### .+\n\n\|.+\|\n\|(---\|)+\n\|.+\|\n/;
  expect(markdown(readable)).toMatch(table);
}

function expectCredentials(golden: Golden, { requests, tokenRequests }: Room): void {
  if (planeOf(golden) === undefined) return;
  expect(tokenRequests.map(({ body = '' }) => Object.fromEntries(new URLSearchParams(body)))).toEqual([
    {
      grant_type: 'client_credentials',
      client_id: ENVIRONMENT.AISEC_CLIENT_ID,
      client_secret: ENVIRONMENT.AISEC_CLIENT_SECRET,
      scope: `profile tsg_id:${TENANT}`,
    },
  ]);
  for (const request of requests) {
    expect(request.headers).toEqual({
      accept: 'application/json',
      authorization: 'Bearer script-access-token',
      'service-name': 'api',
      ...contentTypeOf(request),
    });
  }
  expect(JSON.stringify([tokenRequests, requests])).not.toContain(ENVIRONMENT.AISEC_RUNTIME_API_KEY);
}

/**
 * A PATCH of the DLP service is a merge patch; the transport sets the type of a multipart body, because it chooses the
 * boundary.
 */
function contentTypeOf({ method, url, body }: HttpRequest): Record<string, string> {
  if (body === undefined) return {};
  const isMerge = method === 'PATCH' && url.startsWith(HOSTS.dlp);
  return { 'content-type': isMerge ? 'application/merge-patch+json' : 'application/json' };
}

async function rehearse(golden: Golden): Promise<void> {
  const at = golden.script.findIndex(changes);
  const change = golden.script[at];
  await scripted(golden.script.slice(0, at), async (room) => {
    const { planned, writes, raw } = await room.run(lineOf(golden), { ...portsOf(golden), dryRun: true });
    const [method, url] = change?.request.split(' ') ?? [];
    expect({ planned, writes }).toEqual({ planned: true, writes: [] });
    expect(raw).toEqual({ dry_run: true, method, url, body: golden.planned ?? withoutSecrets(change?.body) });
  });
}

const changes = ({ request }: Exchange): boolean => !request.startsWith('GET ');

/** The authorization code is the only secret in bodies that do not declare their dry run. */
function withoutSecrets(body: unknown): unknown {
  if (!isFields(body)) return body ?? null;
  return 'auth_code' in body ? { ...body, auth_code: '(hidden)' } : body;
}

/**
 * Lists that are typed Unknown, or that go back to the service unchanged; on the red-team planes, all lists except these.
 */
const UNKNOWN_LISTS = ['errors', 'detection_rules', 'criteria_details', 'exception_rules', 'editable_fields'];
const RED_TEAM_RECORDS = ['data', 'devices'];

/** The answer with one extra member, in itself and in each of its records, but no deeper. */
function withMore({ request, answer }: Exchange): unknown {
  if (!isFields(answer)) return answer;
  const isRedTeam = request.includes('/ai-red-teaming/');
  const hasRecords = (name: string) => (isRedTeam ? RED_TEAM_RECORDS.includes(name) : !UNKNOWN_LISTS.includes(name));
  const more = { member_of_tomorrow: { nested: [1, null] } };
  const members = Object.entries(answer).map(([name, value]) => [
    name,
    Array.isArray(value) && hasRecords(name)
      ? value.map((item: unknown) => (isFields(item) ? { ...item, ...more } : item))
      : value,
  ]);
  return { ...Object.fromEntries(members), ...more };
}

/** A declared field of the record is always present; a member of a value is present as often as the service sent it. */
function valuesOf(record: Fields, name: string): unknown[] {
  const values = [...membersAt(record, name)];
  return values.length === 0 && !name.includes('.') ? [undefined] : values;
}

function isOfType(type: ContextType, value: unknown): boolean {
  if (value === null || type === 'Unknown') return value !== undefined;
  const kinds: Readonly<Record<string, string>> = { Number: 'number', Boolean: 'boolean' };
  return isDeepStrictEqual(typeof value, kinds[type] ?? 'string');
}
