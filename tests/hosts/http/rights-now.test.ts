/** Current rights, for work that a token started or made while it had more rights. */
import { readFileSync, writeFileSync } from 'node:fs';
import { until } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { eventsIn, list, type Server, startBriefly, tokensOf } from './support.ts';

const [SCAN, LIST, RED] = ['aisec-runtime-scan', 'aisec-runtime-topics-list', 'aisec-redteam-targets-list'] as const;
const PROMPT = { profile_name: 'prod', prompt: 'hello' };
const LINE = `!${SCAN} profile_name=prod prompt=hello`;
const LATER = { headers: { prefer: 'respond-async' } };

type Tokens = Awaited<ReturnType<typeof tokensOf<'mine' | 'admin' | 'red'>>>;
let server: Server;
let tokens: Tokens;
const mine = () => tokens.as('mine');
const admin = () => tokens.as('admin');

async function open(latencyMs = 0): Promise<void> {
  tokens = await tokensOf({ mine: 'operate', admin: 'admin', red: { role: 'admin', toolsets: ['red-team'] } });
  server = await startBriefly({ tokensFile: tokens.tokensFile, client: { simulate: { latencyMs } } });
}

/** Changes the entry of the token, as an editor does. */
function narrow(limits: object): void {
  const { tokens: entries } = JSON.parse(readFileSync(tokens.tokensFile, 'utf8')) as { tokens: { name: string }[] };
  const changed = entries.map((token) => (token.name === 'mine' ? { ...token, ...limits } : token));
  writeFileSync(tokens.tokensFile, JSON.stringify({ tokens: changed }), { mode: 0o600 });
}

const session = async () => (await server.send('/v1/sessions', { method: 'POST', body: {}, ...mine() })).json.url;
const say = (url: string, line: string) => server.send(`${url}/lines`, { method: 'POST', body: { line }, ...mine() });

scenario.each<{ what: string; limits: object; wider: object }>([
  { what: 'role', limits: { role: 'read' }, wider: { role: 'operate' } },
  { what: 'toolsets', limits: { toolsets: ['red-team'] }, wider: { toolsets: ['runtime', 'red-team'] } },
])(
  'rights-now',
  'after the $what of a token is narrowed, its runs, sessions, files and kept responses are refused; wider rights apply too',
  async ({ limits, wider }) => {
    await open();
    const run = (await server.run(SCAN, PROMPT, { ...mine(), ...LATER })).json;
    const red = (await server.run(RED, {}, { ...admin(), ...LATER })).json;
    for (const { eventsUrl } of [run, red]) await server.send(eventsUrl, admin());
    const [used, fresh] = [await session(), await session()];
    expect((await say(used, LINE)).status).toBe(200);
    const key = { ...mine(), headers: { 'idempotency-key': 'once' } };
    for (const replayed of [undefined, 'true']) {
      expect((await server.run(SCAN, PROMPT, key)).headers['idempotent-replayed']).toBe(replayed);
    }
    const sent = { ...mine(), method: 'POST', body: 'prompt\nhello\n', headers: { 'content-type': 'text/csv' } };
    const own = (await server.send('/v1/files?name=a.csv', sent)).json;
    const args = { profile_name: 'prod', entry_id: own.id, output_file: 'rows.jsonl' };
    const [made] = list((await server.run('aisec-runtime-bulk-scan', args, mine())).json.files);
    expect((await server.send(made.url, mine())).status).toBe(200);

    narrow(limits);
    await until(async () => (await server.run(SCAN, PROMPT, mine())).status !== 200);
    const refused = [
      await server.send(run.url, mine()),
      await server.send(run.eventsUrl, mine()),
      await server.send(run.url, { ...mine(), method: 'DELETE' }),
      await server.send(used, mine()),
      await say(used, `!${LIST}`),
      await say(fresh, LINE),
      await server.run(SCAN, PROMPT, key),
      await server.send(made.url, mine()),
      await server.send(made.url, { ...mine(), method: 'DELETE' }),
    ];
    expect(refused.map(({ status, json }) => [status, json.code])).toEqual(refused.map(() => [403, 'not-allowed']));
    expect(refused[0]?.json.detail).toContain(SCAN);
    expect(list((await server.send('/v1/runs', mine())).json.runs)).toEqual([]);
    expect(list((await server.send('/v1/files', mine())).json.files).map(({ id }) => String(id))).toEqual([own.id]);
    expect((await server.send(run.url, admin())).status).toBe(200);
    // An administrator of a toolset does not see runs of other toolsets.
    expect((await server.send(run.url, tokens.as('red'))).status).toBe(404);
    const seen = list((await server.send('/v1/runs', tokens.as('red'))).json.runs);
    expect(seen.map(({ id }) => String(id))).toEqual([red.id]);
    expect((await server.send(used, { ...mine(), method: 'DELETE' })).status).toBe(204);

    narrow(wider);
    await until(async () => (await say(fresh, LINE)).status === 200);
  },
);

scenario.each<{ what: string; limits: object; code: string }>([
  { what: 'a narrowed token', limits: { role: 'read' }, code: 'not-allowed' },
  { what: 'an expired token', limits: { expires: '2001-01-01T00:00:00Z' }, code: 'token' },
])('rights-now', 'the stream of a running run of $what ends with the reason', async ({ limits, code }) => {
  await open(600_000);
  const run = (await server.run(SCAN, PROMPT, { ...mine(), ...LATER })).json;
  const stream = server.send(run.eventsUrl, mine());
  await until(async () => (await server.send(run.url, mine())).json.state === 'running');
  narrow(limits);
  const last = eventsIn((await stream).text).at(-1);
  expect([last?.event, last?.data.code]).toEqual(['refused', code]);
  expect((await server.send(run.url, admin())).json.state).toBe('running');
  await server.send(run.url, { ...admin(), method: 'DELETE' });
});

scenario('rights-now', 'queued runs of a revoked token do not start', async () => {
  await open(600_000);
  const runs = [];
  for (let count = 0; count < 17; count += 1) {
    runs.push((await server.run(SCAN, PROMPT, { ...mine(), ...LATER })).json);
  }
  await tokens.file.revoke('mine');
  await until(async () => (await server.send('/v1/runs', mine())).status === 401);
  await server.send(runs[0].url, { ...admin(), method: 'DELETE' });
  const ended = eventsIn((await server.send(runs[16].eventsUrl, admin())).text).at(-1)?.data;
  expect(ended).toMatchObject({ state: 'failed', problem: { code: 'not-allowed' } });
  expect((await server.send(runs[1].url, admin())).json.state).toBe('running');
  for (const run of runs) await server.send(run.url, { ...admin(), method: 'DELETE' });
});
