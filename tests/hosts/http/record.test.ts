/** Records: the audit file and the metrics of calls, and the audit of commands. */

import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/machine.ts';
import { TEST_TIME } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { eventsIn, playbookOf, type Server, start, startBriefly, TOKEN } from './support.ts';

const LATER = { headers: { prefer: 'respond-async' } };
let server: Server;
let auditFile = '';
beforeEach(async () => {
  auditFile = join(temporaryFolder('audit'), 'audit.jsonl');
  server = await startBriefly({ auditFile });
});

describe('calls', () => {
  const KEY = {
    api_key_name: 'chat-prod',
    auth_code: 'D1000001',
    cust_app: 'chat',
    rotation_time_interval: 3,
    rotation_time_unit: 'months',
    created_by: 'ana@example.com',
    cust_env: 'production',
    cust_cloud_provider: 'cloud_a',
  };

  /** Ends the service, so that all lines are written, and reads them. */
  async function lines(): Promise<readonly Record<string, unknown>[]> {
    await server.close();
    const text = readFileSync(auditFile, 'utf8').trim();
    return text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  describe('The audit file', () => {
    it('has caller, command and outcome, but no prompt, secret or token', async () => {
      await server.run('aisec-runtime-scan', { profile_name: 'prod', prompt: 'my private words' });
      await server.run('aisec-runtime-topics-get', { topic_id: 'a1b2c3d4-0000-4000-8000-000000000000' });
      await server.send('/v1/runs', { token: 'wrong-token-of-the-tests' });
      await server.run('aisec-runtime-topics-create', { topic_name: 'x' }, { query: '?dry_run=true' });
      const found = (await lines()).filter(({ event }) => event === 'request');
      expect(found.map(({ caller, command, status, code, dryRun }) => [caller, command, status, code, dryRun])).toEqual(
        [
          ['start', 'aisec-runtime-scan', 200, undefined, undefined],
          ['start', 'aisec-runtime-topics-get', 404, 'not-found', undefined],
          [undefined, undefined, 401, 'token', undefined],
          ['start', 'aisec-runtime-topics-create', 400, 'arguments', true],
        ],
      );
      expect(found[0]).toMatchObject({
        role: 'admin',
        remote: '127.0.0.1',
        method: 'POST',
        route: '/v1/commands/:name',
        arguments: { profile_name: 'prod' },
      });
      const text = readFileSync(auditFile, 'utf8');
      for (const secret of ['my private words', TOKEN, 'wrong-token-of-the-tests']) expect(text).not.toContain(secret);
      expect(statSync(auditFile).mode & 0o777).toBe(0o600);
    });

    it('has calls that outlive their requests, and omits probes', async () => {
      const got = await server.run('aisec-runtime-topics-list', {}, LATER);
      await server.send(got.json.eventsUrl);
      await server.send('/healthz');
      const found = (await lines()).filter(({ event }) => event === 'request');
      expect(found.map(({ run }) => run)).toEqual([got.json.id, got.json.id]);
      expect(found.map(({ route, status }) => [route, status])).toEqual([
        ['/v1/commands/:name', 202],
        ['/v1/runs/:id/events', 200],
      ]);
    });
  });

  describe('A secret that the service shows once', () => {
    it('reaches an administrator, but no record of the call', async () => {
      const { json } = await server.run('aisec-runtime-api-keys-create', KEY);
      const secret = String(json.outputs['AiSec.ApiKeyCreate'].api_key);
      expect(secret.length).toBeGreaterThan(8);
      expect((await server.send('/metrics')).text).not.toContain(secret);
      await server.close();
      expect(readFileSync(auditFile, 'utf8')).not.toContain(secret);
    });
  });

  describe('Measurements', () => {
    it('count requests by route, commands by outcome, and requests to the service', async () => {
      await server.run('aisec-runtime-topics-list');
      await server.run('aisec-runtime-topics-get', { topic_id: 'a1b2c3d4-0000-4000-8000-000000000000' });
      await server.run('aisec-unknown-command-with-a-long-name');
      const { text } = await server.send('/metrics');
      expect(text).toContain('aisec_http_requests_total{method="POST",route="/v1/commands/:name",status="404"} 2');
      expect(text).toContain('aisec_commands_total{command="aisec-runtime-topics-list",outcome="done"} 1');
      expect(text).toContain('aisec_commands_total{command="aisec-runtime-topics-get",outcome="not-found"} 1');
      expect(text).toMatch(/aisec_upstream_requests_total\{tenant="default",plane="management",status="\d+"\} \d+/);
      expect(text).toContain('aisec_tokens_fetched_total{tenant="default"} 1');
      expect(text).not.toContain('aisec-unknown-command');
    });

    it('count retries and missing responses', async () => {
      await server.close();
      const faults = ['503x2@/v1/scan', 'hang@/aisec/v1/mgmt/topics'];
      server = await startBriefly({ client: { simulate: { now: TEST_TIME, faults }, timeoutMs: 3000 } });
      await server.run('aisec-runtime-topics-list');
      await server.run('aisec-runtime-scan', { profile_name: 'prod', prompt: 'x' });
      const { text } = await server.send('/metrics');
      expect(text).toContain('aisec_upstream_retries_total{tenant="default",plane="scanner"} 2');
      expect(text).toMatch(/aisec_upstream_errors_total\{tenant="default",plane="management",code="timeout"\} [1-9]/);
    });

    it('show waiting and running runs', async () => {
      await server.close();
      server = await startBriefly({ client: { simulate: { latencyMs: 600_000 } } });
      const runs = [];
      for (let count = 0; count < 17; count += 1) {
        runs.push(await server.run('aisec-runtime-topics-list', {}, LATER));
      }
      const { text } = await server.send('/metrics');
      expect(text).toContain('aisec_runs_running 16');
      expect(text).toContain('aisec_queue_depth 1');
      for (const { json } of runs) await server.send(json.url, { method: 'DELETE' });
      for (const { json } of runs) {
        expect(eventsIn((await server.send(json.eventsUrl)).text).at(-1)?.data.state).toBe('stopped');
      }
    });
  });
});

describe('commands', () => {
  type Line = Readonly<Record<string, unknown>>;
  const [SCAN, LIST, CREATE] = [
    'aisec-runtime-scan',
    'aisec-runtime-topics-list',
    'aisec-runtime-topics-create',
  ] as const;

  /** Opens a session. @returns a function that runs a line in it */
  async function session(on = server) {
    const { url } = (await on.send('/v1/sessions', { method: 'POST', body: {} })).json;
    return (line: string) => on.send(`${url}/lines`, { method: 'POST', body: { line } });
  }
  const text = () => readFileSync(auditFile, 'utf8');
  const lines = (): readonly Line[] =>
    text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  const written = (event: string) => lines().filter((line) => line['event'] === event);

  /** Checks that each start has one end. */
  async function ended(): Promise<readonly unknown[]> {
    await until(async () => written('start').length === written('end').length);
    const ends = new Map(written('end').map((line) => [line['call'], line]));
    return written('start').map(({ call, request, command, caller, remote, role }) => {
      const end = ends.get(call);
      expect([end?.['request'], end?.['command'], typeof end?.['ms']]).toEqual([request, command, 'number']);
      expect([caller, remote, role]).toEqual(['start', '127.0.0.1', 'admin']);
      return [command, end?.['outcome']];
    });
  }

  scenario('audit-complete', 'a request, a run, a line and a task each write a start and an end', async () => {
    await server.run(SCAN, { profile_name: 'prod', prompt: 'my private words' });
    const run = await server.run(LIST, {}, LATER);
    await server.send(run.json.eventsUrl);
    const say = await session();
    await say(`!${LIST} limit=1`);
    await say(`!${SCAN} profile_name=prod prompt="my words"`);
    const inputs = { playbook: playbookOf(LIST) };
    const rehearsal = await server.send('/v1/playbooks/rehearse', { method: 'POST', body: inputs });
    await server.send(rehearsal.json.eventsUrl);
    expect(await ended()).toEqual([SCAN, LIST, LIST, SCAN, LIST].map((command) => [command, 'done']));
    for (const { request } of written('start')) {
      await until(async () => written('request').some(({ id }) => id === request));
    }
    expect(written('start').map((line) => line['arguments'])).toMatchObject([
      { profile_name: 'prod', prompt: '(hidden)' },
      {},
      { limit: '1' },
      { prompt: '(hidden)' },
      {},
    ]);
    for (const secret of ['my private words', 'my words', TOKEN]) expect(text()).not.toContain(secret);
  });

  scenario('audit-complete', 'a command that fails or is unknown has its code in the end line', async () => {
    const say = await session();
    await say(`!${CREATE} topic_name=x`);
    await say('!my-secret-word prompt=x my words');
    expect(await ended()).toEqual([
      [CREATE, 'arguments'],
      ['(unknown)', 'usage'],
    ]);
    expect(text()).not.toMatch(/my-secret-word|my words/);
  });

  scenario(
    'audit-complete',
    'a reference shows the identifier that it resolves to, and hides everything else',
    async () => {
      const say = await session();
      const { json } = await say(`!${LIST} limit=1`);
      const [topic] = [json.result.outputs['AiSec.Topic']].flat();
      await say('!aisec-runtime-topics-get topic_id=${AiSec.Topic.topic_id}');
      await say('!aisec-runtime-topics-get topic_id=${AiSec.Topic.description}');
      expect(written('start').map((line) => line['arguments'])).toEqual([
        { limit: '1' },
        { topic_id: topic.topic_id },
        { topic_id: '${AiSec.Topic.description}' },
      ]);
    },
  );

  scenario('audit-complete', 'a command whose client disconnected has an end line', async () => {
    await server.close();
    server = await startBriefly({ auditFile, client: { simulate: { latencyMs: 600_000 } } });
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const sent = httpRequest(new URL(`/v1/commands/${LIST}`, server.url), { method: 'POST', headers, agent: false });
    sent.on('error', () => undefined).end('{}');
    await until(async () => text().includes('"start"'));
    sent.destroy();
    await until(async () => text().includes('"end"'));
    expect(await ended()).toEqual([[LIST, 'cancelled']]);
  });

  scenario.each([
    { what: 'that it stops', graceMs: 0, latencyMs: 600_000, outcome: 'cancelled' },
    { what: 'that ends in its grace time', graceMs: 60_000, latencyMs: 500, outcome: 'done' },
  ])(
    'audit-complete',
    'a stopped service writes the end of a command $what',
    async ({ outcome, graceMs, latencyMs }) => {
      await server.close();
      server = await startBriefly({ auditFile, graceMs, client: { simulate: { latencyMs } } });
      await server.run(LIST, {}, LATER);
      await until(async () => text().includes('"start"'));
      await server.close();
      expect(await ended()).toEqual([[LIST, outcome]]);
    },
  );

  const canMount = (() => {
    const place = temporaryFolder('audit');
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place]);
    if (status === 0) spawnSync('umount', [place]);
    return status === 0;
  })();

  (canMount ? describe : describe.skip)('On a full disk', () => {
    scenario(
      'audit-complete',
      'a change is refused before it starts, also as a line of a session, and reads are still served',
      async () => {
        const place = temporaryFolder('audit');
        spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place]);
        const full = await start({ auditFile: join(place, 'audit.jsonl') });
        try {
          const say = await session(full);
          writeFileSync(join(place, 'filler'), Buffer.alloc(56 * 1024));
          const fill = 'x'.repeat(150);
          for (let count = 0; count < 60; count += 1) await full.run(LIST, { search: fill });
          const topic = { topic_name: 'Full', description: 'B', examples: ['c', 'd'] };
          const answers = [
            await full.run(CREATE, topic),
            await full.run(CREATE, topic, LATER),
            await say(`!${CREATE} topic_name=Full description=B examples=c,d`),
          ];
          expect(answers.map(({ status, json }) => [status, json.code])).toEqual(
            answers.map(() => [503, 'configuration']),
          );
          const { json, status } = await full.run(LIST, { limit: 1000 });
          expect([status, JSON.stringify(json.outputs).includes('"Full"')]).toEqual([200, false]);
        } finally {
          await full.close();
          spawnSync('umount', ['-l', place]);
        }
      },
    );
  });
});
