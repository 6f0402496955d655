/** The API document matches the service: every command, with its arguments, results and problems. */

import { PROMPTS } from '../../../fixtures/lines/red-team.ts';
import type { Effect } from '../../../lib/core/runtime.ts';
import type { Command } from '../../../lib/runtime/engine/command.ts';
import { openApiOf } from '../../../scripts/api/document.ts';
import { ANY_FILE, exampleArguments } from '../../../scripts/api/known-values.ts';
import { pascalCase } from '../../../scripts/api/names.ts';
import { expectNone } from '../../support/expect-none.ts';
import { type Check, checkOf, loadCommands, type ResponseCheck, responseCheck } from './api-documents.ts';
import { type Got, type Sent, startForAll } from './support.ts';

/** The id of the example's scan is the first scan's id, because another example stops it. */
const FIRST = 'aisec-redteam-scan-create';
/** Deletes come last, so that all other commands find the record. */
const ORDER: readonly Effect[] = ['read', 'run', 'create', 'update', 'replace', 'delete'];

let commands: Awaited<ReturnType<typeof loadCommands>>;
let check: Check;
let checkResponse: ResponseCheck;

beforeAll(async () => {
  commands = await loadCommands();
  const document = openApiOf(commands, '1.2.3');
  check = checkOf(document);
  checkResponse = responseCheck(document);
});
const server = startForAll();

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

test('a job that is waited for, and a rehearsal, become runs whose results are as described', async () => {
  const command = commands.find(({ name }) => name === FIRST);
  const job = { ...(command && exampleArguments(command)), name: 'waited for', wait: true };
  const rehearsed = { playbook: 'scan-prompt', inputs: { prompt: 'Hello', profile_name: 'prod' } };
  const results: unknown[] = [];
  for (const [path, body] of [
    [`/v1/commands/${FIRST}`, job],
    ['/v1/playbooks/rehearse', rehearsed],
  ] as const) {
    const { status, json } = await sent('post', path, path, { body });
    expect(status).toBe(202);
    await sent('get', json.eventsUrl, '/v1/runs/{id}/events');
    const { json: ended } = await sent('get', json.url, '/v1/runs/{id}');
    expect(ended.state).toBe('succeeded');
    results.push(ended.result);
  }
  expect(check('Rehearsal', results[1])).toEqual([]);
});
