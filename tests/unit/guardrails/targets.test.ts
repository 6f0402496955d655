/** A file's red-team targets: without secrets; a secret is named in the file, or the target is skipped. */

import fc from 'fast-check';
import { objectsOf } from '../../../lib/core/json.ts';
import { applyPlan, changesIn } from '../../../lib/features/guardrails/apply.ts';
import { applicationError } from '../../../lib/features/guardrails/outcome.ts';
import { isHarmlessHeader, withoutTargetSecrets } from '../../../lib/features/guardrails/targets/secrets.ts';
import { runs } from '../../support/runs.ts';
import { apply, emptyTenancy, exported, means, plan, type Tenancy, tenancy } from './support.ts';

const targetsOf = async (tenant: Tenancy) => objectsOf((await exported(tenant, ['targets'])).document['targets']);
const named = (list: readonly { readonly name?: unknown }[], name: string) => list.find((each) => each.name === name);

test('the file has no secret of any target, and says where they belong', async () => {
  const tenant = tenancy();
  const text = JSON.stringify(await exported(tenant, ['targets']));
  expect(text).not.toMatch(/sim-|\*{3}|X-Chat-Key|[0-9a-f]{8}-[0-9a-f]{4}/);
  const targets = await targetsOf(tenant);
  expect(targets.map(({ name, needs }) => [name, needs])).toEqual([
    ['claims-agent', ['auth_config', 'network_channel']],
    ['hr-assistant', ['adapter']],
    ['legacy-kiosk', undefined],
    ['support-chatbot', ['auth_config']],
    ['underwriting-model', ['connection_params.target_connection_config.api_key']],
  ]);
});

test('targets that lack a secret are skipped, with a note', async () => {
  const { changes, notes } = await plan({ targets: await targetsOf(tenancy()) }, await emptyTenancy());
  expect(changes.filter(({ verb }) => verb !== 'skipped').map(({ verb, name }) => [verb, name])).toEqual([
    ['create', 'legacy-kiosk'],
  ]);
  expect(notes).toHaveLength(4);
  expect(notes).toContain(
    'target underwriting-model is skipped: it needs connection_params.target_connection_config.api_key. State them in the file at these places, as @env:NAME or @file:PATH.',
  );
  expect(notes).toContain(
    'target hr-assistant is skipped: it needs adapter. No command can set that: make the target in the console of the service with it, then apply the file again, which brings the other members.',
  );
});

test('a target that no command can change is skipped, with a note', async () => {
  const targets = [{ name: 'support-chatbot', session_supported: false, description: 'Mine.' }];
  expect(await plan({ targets }, tenancy())).toMatchObject({
    changes: [{ verb: 'skipped', reason: 'no command can change its session_supported' }],
    notes: [
      'target support-chatbot is skipped: no command can change its session_supported. Change it in the console of the service, or take it out of the file.',
    ],
  });
});

/** The sample tenant's model, with its secret as the person states it. */
async function model(api_key: string) {
  const target = named(await targetsOf(tenancy()), 'underwriting-model');
  return {
    ...target,
    connection_params: {
      target_connection_config: { model_name: 'underwriting-1', api_key },
      multi_turn_supported: false,
    },
  };
}

test('a secret named in the file is sent, and the target is the same in the other tenant', async () => {
  const tenant = await emptyTenancy();
  const targets = [await model('@env:KEY')];
  expect(applicationError(await apply({ targets }, tenant))).toBeUndefined();
  const sent = tenant.room.requests.find(({ method, url }) => method === 'POST' && url.includes('/v1/target'));
  expect(sent?.url).toContain('validate=false');
  expect(JSON.parse(sent?.body ?? '')).toMatchObject({
    connection_params: { target_connection_config: { api_key: 'sim-key-77aa' } },
  });
  expect(changesIn(await plan({ targets }, tenant))).toEqual([]);
  expect(await targetsOf(tenant)).toEqual([named(await targetsOf(tenancy()), 'underwriting-model')]);
});

test('a plan says which variables and files of this machine would be sent, and where', async () => {
  const target = (description: string) => ({
    ...{ name: 'desk', target_type: 'AGENT', connection_type: 'REST', description },
    connection_params: { request_headers: { A: '@file:/etc/passwd', B: ['@env:KEY'] }, response_key: '@env:KEY' },
  });
  const tenant = await emptyTenancy();
  const notes = [
    'target desk sends the file /etc/passwd as connection_params.request_headers.A.',
    'target desk sends the variable KEY as connection_params.request_headers.B.0.',
    'target desk sends the variable KEY as connection_params.response_key.',
  ];
  expect((await plan({ targets: [target('new')] }, tenant)).notes).toEqual(notes);
  const made = { ...target('new'), connection_params: { request_headers: { A: '@env:KEY' } } };
  expect(applicationError(await apply({ targets: [made] }, tenant))).toBeUndefined();
  expect((await plan({ targets: [made] }, tenant)).notes).toEqual([]);
  expect((await plan({ targets: [target('changed')] }, tenant)).notes).toEqual(notes);
});

test('no secret is in a plan or its outcome', async () => {
  const tenant = await emptyTenancy();
  const { steps, failure } = await apply({ targets: [await model('@env:KEY')] }, tenant);
  const shown = JSON.stringify(steps.map(({ change: { members, after }, notKept }) => [members, after, notKept]));
  expect([shown.includes('sim-key-77aa'), failure]).toEqual([false, undefined]);
});

test.each([
  { source: '@env:UNSET', message: 'The variable UNSET is not set.' },
  { source: '@file:missing', message: 'The file missing has no text.' },
])('nothing is sent if $source has no secret', async ({ source, message }) => {
  const tenant = await emptyTenancy();
  const before = tenant.room.requests.length;
  const { failure } = await apply({ targets: [await model(source)] }, tenant);
  expect(failure).toMatchObject({ exitCode: 5, message });
  expect(tenant.room.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('an update keeps the secrets of the tenant and unstated members', async () => {
  const tenant = tenancy();
  const targets = [
    { name: 'support-chatbot', connection_params: { response_key: 'text' }, additional_context: { base_model: 'x' } },
  ];
  const before = named(await targetsOf(tenant), 'support-chatbot');
  expect(applicationError(await apply({ targets }, tenant))).toBeUndefined();
  const after = named(await targetsOf(tenant), 'support-chatbot');
  expect(JSON.stringify(after)).toBe(
    JSON.stringify(before)
      .replace('"response_key":"answer"', '"response_key":"text"')
      .replace('"base_model":"small-instruct"', '"base_model":"x"'),
  );
  const sent = JSON.parse(tenant.room.requests.find(({ method }) => method === 'PUT')?.body ?? '');
  expect(sent.connection_params.request_headers).toEqual({ 'Content-Type': 'application/json' });
  expect(sent.auth_type).toBe('HEADERS');
});

test('a target that changed after the comparison is not overwritten', async () => {
  const tenant = tenancy();
  const planned = await plan({ targets: [{ name: 'support-chatbot', description: 'Mine.' }] }, tenant);
  await apply({ targets: [{ name: 'support-chatbot', description: 'Theirs.' }] }, tenant);
  const { failure } = await applyPlan(planned, means(tenant), () => undefined);
  expect(failure).toMatchObject({ exitCode: 5, message: expect.stringContaining('changed after it was compared') });
});

test.each([
  { what: 'credentials of a target', entry: { auth_config: {} }, message: 'targets.0.auth_config is not known.' },
])('$what are refused', async ({ entry, message }) => {
  await expect(plan({ targets: [{ name: 't', ...entry }] }, tenancy())).rejects.toThrow(message);
});

/** Secrets that the service did not hide. */
test.each<{ value: object; kept: object; needs: string[] }>([
  { value: { api_key: 'abcdef' }, kept: {}, needs: ['p.api_key'] },
  { value: { a: { client_secret: 's', url: 'u' } }, kept: { a: { url: 'u' } }, needs: ['p.a.client_secret'] },
  { value: { request_headers: { 'X-A': 'b' } }, kept: {}, needs: ['p.request_headers.X-A'] },
  { value: { api_endpoint: 'https://u:pw@h.example.com' }, kept: {}, needs: ['p.api_endpoint'] },
  { value: { list: ['a', '******'] }, kept: {}, needs: ['p.list'] },
  { value: { password: { deep: 'x' } }, kept: {}, needs: ['p.password.deep'] },
  { value: { oauth2_body_params: { a: { b: 'x' } } }, kept: {}, needs: ['p.oauth2_body_params.a.b'] },
  {
    value: { request_json: { Authorization: 'Bearer abcdefghijklmnopqrstuvwx' } },
    kept: {},
    needs: ['p.request_json.Authorization'],
  },
  { value: { request_headers: ['Accept: a/b'] }, kept: {}, needs: ['p.request_headers'] },
  {
    value: { request_headers: { 'Content-Type': 'application/json', Cookie: 'a=b', 'X-A': 'text/plain' } },
    kept: { request_headers: { 'Content-Type': 'application/json' } },
    needs: ['p.request_headers.Cookie', 'p.request_headers.X-A'],
  },
  {
    value: { request_headers: { accept: 'text/plain', Accept: 'text/plain' } },
    kept: {},
    needs: ['p.request_headers.accept', 'p.request_headers.Accept'],
  },
  { value: { auth_headers: { Accept: '*/*' } }, kept: {}, needs: ['p.auth_headers.Accept'] },
  { value: { oauth2_headers: { Accept: '*/*' } }, kept: {}, needs: ['p.oauth2_headers.Accept'] },
  { value: { auth: { headers: { Accept: '*/*' } } }, kept: {}, needs: ['p.auth.headers.Accept'] },
  { value: { headers: { Accept: { deep: '*/*' } } }, kept: {}, needs: ['p.headers.Accept.deep'] },
  { value: { request_json: { q: '{INPUT}' } }, kept: { request_json: { q: '{INPUT}' } }, needs: [] },
])('of $value the file has $kept', ({ value, kept, needs }) => {
  expect(withoutTargetSecrets(value, 'p')).toEqual({ value: kept, needs });
});

test('a harmless header that the service masks is sent, and never compared', async () => {
  const { run, ...rest } = await emptyTenancy();
  const hiding: Tenancy = {
    ...rest,
    run: async (name, args) => {
      const answer = await run(name, args);
      const raw = JSON.stringify(answer.raw ?? null).replace(/("Content-Type":)"[^"]*"/g, '$1"**********"');
      return { ...answer, raw: JSON.parse(raw) };
    },
  };
  const targets = [named(await targetsOf(tenancy()), 'legacy-kiosk')];
  expect(applicationError(await apply({ targets }, hiding))).toBeUndefined();
  const sent = rest.room.requests.find(({ method, url }) => method === 'POST' && url.includes('/v1/target'));
  expect(JSON.parse(sent?.body ?? '').connection_params.request_headers).toEqual({
    'Content-Type': 'application/json',
  });
  expect(changesIn(await plan({ targets }, hiding))).toEqual([]);
  expect((await targetsOf(hiding))[0]?.needs).toEqual(['connection_params.request_headers.Content-Type']);
});

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

test.each([
  ['Content-Type', 'application/json'],
  ['content-type', 'application/json; charset=utf-8'],
  ['CONTENT-TYPE', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Accept', 'text/html, application/xhtml+xml;q=0.9, */*;q=0.8'],
  ['Accept', 'text/event-stream'],
  ['Accept-Language', 'de-DE, de;q=0.8, zh-Hant-TW;q=0.5, *'],
  ['Content-Language', 'en'],
  ['Accept-Encoding', 'gzip, deflate;q=0.5, br'],
  ['Content-Encoding', 'identity'],
  ['Accept-Charset', 'UTF-8, iso-8859-1;q=0.5'],
  ['Cache-Control', 'no-cache, max-age=0'],
  ['Pragma', 'no-cache'],
  ['User-Agent', 'curl/8.5.0'],
  ['User-Agent', 'PostmanRuntime/7.32.3'],
  ['User-Agent', 'python-requests/2.31.0'],
  ['User-Agent', BROWSER],
])('%s: %s stays in the file', (name, value) => {
  expect(isHarmlessHeader(name, value)).toBe(true);
});

const KEY = 'c2VjcmV0c2VjcmV0c2Vj';

test.each<[string, unknown]>([
  ...['Authorization', 'Cookie', 'X-Api-Key', 'X-Anything', 'Referer', 'Origin', 'Host', 'Proxy-Authorization'].map(
    (name): [string, string] => [name, 'application/json'],
  ),
  ...[' Content-Type', 'Content-Type ', 'Content_Type', 'Content-Type\n', 'Cont\u0435nt-Type', 'constructor', ''].map(
    (name): [string, string] => [name, 'application/json'],
  ),
  ['Content-Type', '**********'],
  ['Content-Type', 'application/***'],
  ['Content-Type', '@env:KEY'],
  ['Content-Type', ''],
  ['Content-Type', 7],
  ['Content-Type', null],
  ['Content-Type', ['application/json']],
  ['Content-Type', KEY],
  ['Content-Type', `application/${KEY}`],
  ['Content-Type', `application/vnd.${KEY}+json`],
  ['Content-Type', 'application/550e8400-e29b-41d4-a716-446655440000'],
  ['Content-Type', 'application/json; token=abc'],
  ['Content-Type', `multipart/form-data; boundary=${KEY}`],
  ['Content-Type', 'application/json\r\nAuthorization: Bearer x'],
  ['Content-Type', 'application/json\n'],
  ['Accept', `Bearer ${KEY}`],
  ['Accept', 'Basic YTpi'],
  ['Accept', `*/*, ${KEY}`],
  ['Accept-Language', KEY],
  ['Accept-Language', 'en-abcdefgh-ijklmnop'],
  ['Accept-Encoding', 'gzip, secret'],
  ['Accept-Charset', 'hunter2'],
  ['Cache-Control', `max-age=${'1'.repeat(20)}`],
  ['Cache-Control', 'private="x-key"'],
  ['Pragma', 'hunter2'],
  ['User-Agent', 'hunter2'],
  ['User-Agent', `bot/1.0 ${KEY}`],
  ['User-Agent', `bot/1.0 Bearer ${KEY}`],
  ['User-Agent', 'bot/1.0 Basic YTpi'],
  ['User-Agent', 'bot/1.0 token abc'],
  ['User-Agent', 'bot/1.0 (key=abc)'],
  ['User-Agent', 'bot/1.0 dana:secret@example.com'],
  ['User-Agent', 'bot/1.0 0123456789abcdef'],
  ['User-Agent', 'bot/1.0 QWxhZGRpbjpvcGVu'],
  ['User-Agent', 'bot/1.0 sk-live-4f9a8b7c6d5e'],
  ['User-Agent', `bot/1.0 ${'word '.repeat(100)}`],
])('%j: %j is a secret', (name, value) => {
  expect(isHarmlessHeader(name, value)).toBe(false);
});

const NAMES = ['Accept', 'Accept-Charset', 'Accept-Encoding', 'Accept-Language', 'Cache-Control', 'Content-Encoding'];
const MORE_NAMES = ['Content-Language', 'Content-Type', 'Pragma', 'User-Agent'];

test('no header in the file has a random credential, wherever its value contains it', () => {
  const credential = fc.oneof(
    fc.base64String({ minLength: 24, maxLength: 80 }),
    fc
      .string({ unit: fc.nat(15).map((digit) => digit.toString(16)), minLength: 32, maxLength: 64 })
      .filter((x) => /\d/.test(x)),
    fc.uuid(),
  );
  const before = fc.constantFrom(
    '',
    'Bearer ',
    'bot/1.0 ',
    'application/',
    'text/x-',
    'gzip, ',
    'en, ',
    'max-age=',
    '*/*;q=',
  );
  const after = fc.constantFrom('', '+json', ', */*', ';q=0.5', '/1.0');
  const holds = (name: string, start: string, secret: string, end: string) =>
    !/[a-z]{3}/i.test(secret) || !isHarmlessHeader(name, start + secret + end);
  fc.assert(fc.property(fc.constantFrom(...NAMES, ...MORE_NAMES), before, credential, after, holds), runs(2000, 5));
});
