/** Current rights: work that a token started while it had more rights. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTokenFile } from '../../../lib/hosts/http/access/tokens.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { eventsIn, list, type Sent, type Server, start } from './support.ts';

const [SCAN, LIST, RED] = ['aisec-runtime-scan', 'aisec-runtime-topics-list', 'aisec-redteam-targets-list'] as const;
const PROMPT = { profile_name: 'prod', prompt: 'hello' };
const LATER = { headers: { prefer: 'respond-async' } };

let server: Server;
let tokensFile = '';
let mine: Sent = {};
let admin: Sent = {};

beforeEach(async () => {
  tokensFile = join(temporaryFolder('rights'), 'tokens.json');
  const file = openTokenFile(tokensFile);
  mine = { token: (await file.add({ name: 'mine', role: 'operate' })).token };
  admin = { token: (await file.add({ name: 'admin', role: 'admin' })).token };
  server = await start({ tokensFile });
});
afterEach(() => server.close());

/** Changes the entry of the token, as an editor does, and waits until the service has read it. */
async function narrow(limits: object): Promise<void> {
  const { tokens } = JSON.parse(readFileSync(tokensFile, 'utf8')) as { tokens: { name: string }[] };
  const changed = tokens.map((token) => (token.name === 'mine' ? { ...token, ...limits } : token));
  writeFileSync(tokensFile, JSON.stringify({ tokens: changed }), { mode: 0o600 });
  await until(async () => (await server.run(SCAN, PROMPT, mine)).status !== 200);
}

const later = async (command: string, args: object = {}, token = mine) => {
  const { json } = await server.run(command, args, { ...token, ...LATER });
  await server.send(json.eventsUrl, token);
  return json;
};

const refusals = (answers: readonly { status: number; json: { code?: string } }[]) =>
  answers.map(({ status, json }) => [status, json.code]);

describe.each([
  ['role', { role: 'read' }],
  ['toolsets', { toolsets: ['red-team'] }],
])('After the %s of a token is narrowed', (_, limits) => {
  scenario(
    'rights-now',
    `its runs cannot be read, followed, stopped or listed (${JSON.stringify(limits)})`,
    async () => {
      const run = await later(SCAN, PROMPT);
      await narrow(limits);
      const answers = [
        await server.send(run.url, mine),
        await server.send(run.eventsUrl, mine),
        await server.send(run.url, { ...mine, method: 'DELETE' }),
      ];
      expect(refusals(answers)).toEqual(answers.map(() => [403, 'not-allowed']));
      expect(answers[0]?.json.detail).toContain(SCAN);
      expect(list((await server.send('/v1/runs', mine)).json.runs)).toEqual([]);
      expect((await server.send(run.url, admin)).status).toBe(200);
    },
  );

  scenario('rights-now', `its sessions cannot be read or continued (${JSON.stringify(limits)})`, async () => {
    const { url } = (await server.send('/v1/sessions', { method: 'POST', body: {}, ...mine })).json;
    const say = (line: string) => server.send(`${url}/lines`, { method: 'POST', body: { line }, ...mine });
    expect((await say(`!${SCAN} profile_name=prod prompt=hello`)).status).toBe(200);
    await narrow(limits);
    const answers = [await server.send(url, mine), await say(`!${RED}`), await say(`!${LIST}`)];
    expect(refusals(answers)).toEqual(answers.map(() => [403, 'not-allowed']));
    expect((await server.send(url, { ...mine, method: 'DELETE' })).status).toBe(204);
  });

  scenario('rights-now', `responses kept for its keys are not repeated (${JSON.stringify(limits)})`, async () => {
    const key = { ...mine, headers: { 'idempotency-key': 'once' } };
    expect((await server.run(SCAN, PROMPT, key)).status).toBe(200);
    expect((await server.run(SCAN, PROMPT, key)).headers['idempotent-replayed']).toBe('true');
    await narrow(limits);
    expect(refusals([await server.run(SCAN, PROMPT, key)])).toEqual([[403, 'not-allowed']]);
  });

  scenario('rights-now', `files of its commands cannot be read (${JSON.stringify(limits)})`, async () => {
    const sent = { ...mine, method: 'POST', body: 'prompt\nhello\n', headers: { 'content-type': 'text/csv' } };
    const own = (await server.send('/v1/files?name=a.csv', sent)).json;
    const args = { profile_name: 'prod', entry_id: own.id, output_file: 'rows.jsonl' };
    const bulk = await server.run('aisec-runtime-bulk-scan', args, mine);
    const made = list(bulk.json.files)[0];
    expect((await server.send(made.url, mine)).status).toBe(200);
    await narrow(limits);
    const answers = [await server.send(made.url, mine), await server.send(made.url, { ...mine, method: 'DELETE' })];
    expect(refusals(answers)).toEqual(answers.map(() => [403, 'not-allowed']));
    const ids = list((await server.send('/v1/files', mine)).json.files).map(({ id }) => String(id));
    expect(ids).toEqual([own.id]);
  });
});

scenario('rights-now', 'a session gets the current limits of its token, including wider limits', async () => {
  await narrow({ role: 'read' });
  const { url } = (await server.send('/v1/sessions', { method: 'POST', body: {}, ...mine })).json;
  const say = (line: string) => server.send(`${url}/lines`, { method: 'POST', body: { line }, ...mine });
  expect(refusals([await say(`!${SCAN} profile_name=prod prompt=hello`)])).toEqual([[403, 'not-allowed']]);
  writeFileSync(tokensFile, readFileSync(tokensFile, 'utf8').replace('"role":"read"', '"role":"operate"'));
  await until(async () => (await say(`!${SCAN} profile_name=prod prompt=hello`)).status === 200);
});

scenario('rights-now', 'an administrator of a toolset does not see runs of other toolsets', async () => {
  const file = openTokenFile(tokensFile);
  const red = { token: (await file.add({ name: 'red', role: 'admin', toolsets: ['red-team'] })).token };
  await until(async () => (await server.send('/v1/runs', red)).status === 200);
  const [run, other] = [await later(SCAN, PROMPT), await later(RED, {}, admin)];
  expect(refusals([await server.send(run.url, red)])).toEqual([[404, 'not-found']]);
  const ids = list((await server.send('/v1/runs', red)).json.runs).map(({ id }) => String(id));
  expect(ids).toEqual([other.id]);
});

describe('While a run is under way', () => {
  beforeEach(async () => {
    await server.close();
    server = await start({ tokensFile, client: { simulate: { latencyMs: 600_000 } } });
  });

  scenario.each<{ what: string; limits: object; code: string }>([
    { what: 'a narrowed token', limits: { role: 'read' }, code: 'not-allowed' },
    { what: 'an expired token', limits: { expires: '2001-01-01T00:00:00Z' }, code: 'token' },
  ])('rights-now', 'the stream of $what ends with an event that gives the reason', async ({ limits, code }) => {
    const run = (await server.run(SCAN, PROMPT, { ...mine, ...LATER })).json;
    const stream = server.send(run.eventsUrl, mine);
    await until(async () => (await server.send(run.url, mine)).json.state === 'running');
    const { tokens } = JSON.parse(readFileSync(tokensFile, 'utf8')) as { tokens: { name: string }[] };
    const changed = tokens.map((token) => (token.name === 'mine' ? { ...token, ...limits } : token));
    writeFileSync(tokensFile, JSON.stringify({ tokens: changed }), { mode: 0o600 });
    const last = eventsIn((await stream).text).at(-1);
    expect([last?.event, last?.data.code]).toEqual(['refused', code]);
    expect((await server.send(run.url, admin)).json.state).toBe('running');
    await server.send(run.url, { ...admin, method: 'DELETE' });
  });

  scenario('rights-now', 'queued runs of a revoked token do not start', async () => {
    const runs = [];
    for (let count = 0; count < 17; count += 1) {
      runs.push((await server.run(SCAN, PROMPT, { ...mine, ...LATER })).json);
    }
    await openTokenFile(tokensFile).revoke('mine');
    await until(async () => (await server.send('/v1/runs', mine)).status === 401);
    await server.send(runs[0].url, { ...admin, method: 'DELETE' });
    const ended = eventsIn((await server.send(runs[16].eventsUrl, admin)).text).at(-1)?.data;
    expect(ended).toMatchObject({ state: 'failed', problem: { code: 'not-allowed' } });
    expect((await server.send(runs[1].url, admin)).json.state).toBe('running');
    for (const run of runs) await server.send(run.url, { ...admin, method: 'DELETE' });
  });
});
