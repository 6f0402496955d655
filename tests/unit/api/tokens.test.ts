import fc from 'fast-check';
import { AuthError, ResponseError } from '../../../lib/core/errors.ts';
import { memoryTokens } from '../../../lib/core/shared.ts';
import { fingerprint as ownerOf } from '../../../lib/core/text/fingerprint.ts';
import { KEY_HEADER, SECRET_MEMBERS } from '../../../lib/core/wire.ts';
import { dlp, management, modelData } from '../../../lib/runtime/api/call.ts';
import { Api } from '../../../lib/runtime/api/client.ts';
import { failing, OK, type Script, stage, token } from '../../support/exchange.ts';
import { expectNone } from '../../support/expect-none.ts';
import { HOSTS, TENANT } from '../../support/scripted.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { always, bearer, create, read, scan, status, things, withKeptToken } from './calls.ts';

describe('the access token', () => {
  test('is requested with a form', async () => {
    const room = stage([OK]);
    await room.api().fetch(read);
    expect(room.tokenRequests).toMatchObject([
      {
        method: 'POST',
        url: HOSTS.token,
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: `grant_type=client_credentials&client_id=script-client&client_secret=script-client-secret&scope=profile%20tsg_id%3A${TENANT}`,
      },
    ]);
  });

  scenario(
    'oauth-single-flight',
    'fifty parallel commands fetch one token, and one more if it is refused',
    async () => {
      let revoked = '';
      const room = stage(({ headers }) => (headers['authorization'] === revoked ? status(401) : OK));
      const fifty = () => Promise.all(Array.from({ length: 50 }, () => room.api({ effect: 'create' }).fetch(create)));
      await fifty();
      expect([room.tokenRequests.length, room.requests.length]).toEqual([1, 50]);
      revoked = 'Bearer access-0';
      await fifty();
      expect([room.tokenRequests.length, room.requests.length]).toEqual([2, 150]);
    },
  );

  scenario('oauth-single-flight', 'fifty parallel calls renew an expired cached token once', async () => {
    const room = await withKeptToken(({ headers }) => (headers['authorization'] === 'Bearer new' ? OK : status(401)), {
      token: always(token('new')),
    });
    const api = room.api();
    await Promise.all(Array.from({ length: 50 }, () => api.fetch(read)));
    expect(room.tokenRequests).toHaveLength(1);
    expect(room.requests).toHaveLength(100);
  });

  scenario(
    ['oauth-single-flight', 'timeout-budget'],
    "a command waits for another command's token within its own timeout",
    async () => {
      const room = stage(always(OK), {
        token: (_, count) => (count === 0 ? { ...token('slow'), takesMs: 20_000 } : token('quick')),
      });
      const outcomes = await Promise.allSettled(
        [15_000, 60_000].map((budgetMs) => new Api({ ...room.runtime, budgetMs }).fetch(read)),
      );
      expect(outcomes.map(({ status: outcome }) => outcome)).toEqual(['rejected', 'fulfilled']);
      expect(bearer(room)).toEqual(['Bearer quick']);
      await room.runtime.tokens.write({});
      room.runtime.shared.pendingToken = {
        owner: ownerOf([HOSTS.token, 'script-client', TENANT]),
        token: { join: () => new Promise(() => undefined), isDone: () => false },
        deadline: room.clock.elapsed() + 60_000,
      };
      await new Api({ ...room.runtime, budgetMs: 1000 }).fetch(read);
      expect(room.tokenRequests).toHaveLength(3);
    },
  );

  scenario('oauth-401-once', 'is renewed once if it has expired, and the call is repeated', async () => {
    const room = await withKeptToken([status(401), { json: { id: 1 } }], { token: [token('new')] });
    await expect(room.api().fetch(read)).resolves.toEqual({ id: 1 });
    expect(bearer(room)).toEqual(['Bearer access-0', 'Bearer new']);
  });

  scenario('oauth-401-once', 'refused twice ends the call with an AuthError', async () => {
    const room = await withKeptToken([status(401), status(401)], { token: [token('new')] });
    const error = await failing(room.api().fetch(read));
    expect(error).toBeInstanceOf(AuthError);
    expect(error).toMatchObject({ exitCode: 4, status: 401, hint: expect.stringContaining('API Client ID') });
    expect(room.requests).toHaveLength(2);
  });

  const lifetimes: { what: string; members: Record<string, unknown>; keptSeconds: number }[] = [
    { what: 'expires_in is missing', members: {}, keptSeconds: 240 },
    { what: 'expires_in is not a number', members: { expires_in: 'soon' }, keptSeconds: 240 },
    { what: 'expires_in is text', members: { expires_in: '900' }, keptSeconds: 840 },
    { what: 'expires_in is a number', members: { expires_in: 900 }, keptSeconds: 840 },
    { what: 'expires_in is 121', members: { expires_in: 121 }, keptSeconds: 61 },
    { what: 'expires_in is 61', members: { expires_in: 61 }, keptSeconds: 30.5 },
    { what: 'expires_in is 60', members: { expires_in: 60 }, keptSeconds: 30 },
    { what: 'expires_in is 0', members: { expires_in: 0 }, keptSeconds: 0 },
    { what: 'expires_in is negative', members: { expires_in: -5 }, keptSeconds: 0 },
  ];
  scenario.each(lifetimes)(
    ['oauth-early-refresh', 'short-tokens'],
    'is used for $keptSeconds s if $what',
    async ({ members, keptSeconds }) => {
      const room = stage(always(OK), { token: (_, count) => token(`t${count}`, members) });
      await room.api().fetch(read);
      room.clock.advance(Math.max(0, keptSeconds * 1000 - 1));
      await room.api().fetch(read);
      expect(room.tokenRequests).toHaveLength(keptSeconds === 0 ? 2 : 1);
      room.clock.advance(1);
      await room.api().fetch(read);
      expect(room.tokenRequests).toHaveLength(keptSeconds === 0 ? 3 : 2);
    },
  );

  scenario('oauth-early-refresh', 'is used until it is refused after the clock jumped back', async () => {
    const room = stage((_, count) => (count === 1 ? status(401) : OK));
    await room.api().fetch(read);
    room.clock.advance(-86_400_000);
    await room.api().fetch(read);
    expect(bearer(room)).toEqual(['Bearer access-0', 'Bearer access-0', 'Bearer access-1']);
  });

  test.each<Record<string, string>>([
    { access_token: 'kept' },
    { access_token: 'kept', valid_until: 'tomorrow' },
    { access_token: 'kept', valid_until: '99999999999999', owner: 'someone' },
  ])('stored by the host in another form is not used: %j', async (entry) => {
    const tokens = memoryTokens();
    tokens.write(entry);
    const room = stage([OK], { tokens });
    await room.api().fetch(read);
    expect(bearer(room)).toEqual(['Bearer access-0']);
  });

  const refusals = [
    { what: '401', reply: status(401, { json: { error_description: 'bad client' } }), name: 'AuthError', sent: 1 },
    { what: '400', reply: status(400, { json: { error: 'invalid_scope' } }), name: 'AuthError', sent: 1 },
    { what: '404', reply: status(404), name: 'ResponseError', sent: 1 },
    { what: '503', reply: status(503), name: 'ResponseError', sent: 3 },
    { what: 'an answer without a token', reply: { json: { token: 'x' } }, name: 'ResponseError', sent: 1 },
    {
      what: 'a token that would become two headers',
      reply: { json: { access_token: 'x\r\nevil: 1' } },
      name: 'ResponseError',
      sent: 1,
    },
    { what: 'a token of two words', reply: { json: { access_token: 'a b' } }, name: 'ResponseError', sent: 1 },
  ];
  scenario.each(refusals)(
    'oauth-failure-clears',
    'failed with $what fails this call, but not the next one',
    async ({ reply, name, sent }) => {
      let broken = true;
      const room = stage(always(OK), { token: () => (broken ? reply : token('good')) });
      const api = room.api();
      const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => api.fetch(read)));
      expect(outcomes.map(({ status: outcome }) => outcome)).toEqual(Array(5).fill('rejected'));
      expect(await failing(api.fetch(read))).toMatchObject({ name });
      expect(room.requests).toHaveLength(0);
      expect(room.tokenRequests).toHaveLength(2 * sent);
      broken = false;
      await expect(api.fetch(read)).resolves.toEqual({});
    },
  );

  const failedWith = (reply: Script) => failing(stage([OK], { token: reply }).api().fetch(read));

  test.each<[status: number, json: object, type: unknown, retryable: boolean, message: RegExp, hint: string]>([
    [400, {}, AuthError, false, /refused .*HTTP 400/, 'API Client Secret'],
    [401, { error: 'why' }, AuthError, false, /refused .*HTTP 401.*: why$/, 'API Client Secret'],
    [404, {}, ResponseError, false, /HTTP 404/, 'Token URL'],
    [429, {}, ResponseError, true, /HTTP 429/, 'Token URL'],
    [500, { message: 'why' }, ResponseError, true, /HTTP 500: why$/, 'Token URL'],
  ])('refused with %i is an error that says what to check', async (status, json, type, retryable, message, hint) => {
    const error = await failedWith(always({ status, json }));
    expect(error.constructor).toBe(type);
    expect(error).toMatchObject({ status, retryable, hint: expect.stringContaining(hint) });
    expect(error.message).toMatch(/^No access token: /);
    expect(error.message).toMatch(message);
  });

  test('refused while a newer token is stored is replaced by the newer token', async () => {
    const tokens = memoryTokens();
    const first = stage([OK], { tokens });
    await first.api().fetch(read);
    const second = stage(
      () => {
        tokens.write({ ...tokens.read(), access_token: 'newer' });
        return { status: 401 };
      },
      { tokens, shared: first.runtime.shared },
    );
    await failing(second.api().fetch(read));
    expectNone(second.tokenRequests, 'requests for a token');
    expect(second.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer access-0', 'Bearer newer']);
  });

  scenario.each([
    { setting: 'token_url', value: HOSTS.token, other: 'https://other.example.com/token' },
    { setting: 'client_id', value: 'script-client', other: 'another-client' },
    { setting: 'tsg_id', value: TENANT, other: '9' },
  ])('token-owner', 'stored for another $setting is dropped', async ({ setting, value, other }) => {
    const tokens = memoryTokens();
    const { settings } = stage([]).runtime;
    let issued = 0;
    const run = async (text: string) => {
      issued += 1;
      const room = stage(always(OK), {
        tokens,
        settings: { ...settings, [setting]: text },
        token: always(token(`number-${issued}`)),
      });
      await room.api().fetch(read);
      return bearer(room)[0];
    };
    expect(await run(value)).toBe('Bearer number-1');
    expect(await run(value)).toBe('Bearer number-1');
    expect(await run(other)).toBe('Bearer number-3');
  });

  scenario('token-owner', 'is stored with a digest of its owner that depends on every part', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 3, maxLength: 3 }), fc.nat(2), fc.string(), (parts, at, other) => {
        const changed = parts.map((part, index) => (index === at ? other : part));
        expect(ownerOf(changed) === ownerOf(parts)).toBe(parts[at] === other);
        expect(ownerOf(parts)).toMatch(/^[0-9a-f]{16}$/);
      }),
    );
    expect(ownerOf(['ab', 'c', ''])).not.toBe(ownerOf(['a', 'bc', '']));
  });
});

describe('credentials', () => {
  scenario(
    'key-separation',
    'sends the token only to its planes, the key to the scanner, the secret to the token address',
    async () => {
      const room = stage(always(OK));
      const api = room.api();
      for (const call of [read, create, scan, dlp.get(things), modelData.get(things)]) await api.fetch(call);
      for (const { url, headers, body = '' } of room.requests) {
        const isScanner = url.startsWith(HOSTS.scanner);
        expect(headers[KEY_HEADER]).toBe(isScanner ? 'script-runtime-key' : undefined);
        expect(headers['authorization']).toBe(isScanner ? undefined : 'Bearer access-0');
        expect(body + url).not.toContain('script-client-secret');
      }
      expect(new Set(room.requests.map(({ url }) => new URL(url).origin)).size).toBe(3);
      expect(JSON.stringify(room.tokenRequests)).not.toContain('script-runtime-key');
    },
  );

  test('members of responses with tokens and keys are secrets', () => {
    expect(SECRET_MEMBERS).toEqual(['api_key', 'auth_code', 'client_secret', 'access_token', 'token_preview']);
  });

  test('are redacted in traced requests and responses', async () => {
    const traced: unknown[] = [];
    const silent = () => undefined;
    const trace = (text: string, more: () => unknown) => traced.push([text, more()]);
    const log = { debug: silent, info: silent, warn: silent, trace };
    const room = stage(always({ json: { reason: 'hidden-word' }, headers: { x: 'hidden-word' } }), { log });
    await room
      .api({ effect: 'create', secrets: ['hidden-word', ''] })
      .fetch(management.post(things, { a: 'hidden-word' }));
    const text = JSON.stringify(traced.slice(-2));
    expect(traced.slice(-2)).toMatchObject([
      [
        'sending',
        { method: 'POST', url: room.requests[0]?.url, headers: { accept: 'application/json' }, upload: undefined },
      ],
      ['received', { status: 200, file: undefined }],
    ]);
    expect(text).toContain('reason');
    expect(text).not.toContain('hidden-word');
  });
});
