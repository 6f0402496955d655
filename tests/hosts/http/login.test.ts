/** Logins of browsers: the page, the code of the address, the cookie and what other origins may send. */
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Logins } from '../../../lib/hosts/http/access/logins.ts';
import { openTokenFile } from '../../../lib/hosts/http/access/tokens.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/machine.ts';
import { testClock } from '../../support/simulated.ts';
import { eventsIn, type Options, type Sent, startBriefly, startForAll, TOKEN, tokensOf } from './support.ts';

const PAGE = { 'x-aisec-page': '1' };
const page = async () =>
  new Map([['index.html', { text: '<!doctype html><p>page', type: 'text/html; charset=utf-8' }]]);

describe('the page', () => {
  const server = startForAll(() => ({ parts: { page } }));

  it('is public, allows only its own scripts, and no page may show it in a frame', async () => {
    const { status, text, headers } = await server.send('/', { token: undefined });
    expect([status, text]).toEqual([200, '<!doctype html><p>page']);
    const policy = String(headers['content-security-policy']).split(';');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "trusted-types 'none'",
      ]),
    );
    expect(policy.join()).not.toMatch(/unsafe|\*/);
  });

  test.each<[title: string, path: string, status: number, sent: Sent]>([
    ['a file that the program was built without', '/page/page.js', 404, {}],
    ['a file that is no part of the page', '/page/..%2faisec.cjs', 400, {}],
    ['another host name, as after DNS rebinding', '/', 421, { headers: { host: 'evil.test' } }],
    ['a page of another origin', '/', 403, { headers: { origin: 'http://evil.test' } }],
  ])('refuses %s', async (_, path, status, sent) => {
    expect((await server.send(path, { token: undefined, ...sent })).status).toBe(status);
  });
});

describe('a login', () => {
  const server = startForAll();
  const logIn = async (body: unknown = { token: TOKEN }, headers = {}) =>
    server.send('/login', { method: 'POST', token: undefined, body, headers });

  it('answers with a cookie that scripts and other sites cannot use, and that is not the token', async () => {
    const { status, headers } = await logIn();
    const [cookie = ''] = headers['set-cookie'] ?? [];
    expect([status, cookie.split('; ').slice(1)]).toEqual([204, ['Path=/', 'HttpOnly', 'SameSite=Strict']]);
    expect(cookie).toMatch(new RegExp(`^aisec-${server.port}=[\\w-]{43};`));
    expect(cookie).not.toContain(TOKEN);
  });

  test.each<[title: string, method: string, headers: Readonly<Record<string, string>>, status: number]>([
    ['a request with the header of the page', 'GET', PAGE, 200],
    ['a change with the header of the page', 'POST', PAGE, 201],
    ['a frame or a download of the page', 'GET', { 'sec-fetch-site': 'same-origin' }, 200],
    ['a frame without TLS, where browsers do not name its site', 'GET', { referer: 'ORIGIN/' }, 200],
    ['no request without the header', 'GET', {}, 401],
    ['no page of another port by its address', 'GET', { referer: 'http://127.0.0.1:1/' }, 401],
    ['no address that begins like that of the page', 'GET', { referer: 'ORIGIN.evil.test/' }, 401],
    [
      'no address against the site that the browser names',
      'GET',
      { referer: 'ORIGIN/', 'sec-fetch-site': 'same-site' },
      401,
    ],
    ['no change by the address of the page', 'POST', { referer: 'ORIGIN/' }, 401],
    ['no link on another site', 'GET', { 'sec-fetch-site': 'cross-site' }, 401],
    ['no address that is typed', 'GET', { 'sec-fetch-site': 'none' }, 401],
    ['no page of another port', 'GET', { 'sec-fetch-site': 'same-site' }, 401],
    ['no change without the header', 'POST', { 'sec-fetch-site': 'same-origin' }, 401],
    ['no page of another origin, even with the header', 'GET', { ...PAGE, origin: 'http://evil.test' }, 403],
  ])('admits %s', async (_, method, headers, status) => {
    const [cookie = ''] = (await logIn()).headers['set-cookie'] ?? [];
    const referer = headers['referer']?.replace('ORIGIN', new URL(server.url).origin);
    const sent = {
      method,
      token: undefined,
      headers: { ...headers, referer, cookie: `other=1; ${cookie.split(';')[0]}` },
    };
    const body = method === 'POST' ? { body: {} } : {};
    expect((await server.send('/v1/sessions', { ...sent, ...body })).status).toBe(status);
  });

  test.each<[title: string, body: unknown, headers: Readonly<Record<string, string>>, status: number]>([
    ['a wrong token', { token: 'wrong' }, {}, 401],
    ['a wrong code', { code: 'wrong' }, {}, 401],
    ['no token and no code', {}, {}, 401],
    ['a body that is no object', [], {}, 400],
    ['a body of more than 4 kB', { token: 'x'.repeat(5000) }, {}, 413],
    ['a form', 'token=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a page of another origin', { token: TOKEN }, { origin: 'http://evil.test' }, 403],
  ])('is refused to %s', async (_, body, headers, status) => {
    const { status: got, headers: received } = await logIn(body, headers);
    expect([got, received['set-cookie']]).toEqual([status, undefined]);
  });

  it('ends at logout, and removes the cookie', async () => {
    const [cookie = ''] = (await logIn()).headers['set-cookie'] ?? [];
    const as = { token: undefined, headers: { ...PAGE, cookie } };
    const out = await server.send('/logout', { ...as, method: 'POST', body: {} });
    expect([out.status, out.headers['set-cookie']?.[0]]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect((await server.send('/v1/sessions', as)).status).toBe(401);
  });

  it('takes its event streams with it at logout', async () => {
    const [cookie = ''] = (await logIn()).headers['set-cookie'] ?? [];
    const as = { token: undefined, headers: { ...PAGE, cookie } };
    const { url } = (await server.send('/v1/sessions', { ...as, method: 'POST', body: {} })).json;
    const read = server.send(`${url}/events`, as);
    const byToken = server.send(`${url}/events`);
    await server.send('/logout', { ...as, method: 'POST', body: {} });
    expect(eventsIn((await read).text)).toMatchObject([{ event: 'refused', data: { status: 401, code: 'token' } }]);
    await server.send(url, { method: 'DELETE' });
    expect(eventsIn((await byToken).text)).toEqual([]);
  });

  it('takes its uploads with it at logout', async () => {
    const [cookie = ''] = (await logIn()).headers['set-cookie'] ?? [];
    const headers = { ...PAGE, cookie, 'content-type': 'text/csv' };
    const upload = request(new URL('/v1/files', server.url), { method: 'POST', headers });
    // A request that is refused from the beginning has a response.
    const end = new Promise<object>((resolve) => upload.on('error', resolve).on('response', resolve));
    const files = () => readdirSync(server.folder, { recursive: true }).length;
    const before = files();
    upload.write('prompt\n');
    await until(async () => files() > before);
    await server.send('/logout', { token: undefined, headers: { ...PAGE, cookie }, method: 'POST', body: {} });
    expect(await end).toMatchObject({ code: 'ECONNRESET' });
  });

  it('is refused by two cookies of its name, of which a page of another port may have planted one', async () => {
    const [[mine = ''] = [], [other = ''] = []] = [await logIn(), await logIn()].map(({ headers }) =>
      (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]),
    );
    const statusWith = async (cookie: string, path = '/v1/sessions', sent: Sent = {}) =>
      (await server.send(path, { token: undefined, headers: { ...PAGE, cookie }, ...sent })).status;
    expect(await statusWith(`${other}; ${mine}`)).toBe(401);
    expect(await statusWith(`${mine}; ${mine}`)).toBe(200);
    await statusWith(`${other}; ${mine}`, '/logout', { method: 'POST', body: {} });
    expect([await statusWith(mine), await statusWith(other)]).toEqual([401, 401]);
  });

  it('counts as a request of its token, and logout is never refused by the rate', async () => {
    const few = await startBriefly({ rate: 2 });
    const attempt = () => few.send('/login', { method: 'POST', token: undefined, body: { token: TOKEN } });
    const { headers } = await attempt();
    const sent = { token: undefined, headers: { ...PAGE, cookie: headers['set-cookie']?.[0] ?? '' } };
    expect((await few.send('/v1/sessions', sent)).status).toBe(200);
    const refused = await attempt();
    expect([refused.status, refused.json.code, refused.headers['set-cookie']]).toEqual([429, 'rate-limit', undefined]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await few.send('/logout', { ...sent, method: 'POST', body: {} })).status).toBe(204);
  });
});

it('A caller has 50 logins, of which its own oldest ends first', () => {
  const logins = new Logins(testClock());
  const [one, other] = (['one', 'other'] as const).map((name) => ({ name, role: 'read' }) as const);
  const opened = (caller = one) => {
    const cookie = `aisec=${logins.open(caller as never)}`;
    return { headers: { ...PAGE, cookie }, method: 'GET' } as never;
  };
  const first = opened(other);
  const [oldest, ...later] = Array.from({ length: 51 }, () => opened());
  expect(logins.callerOf(first)).toBe(other);
  expect(logins.callerOf(oldest as never)).toBeUndefined();
  expect(later.filter((each) => logins.callerOf(each) === one)).toHaveLength(50);
});

it('A login has the rights of its token, and ends with it', async () => {
  const { file, tokensFile, as } = await tokensOf({ reader: 'read' });
  const server = await startBriefly({ tokensFile });
  const { headers } = await server.send('/login', { method: 'POST', token: undefined, body: as('reader') });
  const cookie = headers['set-cookie']?.[0] ?? '';
  const sent = { token: undefined, headers: { ...PAGE, cookie } };
  const deletion = { ...sent, method: 'POST', body: { topic_id: 'a1b2c3d4-0000-4000-8000-000000000000' } };
  expect((await server.send('/v1/commands/aisec-runtime-topics-delete', deletion)).status).toBe(403);
  await file.revoke('reader');
  const untilEnded = async (): Promise<number> => {
    const { status } = await server.send('/v1/sessions', sent);
    return status === 401 ? status : untilEnded();
  };
  expect(await untilEnded()).toBe(401);
});

describe('the start', () => {
  type Start = Pick<Options, 'tokensFile' | 'awaitsTokens' | 'opens' | 'token'>;
  const missing = () => join(temporaryFolder('tokens'), 'tokens.json');
  const present = async () => (await tokensOf({ ci: 'read' })).tokensFile;

  test.each<[title: string, options: () => Promise<Start>, told: readonly [token: boolean, code: boolean]]>([
    ['without tokens makes a token and an address', async () => ({ tokensFile: undefined }), [true, true]],
    ['awaiting a file does so too', async () => ({ tokensFile: missing(), awaitsTokens: true }), [true, true]],
    ['with a file makes neither', async () => ({ tokensFile: await present() }), [false, false]],
    ['with a file opens an address', async () => ({ tokensFile: await present(), opens: true }), [false, true]],
    ['with a given token prints no token', async () => ({ tokensFile: missing(), token: TOKEN }), [false, true]],
  ])('%s', async (_, options, told) => {
    const { listening, send, warnings } = await startBriefly(await options());
    const { token, code } = listening;
    expect([token !== undefined, code !== undefined]).toEqual(told);
    if (code === undefined) return;
    const { headers } = await send('/login', { method: 'POST', token: undefined, body: { code } });
    const cookie = headers['set-cookie']?.[0] ?? '';
    const me = await send('/v1/me', { token: undefined, headers: { ...PAGE, cookie } });
    expect(me.json).toMatchObject({ name: 'start', role: 'admin' });
    if (token !== undefined) expect(warnings).toEqual([]);
  });

  it('accepts tokens of a file that is made later, besides its own token', async () => {
    const tokensFile = missing();
    const { listening, send, warnings } = await startBriefly({ tokensFile, awaitsTokens: true });
    const { token } = await openTokenFile(tokensFile).add({ name: 'ci', role: 'read' });
    await until(async () => (await send('/v1/me', { token })).status === 200);
    expect([(await send('/v1/me', { token: listening.token })).json.role, warnings]).toEqual(['admin', []]);
    await openTokenFile(tokensFile).revoke('ci');
    await until(async () => (await send('/v1/me', { token })).status === 401);
  });
});

describe('the code of an address', () => {
  const caller = { name: 'start', role: 'admin' } as const;

  it('works once', () => {
    const logins = new Logins(testClock());
    const code = logins.newCode(caller);
    expect([logins.takeCode(`${code}x`), logins.takeCode(code), logins.takeCode(code)]).toEqual([
      undefined,
      caller,
      undefined,
    ]);
  });

  it('expires after ten minutes', async () => {
    const clock = testClock();
    const logins = new Logins(clock);
    const code = logins.newCode(caller);
    await clock.wait(600_000);
    expect(logins.takeCode(code)).toBeUndefined();
  });
});
