/** Limits on what one token may hold, and on how much its requests may affect other callers. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { TEST_TIME } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { startBriefly, startForAll, TOKEN } from './support.ts';

const server = startForAll();

const LIST = 'aisec-runtime-topics-list';

describe('A JSON body', () => {
  scenario.each([
    {
      what: '700,000 members',
      body: `{${Array.from({ length: 700_000 }, (_, at) => `"k${at}":1`).join()}}`,
      status: 413,
    },
    { what: '700,000 elements', body: `{"a":[${'1,'.repeat(700_000)}1]}`, status: 413 },
    { what: '700,000 empty objects', body: `{"a":[${'{},'.repeat(700_000)}{}]}`, status: 413 },
    { what: '100,000 levels', body: '['.repeat(100_000), status: 400 },
  ])('parse-bounds', 'of $what is refused with a problem', async ({ body, status }) => {
    const got = await server.run(LIST, {}, { body });
    expect([got.status, got.headers['content-type']]).toEqual([status, 'application/problem+json; charset=utf-8']);
    expect(got.json).toMatchObject({ status, code: status === 413 ? 'size' : 'json' });
  });

  it('with more arguments than any command has is refused with one problem', async () => {
    const body = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`argument_${at}`, 1]));
    const { status, json } = await server.run(LIST, body);
    expect([status, json.errors.length]).toEqual([400, 1]);
  });

  scenario('parse-bounds', 'with a playbook beyond the limits is refused with a problem', async () => {
    const body = { playbook: `a: ${'['.repeat(20_000)}` };
    const { status, json } = await server.send('/v1/playbooks/rehearse', { method: 'POST', body });
    expect([status, json.code]).toEqual([400, 'usage']);
  });
});

describe('Retries', () => {
  scenario.each([
    { name: 'retry-count', value: '11', most: 10 },
    { name: 'retry-interval', value: '301', most: 300 },
  ])('bounded-retries', '$name is at most $most', async ({ name, value, most }) => {
    const { status, json } = await server.run(LIST, { [name]: value });
    expect([status, json.errors]).toEqual([
      400,
      [
        {
          pointer: `#/${name}`,
          detail: `${name} must be a whole number of seconds or times, at most ${most}.`,
        },
      ],
    ]);
  });

  const down = ['503x100@/aisec/v1/mgmt/topics'];

  scenario('bounded-retries', 'count towards the rate limit', async () => {
    const limited = await startBriefly({
      rate: 6,
      client: { simulate: { now: TEST_TIME, faults: down }, timeoutMs: 3_000_000 },
    });
    const got = await limited.run(LIST, { 'retry-count': 10, 'retry-interval': 1 });
    expect([got.status, got.json.code]).toEqual([429, 'rate-limit']);
    expect(Number(got.headers['retry-after'])).toBeGreaterThan(0);
    expect((await limited.send('/v1/runs')).status).toBe(429);
  });

  scenario('bounded-retries', 'end when their client disconnects', async () => {
    const failing = await startBriefly({ client: { simulate: { faults: ['500x100@/aisec/v1/mgmt/topics'] } } });
    const left = new AbortController();
    const body = JSON.stringify({ 'retry-count': 10, 'retry-interval': 200 });
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const address = `${failing.url}/v1/commands/${LIST}`;
    const asked = fetch(address, { method: 'POST', body, headers, signal: left.signal });
    asked.catch(() => undefined);
    const metrics = async () => (await failing.send('/metrics')).text;
    while (!/aisec_upstream_requests_total\{[^}]*status="500"/.test(await metrics())) await pause(20);
    left.abort();
    await expect(asked).rejects.toThrow();
    while (!/aisec_commands_total\{[^}]*cancelled/.test(await metrics())) await pause(20);
  });
});

it('the page names every limit', () => {
  const page = readFileSync('docs/http.md', 'utf8');
  for (const limit of ['50,000 values', '60,000 members', '10 GB', '50 MB', 'retry-count'])
    expect(page).toContain(limit);
});
