/** Work that is known to fail is refused at once, without a run. */
import { join } from 'node:path';
import { openTokenFile } from '../../../lib/hosts/http/access/tokens.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { list, type Sent, type Server, start } from './support.ts';

const LATER = { prefer: 'respond-async' };
let server: Server;
let session = '';
let reader: Sent = {};
let runtime: Sent = {};
let admin: Sent = {};

beforeAll(async () => {
  const tokensFile = join(temporaryFolder('refusal'), 'tokens.json');
  const file = openTokenFile(tokensFile);
  reader = { token: (await file.add({ name: 'reader', role: 'read' })).token };
  runtime = { token: (await file.add({ name: 'runtime', role: 'admin', toolsets: ['runtime'] })).token };
  admin = { token: (await file.add({ name: 'admin', role: 'admin' })).token };
  server = await start({ tokensFile });
});
afterAll(() => server.close());
beforeEach(async () => {
  session = (await server.send('/v1/sessions', { method: 'POST', body: {}, ...runtime })).json.url;
});

const runs = async (token: Sent) => list((await server.send('/v1/runs', token)).json.runs);

scenario.each<{ what: string; command: string; args: object; as: 'reader' | 'runtime'; wait?: true }>([
  { what: 'an unknown argument', command: 'aisec-runtime-topics-list', args: { limt: 1 }, as: 'runtime' },
  { what: 'a wrong value', command: 'aisec-runtime-topics-list', args: { limit: 'many' }, as: 'runtime' },
  { what: 'a missing argument', command: 'aisec-runtime-scan', args: {}, as: 'runtime' },
  { what: 'a command beyond the role', command: 'aisec-runtime-scan', args: {}, as: 'reader' },
  { what: 'a command of another toolset', command: 'aisec-redteam-targets-list', args: {}, as: 'runtime' },
  { what: 'an unknown command', command: 'aisec-runtime-topics-lst', args: {}, as: 'runtime' },
])('async-refusal', '$what is refused with the problem of the synchronous response', async ({ command, args, as }) => {
  const token = as === 'reader' ? reader : runtime;
  const now = await server.run(command, args, token);
  const later = await server.run(command, args, { ...token, headers: LATER });
  expect(now.status).toBeGreaterThanOrEqual(400);
  expect([later.status, later.json]).toEqual([now.status, now.json]);
  expect(await runs(token)).toEqual([]);
});

scenario('async-refusal', 'a job with wait is refused at once', async () => {
  const refused = await server.run('aisec-redteam-scan-create', { wait: true }, runtime);
  const wrong = await server.run('aisec-redteam-scan-create', { wait: true }, admin);
  expect([refused, wrong].map(({ status, json }) => [status, json.code])).toEqual([
    [403, 'not-allowed'],
    [400, 'arguments'],
  ]);
  expect(await runs(admin)).toEqual([]);
  expect(await runs(runtime)).toEqual([]);
});

scenario.each<{ what: string; line: string }>([
  { what: 'an unknown argument', line: '!aisec-runtime-topics-list limt=1' },
  { what: 'a wrong value', line: '!aisec-runtime-topics-list limit=many' },
  { what: 'a reference to nothing', line: '!aisec-runtime-topics-get topic_id=${AiSec.Topic.topic_id}' },
  { what: 'a command of another toolset', line: '!aisec-redteam-targets-list' },
  { what: 'an unknown command', line: '!aisec-runtime-topics-lst' },
  { what: 'an unclosed quote', line: '!aisec-runtime-topics-list limit="1' },
])('async-refusal', 'a line with $what is refused with the problem of the synchronous response', async ({ line }) => {
  const say = (headers: Record<string, string>) =>
    server.send(`${session}/lines`, { method: 'POST', body: { line }, headers, ...runtime });
  const [now, later] = [await say({}), await say(LATER)];
  expect(now.status).toBeGreaterThanOrEqual(400);
  expect([later.status, later.json]).toEqual([now.status, now.json]);
  expect(await runs(runtime)).toEqual([]);
  const entries = list((await server.send(session, runtime)).json.entries);
  expect(entries.map(({ problem }) => String(problem?.code))).toEqual([now.json.code, now.json.code]);
});

scenario.each<{ what: string; command: string; args: object; code: string }>([
  { what: 'a command of another toolset', command: 'aisec-redteam-targets-list', args: {}, code: 'not-allowed' },
  { what: 'an unknown command', command: 'aisec-runtime-topics-lst', args: {}, code: 'arguments' },
  { what: 'an unknown argument', command: 'aisec-runtime-topics-list', args: { limt: '1' }, code: 'arguments' },
])('async-refusal', 'a playbook with $what is refused at once', async ({ command, args, code }) => {
  const body = { playbook: playbookOf(command, args) };
  const { json } = await server.send('/v1/playbooks/rehearse', { method: 'POST', body, ...runtime });
  expect(json.code).toBe(code);
  expect(await runs(runtime)).toEqual([]);
});

/** A playbook with one task. */
function playbookOf(command: string, args: object): string {
  const named = Object.entries(args).map(([name, value]) => [name, { simple: value }]);
  const run = { id: '1', type: 'regular', task: { name: 'Run', script: `|||${command}`, iscommand: true } };
  const start = { id: '0', type: 'start', task: { name: '' }, nexttasks: { '#none#': ['1'] } };
  const tasks = { 0: start, 1: { ...run, scriptarguments: Object.fromEntries(named) } };
  return JSON.stringify({ name: 'One task', starttaskid: '0', tasks });
}
