/** Limits of what one token may hold, and of what its requests may cost the others. */
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Rate } from '../../../lib/hosts/http/access/admission.ts';
import { limited } from '../../../lib/hosts/http/body.ts';
import { Idempotency } from '../../../lib/hosts/http/responses/idempotency.ts';
import { Sessions } from '../../../lib/hosts/http/sessions.ts';
import { fileShelf } from '../../../lib/node/files/file-shelf.ts';
import { Quota } from '../../../lib/runs/quota.ts';
import { TEST_TIME } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { type Server, start, TOKEN } from './support.ts';

let server: Server;
beforeAll(async () => {
  server = await start();
});
afterAll(() => server.close());

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

scenario(
  'fair-memory',
  'sessions of one token leave room for sessions of another token, and return their room when they close',
  async () => {
    const sessions = new Sessions({ catalogue: [], clock: { now: () => 0 } });
    const client = { session: () => ({ context: {} }) } as unknown as Parameters<typeof sessions.open>[1];
    const [mine, other] = [sessions.open('a/t', client), sessions.open('b/t', client)];
    const result = { text: 'x'.repeat(26_000_000) } as never;
    for (let count = 0; count < 2; count += 1) mine.keep('!a', undefined, { result });
    expect(() => mine.checkRoom()).toThrow('The sessions of this token have reached their limit of 50 MB.');
    other.checkRoom();
    const second = sessions.open('a/t', client);
    expect(() => second.checkRoom()).toThrow('of this token');
    sessions.close('a/t', mine.id);
    second.checkRoom();
    // A line that ends after its session was closed takes no room for ever.
    mine.keep('!a', undefined, { result });
    mine.keep('!a', undefined, { result });
    second.checkRoom();
  },
);

scenario('fair-memory', 'a file is refused at the first byte beyond the limit of its token', async () => {
  const quota = new Quota({ noun: 'files', own: 10, tenant: 100, hint: 'Delete some.' });
  const sent = Readable.from([Buffer.alloc(6), Buffer.alloc(6)]);
  const take = (bytes: number) => quota.take('a/t', bytes);
  await expect(pipeline(sent, limited(1000, take), async (rest) => void (await readAll(rest)))).rejects.toMatchObject({
    code: 'quota',
  });
});

scenario('fair-memory', 'files of a token displace only files of the same token', () => {
  const sums: Record<string, number> = {};
  const shelf = fileShelf(2, (owner, bytes) => {
    sums[owner] = (sums[owner] ?? 0) + bytes;
  });
  const add = (name: string, owner: string) =>
    shelf.add({ entry: name, name, size: 10, contentType: 'text/plain' }, owner);
  const mine = add('mine', 'a/t');
  for (let count = 0; count < 5; count += 1) add(`${count}`, 'b/t');
  expect(shelf.find(mine.id, 'a/t')).toBe(mine);
  expect(shelf.list('b/t').map(({ name }) => name)).toEqual(['3', '4']);
  shelf.remove(mine.id);
  expect(sums).toEqual({ 'a/t': 0, 'b/t': 20 });
});

scenario('fair-memory', 'keys of one token do not displace keys of another token', async () => {
  const keys = new Idempotency({ elapsed: () => 0 });
  const answer = { status: 200, headers: {}, body: '{}', forget: false };
  await keys.once('a/t', 'k', 'POST /a', async () => answer);
  for (let count = 0; count < 10_001; count += 1) await keys.once('b/t', `k${count}`, 'POST /a', async () => answer);
  expect((await keys.once('a/t', 'k', 'POST /a', async () => answer)).replayed).toBe(true);
});

scenario('fair-memory', 'a process without memory reports that it is alive, and refuses work', async () => {
  const full = await start({ limits: { memoryBytes: 1 } });
  try {
    // The service checks its memory once a second.
    while ((await full.send('/v1/runs')).status !== 503) await pause(50);
    const [health, ready] = [await full.send('/healthz'), await full.send('/readyz')];
    expect([health.status, ready.status]).toEqual([200, 503]);
  } finally {
    await full.close();
  }
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

  scenario('bounded-retries', 'count against the rate', async () => {
    const limited = await start({
      rate: 6,
      client: { simulate: { now: TEST_TIME, faults: down }, timeoutMs: 3_000_000 },
    });
    try {
      const got = await limited.run(LIST, { 'retry-count': 10, 'retry-interval': 1 });
      expect([got.status, got.json.code]).toEqual([429, 'rate-limit']);
      expect(Number(got.headers['retry-after'])).toBeGreaterThan(0);
      expect((await limited.send('/v1/runs')).status).toBe(429);
    } finally {
      await limited.close();
    }
  });

  scenario('bounded-retries', 'end when their client disconnects', async () => {
    const failing = await start({ client: { simulate: { faults: ['500x100@/aisec/v1/mgmt/topics'] } } });
    try {
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
    } finally {
      await failing.close();
    }
  });

  scenario('bounded-retries', 'count as requests of the token', () => {
    let now = 0;
    const rate = new Rate(2, { elapsed: () => now });
    rate.count('a/t');
    rate.take('a/t');
    expect(() => rate.take('a/t')).toThrow('retries count as requests');
    rate.take('b/t');
    now = 60_000;
    rate.take('a/t');
  });
});

it('names only limits that the page documents', () => {
  const page = readFileSync('docs/http.md', 'utf8');
  for (const limit of ['50,000 values', '60,000 members', '10 GB', '50 MB', 'retry-count'])
    expect(page).toContain(limit);
});
