/** Records of each call: the audit file and the measurements. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { eventsIn, type Server, start, TOKEN } from './support.ts';

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

let server: Server;
let auditFile = '';
beforeEach(async () => {
  auditFile = join(temporaryFolder('audit'), 'audit.jsonl');
  server = await start({ auditFile });
});
afterEach(() => server.close());

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
    expect(found.map(({ caller, command, status, code, dryRun }) => [caller, command, status, code, dryRun])).toEqual([
      ['start', 'aisec-runtime-scan', 200, undefined, undefined],
      ['start', 'aisec-runtime-topics-get', 404, 'not-found', undefined],
      [undefined, undefined, 401, 'token', undefined],
      ['start', 'aisec-runtime-topics-create', 400, 'arguments', true],
    ]);
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
    const got = await server.run('aisec-runtime-topics-list', {}, { headers: { prefer: 'respond-async' } });
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
    server = await start({
      client: { simulate: { faults: ['503x2@/v1/scan', 'hang@/aisec/v1/mgmt/topics'] }, timeoutMs: 3000 },
    });
    await server.run('aisec-runtime-topics-list');
    await server.run('aisec-runtime-scan', { profile_name: 'prod', prompt: 'x' });
    const { text } = await server.send('/metrics');
    expect(text).toContain('aisec_upstream_retries_total{tenant="default",plane="scanner"} 2');
    expect(text).toMatch(/aisec_upstream_errors_total\{tenant="default",plane="management",code="timeout"\} [1-9]/);
  });

  it('show waiting and running runs', async () => {
    await server.close();
    server = await start({ client: { simulate: { latencyMs: 600_000 } } });
    const runs = [];
    for (let count = 0; count < 17; count += 1) {
      runs.push(await server.run('aisec-runtime-topics-list', {}, { headers: { prefer: 'respond-async' } }));
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
