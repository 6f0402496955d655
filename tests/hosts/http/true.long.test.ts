/** The API document matches the service: every command, every other route, and every problem. */

import { PROMPTS } from '../../../fixtures/lines/red-team.ts';
import type { Effect } from '../../../lib/core/runtime.ts';
import type { Command } from '../../../lib/engine/command.ts';
import { openApiOf } from '../../../scripts/api/document.ts';
import { ANY_FILE, exampleArguments } from '../../../scripts/api/known-values.ts';
import { pascalCase } from '../../../scripts/api/names.ts';
import { expectNone } from '../../support/expect-none.ts';
import { type Check, checkOf, loadCommands, type ResponseCheck, responseCheck } from './api-documents.ts';
import { type Got, type Sent, type Server, start } from './support.ts';

/** The id of its scan, which another example stops, is that of the first one. */
const FIRST = 'aisec-redteam-scan-create';
/** Delete last, so that all other commands find the record. */
const ORDER: readonly Effect[] = ['read', 'run', 'create', 'update', 'replace', 'delete'];

let server: Server;
let commands: Awaited<ReturnType<typeof loadCommands>>;
let check: Check;
let checkResponse: ResponseCheck;

beforeAll(async () => {
  commands = await loadCommands();
  const document = openApiOf(commands, '1.2.3');
  check = checkOf(document);
  checkResponse = responseCheck(document);
  server = await start();
});

afterAll(() => server.close());

/** Sends a request, and expects the response that the document describes. */
async function sent(method: string, path: string, described: string, more: Sent = {}): Promise<Got> {
  const got = await server.send(path, { method: method.toUpperCase(), ...more });
  expectNone(checkResponse(method, described, got), `differences of ${method} ${path}`);
  return got;
}

async function uploaded(): Promise<string> {
  const headers = { 'content-type': 'text/csv' };
  const { json } = await server.send('/v1/files?name=prompts.csv', { method: 'POST', headers, body: PROMPTS.text });
  return String(json.id);
}

test('the example of every command gets the response that the document describes', async () => {
  const file = await uploaded();
  const found: string[] = [];
  const place = ({ name, effect }: Command) => (name === FIRST ? -1 : ORDER.indexOf(effect));
  const sorted = commands.toSorted((one, other) => place(one) - place(other));
  for (const command of sorted) {
    const { name } = command;
    const body = JSON.parse(JSON.stringify(exampleArguments(command)).replace(ANY_FILE, file));
    found.push(...check(`${pascalCase(name)}Arguments`, body).map((text) => `${name} arguments ${text}`));
    const got = await server.run(name, body);
    if (got.status !== 200) found.push(`${name} ${got.status} ${got.text}`);
    found.push(...checkResponse('post', `/v1/commands/${name}`, got));
  }
  expectNone(found, 'differences between the document and the service');
});

test('a dry run of every command gets the response that the document describes', async () => {
  const found: string[] = [];
  for (const command of commands) {
    const got = await server.run(command.name, exampleArguments(command), { query: '?dry_run=true' });
    found.push(...checkResponse('post', `/v1/commands/${command.name}`, got));
  }
  expectNone(found, 'differences between the document and the service');
});

test('each command reports wrong arguments as a problem', async () => {
  const found: string[] = [];
  for (const { name } of commands) {
    const got = await server.run(name, { no_such_argument: 1 });
    if (got.status !== 400 || check(`${pascalCase(name)}Arguments`, { no_such_argument: 1 }).length === 0)
      found.push(`${name} accepts an unknown argument`);
    found.push(...checkResponse('post', `/v1/commands/${name}`, got));
  }
  expectNone(found, 'differences between the document and the service');
});

const LIST = '/v1/commands/aisec-runtime-topics-list';

test.each<[what: string, status: number, path: string, described: string, sent: Sent]>([
  ['no token', 401, LIST, LIST, { method: 'POST', token: undefined, body: { limit: 2 } }],
  ['a wrong token', 401, '/v1/runs', '/v1/runs', { token: 'wrong' }],
  ['a body that is not JSON', 400, LIST, LIST, { method: 'POST', body: '{' }],
  [
    'another content type',
    415,
    LIST,
    LIST,
    { method: 'POST', body: '<a/>', headers: { 'content-type': 'application/xml' } },
  ],
  ['an unknown command', 404, '/v1/commands/aisec-none', '/v1/commands/{name}', {}],
  ['an unknown run', 404, '/v1/runs/none', '/v1/runs/{id}', {}],
  ['an unknown session', 404, '/v1/sessions/none', '/v1/sessions/{id}', {}],
  ['an unknown file', 404, '/v1/files/none', '/v1/files/{id}', {}],
  ['a state that there is not', 400, '/v1/runs?state=none', '/v1/runs', {}],
  ['another host', 421, '/v1/runs', '/v1/runs', { headers: { host: 'example.com' } }],
  [
    'another origin',
    403,
    LIST,
    LIST,
    { method: 'POST', body: { limit: 2 }, headers: { origin: 'http://example.com' } },
  ],
])('%s is refused with a problem', async (_what, status, path, described, { method = 'GET', ...more }) => {
  const got = await sent(method.toLowerCase(), path, described, more);
  expect(got.status).toBe(status);
  expect(check('Problem', got.json)).toEqual([]);
  expect(got.json.status).toBe(status);
});

test('an Idempotency-Key that was used for another request is refused with a problem', async () => {
  const headers = { 'idempotency-key': 'one' };
  await sent('post', LIST, LIST, { body: { limit: 2 }, headers });
  const { status } = await sent('post', LIST, LIST, { body: { limit: 3 }, headers });
  expect(status).toBe(422);
});

test('runs are as described, from their start to their end', async () => {
  const { status, json, headers } = await sent('post', LIST, LIST, {
    body: { limit: 2 },
    headers: { prefer: 'respond-async' },
  });
  expect([status, headers.location]).toEqual([202, json.url]);
  await sent('get', json.eventsUrl, '/v1/runs/{id}/events');
  const ended = await sent('get', json.url, '/v1/runs/{id}');
  expect(ended.json.state).toBe('succeeded');
  await sent('get', '/v1/runs?state=succeeded&limit=5', '/v1/runs');
  expect((await sent('delete', json.url, '/v1/runs/{id}')).status).toBe(204);
});

test('a job that is waited for becomes a run', async () => {
  const command = commands.find(({ name }) => name === FIRST);
  const body = { ...(command && exampleArguments(command)), name: 'waited for', wait: true };
  const { status, json } = await sent('post', `/v1/commands/${FIRST}`, `/v1/commands/${FIRST}`, { body });
  expect(status).toBe(202);
  await sent('get', json.eventsUrl, '/v1/runs/{id}/events');
  expect((await sent('get', json.url, '/v1/runs/{id}')).json.state).toBe('succeeded');
});

test('sessions are as described, with lines that succeed and lines that fail', async () => {
  const { json } = await sent('post', '/v1/sessions', '/v1/sessions');
  const line = (text: string) =>
    sent('post', `/v1/sessions/${json.id}/lines`, '/v1/sessions/{id}/lines', { body: { line: text } });
  expect((await line('!aisec-runtime-topics-list limit=2')).status).toBe(200);
  expect((await line('!aisec-runtime-topics-get')).status).toBe(400);
  const { json: detail } = await sent('get', `/v1/sessions/${json.id}`, '/v1/sessions/{id}');
  expect(detail.entries).toHaveLength(2);
  await sent('get', '/v1/sessions', '/v1/sessions');
  expect((await sent('delete', `/v1/sessions/${json.id}`, '/v1/sessions/{id}')).status).toBe(204);
});

test('files are as described', async () => {
  const headers = { 'content-type': 'text/csv' };
  const upload = await sent('post', '/v1/files?name=prompts.csv', '/v1/files', { body: PROMPTS.text, headers });
  expect(upload.status).toBe(201);
  await sent('get', '/v1/files', '/v1/files');
  const { text } = await sent('get', upload.json.url, '/v1/files/{id}');
  expect(text).toBe(PROMPTS.text);
  expect((await sent('delete', upload.json.url, '/v1/files/{id}')).status).toBe(204);
});

test('playbooks and their rehearsals are as described', async () => {
  const { json: list } = await sent('get', '/v1/playbooks', '/v1/playbooks');
  expect(list.playbooks).toHaveLength(1);
  const body = { playbook: 'scan-prompt', inputs: { prompt: 'Hello', profile_name: 'prod' } };
  const { status, json } = await sent('post', '/v1/playbooks/rehearse', '/v1/playbooks/rehearse', { body });
  expect(status).toBe(202);
  await sent('get', json.eventsUrl, '/v1/runs/{id}/events');
  const { json: ended } = await sent('get', json.url, '/v1/runs/{id}');
  expect(ended.state).toBe('succeeded');
  expect(check('Rehearsal', ended.result)).toEqual([]);
});

test('the catalogue, the documents, the probes and the measurements are as described', async () => {
  const { json } = await sent('get', '/v1/commands', '/v1/commands');
  expect(json.commands).toHaveLength(commands.length);
  await sent('get', '/v1/commands/aisec-runtime-scan', '/v1/commands/{name}');
  for (const path of ['/openapi.json', '/metrics']) {
    expect((await sent('get', path, path)).status).toBe(200);
  }
  for (const path of ['/healthz', '/readyz']) {
    expect((await sent('get', path, path, { token: undefined })).text).toBe('ok\n');
  }
});
