/** Attacks from the network are refused in bounded time, and the service continues. */
import { RUN_COMMAND } from '../../../lib/hosts/http/routes/commands.ts';
import { ROUTES } from '../../../lib/hosts/http/routes/index.ts';
import { until } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describedResponses } from './api-documents.ts';
import { closed, opened } from './sockets/raw.ts';
import { type Sent, startBriefly, startForAll, TOKEN } from './support.ts';

const onResponse = describedResponses();
const server = startForAll(() => ({ onResponse, limits: { headersMs: 300 } }));
afterEach(async () => {
  expect((await server.send('/healthz', { token: undefined })).text).toBe('ok\n');
});

const SCAN = '/v1/commands/aisec-runtime-scan';
const BODY = { profile_name: 'prod', prompt: 'hello' };

const TOKEN_NEEDED = {
  detail: 'A valid bearer token is required.',
  hint: 'Send the header "Authorization: Bearer" with your token.',
};

describe('Authentication is required', () => {
  it.each(
    [RUN_COMMAND, ...ROUTES].filter(({ isPublic }) => isPublic !== true).map(({ method, url }) => ({ method, url })),
  )('for $method $url', async ({ method, url }) => {
    const { status, headers, json } = await server.send(url.replace(/\{\w+\}/g, 'x'), { method, token: undefined });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(json).toMatchObject({ code: 'token', ...TOKEN_NEEDED });
  });

  // As few as possible, because wrong tokens are slowed down.
  it.each([
    ['a wrong token', 'wrong-token-of-the-tests'],
    ['part of the token', TOKEN.slice(0, -1)],
    ['an empty token', ''],
  ])('with %s', async (_case, token) => {
    const { status, json } = await server.send('/v1/commands', { token });
    expect(status).toBe(401);
    expect(json).toMatchObject({ code: 'token', ...TOKEN_NEEDED });
  });

  it.each([
    ['in the query', { path: `${SCAN}?access_token=${TOKEN}`, headers: {} }],
    ['as a password', { path: SCAN, headers: { authorization: `Basic ${btoa(`x:${TOKEN}`)}` } }],
    ['in a cookie', { path: SCAN, headers: { cookie: `token=${TOKEN}` } }],
  ])('with a token %s', async (_case, { path, headers }) => {
    const { status } = await server.send(path, { method: 'POST', token: undefined, headers, body: BODY });
    expect(status).toBe(401);
  });
});

describe('A request', () => {
  it.each<[string, string, Sent, number, string]>([
    ['for another host', SCAN, { headers: { host: 'evil.example' } }, 421, 'host'],
    ['from another origin', SCAN, { headers: { origin: 'https://evil.example' } }, 403, 'origin'],
    ['that is a form', SCAN, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415, 'content-type'],
    ['with broken JSON', SCAN, { body: '{"prompt": ' }, 400, 'json'],
    ['with a list', SCAN, { body: [1] }, 400, 'json'],
    ['with a member twice', SCAN, { body: '{"profile_name":"p","prompt":"bad","prompt":"fine"}' }, 400, 'json'],
    ['with half of a surrogate pair', SCAN, { body: '{"prompt":"\\ud83d"}' }, 400, 'json'],
    ['with bytes that are not UTF-8', SCAN, { body: Buffer.from('{"prompt":"\xe9"}', 'latin1') }, 400, 'json'],
    ['with an integer that loses digits', SCAN, { body: '{"prompt":"x","limit":9007199254740993}' }, 400, 'json'],
    [
      'in another charset',
      SCAN,
      { headers: { 'content-type': 'application/json; charset=utf-16' } },
      415,
      'content-type',
    ],
    ['that is compressed', SCAN, { headers: { 'content-encoding': 'gzip' } }, 415, 'content-type'],
    ['with deep JSON', SCAN, { body: `{"prompt": ${'['.repeat(1000)}${']'.repeat(1000)}}` }, 400, 'json'],
    ['with too much JSON', SCAN, { body: `{"prompt": "${'x'.repeat(10_000_001)}"}` }, 413, 'size'],
    [
      'with an unusable key',
      SCAN,
      { headers: { 'idempotency-key': 'x'.repeat(256) }, body: BODY },
      400,
      'idempotency-key',
    ],
    ['for no route', '/v1/nothing', {}, 404, 'not-found'],
    ['with a path trick', '/v1/commands/..%2f..%2fmetrics', {}, 404, 'not-found'],
    ['with a prototype as a name', '/v1/commands/__proto__', { body: {} }, 404, 'not-found'],
  ])('%s is refused', async (_case, path, sent, status, code) => {
    const { status: got, json } = await server.send(path, { method: 'POST', body: BODY, ...sent });
    expect([got, json.code]).toEqual([status, code]);
  });

  it.each<readonly [string, { readonly host?: string; readonly origin?: string }, string]>([
    ['for another host', { host: 'evil.example' }, 'The service does not accept requests for this host.'],
    ...['null', 'HOST', 'http://HOST.evil.example', ''].map(
      (origin) =>
        [`from the origin "${origin}"`, { origin }, 'The service does not answer to pages of another origin.'] as const,
    ),
  ])('%s is refused with the reason', async (_case, { host, origin }, detail) => {
    const own = origin?.replace('HOST', `127.0.0.1:${server.port}`);
    const { json } = await server.send(SCAN, { method: 'POST', headers: { host, origin: own }, body: BODY });
    expect(json).toMatchObject({ code: host === undefined ? 'origin' : 'host', detail });
  });

  it.each(['http', 'https'])('from a page of the service, by %s, is answered', async (scheme) => {
    const headers = { origin: `${scheme}://127.0.0.1:${server.port}` };
    expect((await server.send(SCAN, { method: 'POST', headers, body: BODY })).status).toBe(200);
  });

  it('for a known name of the service is answered', async () => {
    for (const host of ['localhost', `LOCALHOST:${server.port}`, '127.0.0.1', '[::1]:80']) {
      const { status } = await server.send(SCAN, { method: 'POST', headers: { host }, body: BODY });
      expect([host, status]).toEqual([host, 200]);
    }
  });

  it('gets no response with a token or a path of the machine', async () => {
    const got = await Promise.all([
      server.send('/v1/files/x'),
      server.run('aisec-runtime-bulk-scan', { profile_name: 'prod', entry_id: '/etc/passwd' }),
      server.send(SCAN, { method: 'POST', body: '{' }),
    ]);
    for (const { text } of got) {
      expect(text).not.toContain(TOKEN);
      expect(text).not.toContain(server.folder);
      expect(text).not.toContain('node_modules');
    }
  });
});

describe('Many open connections', () => {
  it('block other clients no longer than the header timeout', async () => {
    const sockets = await Promise.all(Array.from({ length: 500 }, () => opened(server.port)));
    for (const socket of sockets) socket.write('GET /healthz HTTP/1.1\r\n');
    expect((await server.send(SCAN, { method: 'POST', body: BODY })).status).toBe(200);
    await Promise.all(sockets.map(closed));
  });
});

describe('A token that exceeds its rate limit', () => {
  it('learns when to continue, and other tokens do not wait', async () => {
    const limited = await startBriefly({ rate: 2 });
    for (let count = 0; count < 2; count += 1) expect((await limited.send('/v1/runs')).status).toBe(200);
    const { status, json, headers } = await limited.send('/v1/runs');
    expect([status, json.code, json.retryable]).toEqual([429, 'rate-limit', true]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect((await limited.send('/healthz', { token: undefined })).status).toBe(200);
  });
});

describe('A service that is out of memory', () => {
  scenario('fair-memory', 'reports that it is alive, and refuses work until memory is available', async () => {
    const full = await startBriefly({ limits: { memoryBytes: 1 } });
    // The service checks its memory once a second.
    await until(async () => (await full.send('/v1/runs')).status === 503);
    const { json, headers } = await full.send('/v1/runs');
    expect([json.code, json.retryable, headers['retry-after']]).toEqual(['busy', true, '10']);
    const [health, ready] = [await full.send('/healthz'), await full.send('/readyz')];
    expect([health.status, ready.status]).toEqual([200, 503]);
  });
});
