import fc from 'fast-check';
import { ownerOf } from '../../lib/api/auth.ts';
import { type Call, dlp, management, modelData, type Paging, plane, scanner } from '../../lib/api/call.ts';
import { createApi } from '../../lib/api/create.ts';
import { findLatest, latestOf } from '../../lib/api/find.ts';
import { path, pathText, tenant } from '../../lib/api/path.ts';
import { askedDelay } from '../../lib/api/retry.ts';
import { memoryTokens } from '../../lib/api/shared.ts';
import { KEY_HEADER } from '../../lib/api/wire.ts';
import { limit, text } from '../../lib/arguments/words.ts';
import { command, type Effect } from '../../lib/command.ts';
import {
  AuthError,
  CancelledError,
  ConfigurationError,
  ConflictError,
  NetworkError,
  NotFoundError,
  PermissionError,
  PreconditionError,
  QuotaError,
  RateLimitError,
  ResponseError,
  ServiceError,
  TimeoutError,
  UsageError,
  ValidationError,
} from '../../lib/errors.ts';
import { many, one, record, string } from '../../lib/output/record.ts';
import { needSettings } from '../../lib/settings/required.ts';
import { brokenAnswer, lostConnection, refused } from '../../lib/transport/failures.ts';
import { scenario } from '../scenarios/claims.ts';
import { failing, OK, type Reply, type Stage, stage, token } from '../support/exchange.ts';
import { expectNone } from '../support/expect-none.ts';
import { HOSTS, TENANT } from '../support/scripted.ts';

const things = path`/v1/things`;
const read = management.get(things);
const create = management.post(things, { name: 'a' });
const scan = scanner.post(path`/v1/scan`, { prompt: 'a' });
const CHANGES: readonly Effect[] = ['create', 'update', 'replace', 'delete', 'run'];
const UNKNOWN = 'outcome is unknown';

function always(reply: Reply | Error) {
  return () => reply;
}

function status(code: number, more: Reply = {}): Reply {
  return { status: code, ...more };
}

/** A kept token makes the next call's token an old one. */
async function withKeptToken(service: Parameters<typeof stage>[0], options?: Parameters<typeof stage>[1]) {
  const tokens = memoryTokens();
  await stage(always(OK), { tokens }).api().fetch(read);
  return stage(service, { tokens, ...options });
}

describe('repeating a request', () => {
  scenario.each([{ random: 0 }, { random: 0.25 }, { random: 0.5 }, { random: 0.999 }])(
    'retry-get-503',
    'a read is repeated after waits within full jitter (random number $random)',
    async ({ random }) => {
      const room = stage([status(503), status(503), { json: { id: 7 } }], { random });
      await expect(room.api().fetch(read)).resolves.toEqual({ id: 7 });
      expect(room.requests).toHaveLength(3);
      expect(room.clock.waits).toHaveLength(2);
      for (const [attempt, wait] of room.clock.waits.entries()) {
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(500 * 2 ** attempt);
        expect(wait).toBeCloseTo(random * 500 * 2 ** attempt, -1);
      }
    },
  );

  scenario('retry-get-503', '503, 503, 200 is a success after three requests', async () => {
    const room = stage([status(503), status(503), OK]);
    await room.api().fetch(read);
    expect(room.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(
      Array(3).fill(`GET ${HOSTS.management}/aisec/v1/things`),
    );
  });

  test.each([408, 500, 502, 503, 504])('a read that keeps getting %i ends after three attempts', async (code) => {
    const room = stage(always(status(code)));
    const error = await failing(room.api().fetch(read));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: code, exitCode: 8 });
    expect(error.hint).not.toContain(UNKNOWN);
    expect(room.requests).toHaveLength(3);
  });

  scenario.each(CHANGES.flatMap((effect) => [500, 502, 503, 504].map((code) => ({ effect, code }))))(
    'retry-post-never-blind',
    'a $effect that gets $code is sent once, and its outcome said to be unknown',
    async ({ effect, code }) => {
      const room = stage(always(status(code)));
      const error = await failing(room.api({ effect }).fetch(create));
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({ status: code, retryable: false });
      expect(error.hint).toMatch(/outcome is unknown: list .* before you repeat/);
      expect(room.requests).toHaveLength(1);
      expectNone(room.clock.waits, 'waits');
    },
  );

  scenario.each([
    { what: 'is marked as a read', call: { ...create, reads: true }, caller: { effect: 'create' as const } },
    { what: 'belongs to a command that only reads', call: create, caller: { effect: 'read' as const } },
    {
      what: 'belongs to a command declared repeatable',
      call: create,
      caller: { effect: 'run' as const, repeatable: true },
    },
  ])('retry-read-by-post', 'a POST that $what is repeated', async ({ call, caller }) => {
    const room = stage([status(503), lostConnection('h'), { json: { quota: 1 } }]);
    await expect(room.api(caller).fetch(call)).resolves.toEqual({ quota: 1 });
    expect(room.requests).toHaveLength(3);
  });

  scenario('retry-read-by-post', 'a declared command whose POST reads is repeated, and made by a dry run', async () => {
    const quota = command('aisec-test-quota', 'Show the quota.', {
      effect: 'run',
      args: { kind: text('Kind of quota.', { required: true }) },
      output: one(record('AiSec.TestQuota', 'Quota', [], { left: string('What is left.') })),
      call: ({ kind }) => management.post(path`/v1/quota`, { kind }, { reads: true }),
    });
    for (const dryRun of [false, true]) {
      const room = stage([status(503), { json: { left: '5' } }]);
      const result = await room.run('!aisec-test-quota kind=scans', quota, { dryRun });
      expect(result.writes).toEqual([{ path: 'AiSec.TestQuota', key: [], value: { left: '5' } }]);
      expect(room.requests.map(({ body }) => body)).toEqual(Array(2).fill('{"kind":"scans"}'));
    }
  });

  const NOW = Date.UTC(2026, 10, 21, 12);
  const asked = [
    { form: 'seconds', reply: { headers: { 'retry-after': '2' } }, wait: 2000 },
    { form: 'parts of a second', reply: { headers: { 'retry-after': ' 0.5 ' } }, wait: 500 },
    { form: 'a date', reply: { headers: { 'retry-after': 'Sat, 21 Nov 2026 12:00:03 GMT' } }, wait: 3000 },
    { form: 'a date that has passed', reply: { headers: { 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' } }, wait: 0 },
    {
      form: 'a date of a clock that is hours away, beside the date of the answer,',
      reply: {
        headers: { 'retry-after': 'Sat, 21 Nov 2026 21:00:05 GMT', date: 'Sat, 21 Nov 2026 21:00:00 GMT' },
      },
      wait: 5000,
    },
    { form: 'a body in seconds', reply: { json: { retry_after: { interval: 4, unit: 'seconds' } } }, wait: 4000 },
    { form: 'a body without a unit', reply: { json: { retry_after: { interval: '3' } } }, wait: 3000 },
    { form: 'a body in minutes', reply: { json: { retry_after: { interval: 1, unit: 'MINUTE' } } }, wait: 60_000 },
    { form: 'a body in milliseconds', reply: { json: { retry_after: { interval: 250, unit: 'ms' } } }, wait: 250 },
  ];
  scenario.each(asked)('retry-429-header', 'waits as long as $form asks', async ({ reply, wait }) => {
    const room = stage([status(429, reply), OK]);
    await room.api().fetch(read);
    expect(room.clock.waits).toEqual([wait]);
    expect(room.requests).toHaveLength(2);
  });

  scenario('retry-429-header', 'a change that was turned away is sent again: no work was done on it', async () => {
    const room = stage([status(429, { headers: { 'retry-after': '2' } }), OK]);
    await room.api({ effect: 'create' }).fetch(create);
    expect(room.clock.waits).toEqual([2000]);
  });

  test.each<{ form: string; response: Reply; delay: number | undefined }>([
    { form: 'a negative interval', response: { body: '{"retry_after":{"interval":-1}}' }, delay: undefined },
    { form: 'no interval', response: { body: '{"retry_after":{"interval":null}}' }, delay: undefined },
    {
      form: 'an unknown unit',
      response: { body: '{"retry_after":{"interval":1,"unit":"fortnight"}}' },
      delay: undefined,
    },
    { form: 'a number alone', response: { body: '{"retry_after":5}' }, delay: undefined },
    { form: 'a body that is null', response: { body: 'null' }, delay: undefined },
    { form: 'a body that is no JSON', response: { body: '<html>' }, delay: undefined },
    { form: 'an endless interval', response: { body: '{"retry_after":{"interval":1e999}}' }, delay: 31_536_000_000 },
    {
      form: 'an endless number of hours',
      response: { body: '{"retry_after":{"interval":1e308,"unit":"h"}}' },
      delay: 31_536_000_000,
    },
    { form: 'hours', response: { body: '{"retry_after":{"interval":1,"unit":"hours"}}' }, delay: 3_600_000 },
  ])('reads $form of a rate limit as $delay', ({ response, delay }) => {
    expect(askedDelay({ status: 429, headers: {}, body: '', ...response }, NOW)).toBe(delay);
  });

  scenario.each([
    { what: 'a day', seconds: '86400', budgetMs: 300_000 },
    { what: 'a day, even with a week to spend', seconds: '86400', budgetMs: 604_800_000 },
    { what: 'more than the budget has left', seconds: '20', budgetMs: 15_000 },
  ])('retry-429-header', 'a service that asks for $what is not waited for', async ({ seconds, budgetMs }) => {
    const room = stage([status(429, { headers: { 'retry-after': seconds } })], { budgetMs });
    const error = await failing(room.api().fetch(read));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ exitCode: 7, status: 429 });
    expect(error.hint).toContain(seconds);
    expectNone(room.clock.waits, 'waits');
  });

  const settled = [400, 401, 402, 403, 404, 405, 409, 412, 413, 415, 422];
  scenario.each(settled.map((code) => ({ code })))(
    'retry-never-4xx',
    '$code to a new token, and to the scanner key, is final',
    async ({ code }) => {
      const room = stage(always(status(code)));
      await expect(room.api().fetch(read)).rejects.toMatchObject({ status: code });
      await expect(room.api().fetch(scan)).rejects.toMatchObject({ status: code });
      expect(room.requests).toHaveLength(2);
      expect(room.tokenRequests).toHaveLength(1);
      expectNone(room.clock.waits, 'waits');
    },
  );

  scenario.each([401, 403].flatMap((code) => CHANGES.map((effect) => ({ code, effect }))))(
    'retry-never-4xx',
    '$code to a kept token of a $effect is one new token and one replay, never more',
    async ({ code, effect }) => {
      const room = await withKeptToken(always(status(code)));
      await expect(room.api({ effect }).fetch(create)).rejects.toMatchObject({ status: code });
      expect(room.requests).toHaveLength(2);
      expect(room.tokenRequests).toHaveLength(1);
    },
  );

  const attemptsOf = async (room: Stage, api: ReturnType<Stage['api']>, calls: number) => {
    const before = room.requests.length;
    await Promise.allSettled(Array.from({ length: calls }, () => api.fetch(read)));
    return room.requests.length - before;
  };

  scenario(
    'retry-budget',
    'a hundred failing commands share few repeats as well: the budget is no command',
    async () => {
      const room = stage(always(status(503)));
      await Promise.allSettled(Array.from({ length: 100 }, () => room.api().fetch(read)));
      expect(room.requests).toHaveLength(110);
      expect(room.clock.waits).toHaveLength(10);
    },
  );

  scenario(
    'retry-budget',
    'a service that asks each call for patience once is met with it for as long as it asks',
    async () => {
      const room = stage((_, count) => (count % 2 === 0 ? status(429, { headers: { 'retry-after': '1' } }) : OK));
      for (let call = 0; call < 50; call += 1) await room.api().fetch(read);
      expect(room.requests).toHaveLength(100);
    },
  );

  scenario('retry-budget', 'a hundred failing calls share few repeats, and successes give them back', async () => {
    let healthy = false;
    const room = stage(() => (healthy ? OK : status(503)));
    const api = room.api();
    expect(await attemptsOf(room, api, 100)).toBeLessThanOrEqual(120);
    expect(await attemptsOf(room, api, 10)).toBe(10);
    healthy = true;
    expect(await attemptsOf(room, api, 20)).toBe(20);
    healthy = false;
    const again = await attemptsOf(room, api, 10);
    expect(again).toBeGreaterThan(10);
    expect(again).toBeLessThanOrEqual(20);
  });
});

describe('the time of a command', () => {
  scenario('timeout-budget', 'every attempt gets what is left of it', async () => {
    const room = stage([{ status: 503, takesMs: 4000 }, { status: 503, takesMs: 4000 }, { takesMs: 20_000 }], {
      budgetMs: 10_000,
      random: 0,
    });
    const error = await failing(room.api().fetch(read));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ exitCode: 9, message: expect.stringContaining('waiting for the answer') });
    expect(room.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, 6000, 2000]);
  });

  scenario('timeout-budget', 'is over for a list whose pages are slow, and no page is asked for after it', async () => {
    const room = stage((_, count) => ({ json: { rows: [{ id: count }], next_offset: count + 1 }, takesMs: 3000 }), {
      budgetMs: 10_000,
    });
    const error = await failing(room.api().list(management.list(things, { items: 'rows' })));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(room.requests).toHaveLength(4);
    expect(room.clock.now()).toBe(Date.UTC(2026, 10, 21, 12, 0, 10));
  });

  scenario('timeout-budget', 'that is used up before the request is made makes none', async () => {
    const room = stage([], { budgetMs: 5000 });
    const api = room.api({ effect: 'create' });
    room.clock.advance(5000);
    for (const call of [create, scan]) {
      const error = await failing(api.fetch(call));
      expect(error).toMatchObject({ name: 'TimeoutError', message: 'The command did not finish within 5 seconds.' });
      // Nothing was sent, so nothing about it is unknown.
      expect(error.hint).not.toContain(UNKNOWN);
    }
    expect(room.requests.length + room.tokenRequests.length).toBe(0);
  });

  scenario('timeout-budget', 'is never exceeded by a wait', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8000 }),
        fc.integer({ min: 0, max: 3000 }),
        async (budgetMs, takesMs) => {
          const room = stage(always({ status: 503, takesMs }), { budgetMs, random: 0.99 });
          const start = room.clock.now();
          await failing(room.api().fetch(read));
          expect(room.clock.now() - start).toBeLessThanOrEqual(budgetMs);
        },
      ),
    );
  });

  scenario.each([{ ms: 3_600_000 }, { ms: -3_600_000 }])(
    'clock-jump',
    'is not used up, and not made longer, by a wall clock that jumps by $ms ms',
    async ({ ms }) => {
      const jumping = (reply: (count: number) => Reply) => {
        const room: Stage = stage((_, count) => {
          if (count === 0) room.clock.jump(ms);
          return reply(count);
        });
        return room;
      };
      const soon = jumping((count) => (count === 0 ? status(503) : OK));
      await soon.api().fetch(read);
      expect(soon.requests).toHaveLength(2);
      const slow = jumping(() => ({ status: 503, takesMs: 200_000 }));
      await failing(slow.api().fetch(read));
      expect(slow.clock.elapsed()).toBeLessThanOrEqual(300_000);
    },
  );

  test('a stopped run sends nothing more', async () => {
    let stopped = false;
    const room = stage(
      () => {
        stopped = true;
        return status(503);
      },
      { cancelled: () => stopped },
    );
    expect(await failing(room.api().fetch(read))).toBeInstanceOf(CancelledError);
    expect(room.requests).toHaveLength(1);
  });
});

describe('a connection that fails', () => {
  const failures = [{ error: lostConnection('h') }, { error: brokenAnswer('h') }, { error: refused('h') }];
  scenario.each(failures)('network-reset-mid-body', 'a read is repeated ($error.message)', async ({ error }) => {
    const room = stage([error, error, OK]);
    await room.api().fetch(read);
    expect(room.requests).toHaveLength(3);
  });

  scenario.each(
    [lostConnection('h'), brokenAnswer('h')].flatMap((error) => CHANGES.map((effect) => ({ error, effect }))),
  )('network-reset-mid-body', 'a $effect is not ($error.message)', async ({ error, effect }) => {
    const room = stage([error]);
    const told = await failing(room.api({ effect }).fetch(create));
    expect(told).toBeInstanceOf(NetworkError);
    expect(told).toMatchObject({ message: error.message, retryable: false, exitCode: 9 });
    expect(told.hint).toContain(UNKNOWN);
    expect(room.requests).toHaveLength(1);
  });

  test('one that is permanent is not tried again', async () => {
    const room = stage([new NetworkError('No such host.', { hint: 'Check it.' })]);
    expect(await failing(room.api().fetch(read))).toMatchObject({ message: 'No such host.', hint: 'Check it.' });
    expect(room.requests).toHaveLength(1);
  });
});

describe('the access token', () => {
  const bearer = (room: Stage) => room.requests.map(({ headers }) => headers['authorization']);

  scenario('oauth-single-flight', 'fifty parallel calls fetch one', async () => {
    const room = stage(always(OK));
    const api = room.api();
    await Promise.all(Array.from({ length: 50 }, () => api.fetch(read)));
    expect(room.tokenRequests).toHaveLength(1);
    expect(new Set(bearer(room))).toEqual(new Set(['Bearer access-0']));
  });

  scenario('oauth-single-flight', 'fifty parallel commands fetch one, and one more when it is refused', async () => {
    let revoked = '';
    const room = stage(({ headers }) => (headers['authorization'] === revoked ? status(401) : OK));
    const fifty = () => Promise.all(Array.from({ length: 50 }, () => room.api({ effect: 'create' }).fetch(create)));
    await fifty();
    expect([room.tokenRequests.length, room.requests.length]).toEqual([1, 50]);
    revoked = 'Bearer access-0';
    await fifty();
    expect([room.tokenRequests.length, room.requests.length]).toEqual([2, 150]);
  });

  scenario(
    ['oauth-single-flight', 'timeout-budget'],
    'a command waits for the token of another one as long as itself, and not for the failures of its time',
    async () => {
      const room = stage(always(OK), {
        token: (_, count) => (count === 0 ? { ...token('slow'), takesMs: 20_000 } : token('quick')),
      });
      const outcomes = await Promise.allSettled(
        [15_000, 60_000].map((budgetMs) => createApi({ ...room.runtime, budgetMs }, { effect: 'read' }).fetch(read)),
      );
      expect(outcomes.map(({ status: outcome }) => outcome)).toEqual(['rejected', 'fulfilled']);
      expect(bearer(room)).toEqual(['Bearer quick']);
      room.runtime.tokens.write({});
      room.runtime.shared.pendingToken = {
        owner: ownerOf([HOSTS.token, 'script-client', TENANT]),
        token: new Promise(() => undefined),
        until: room.clock.elapsed() + 60_000,
      };
      await createApi({ ...room.runtime, budgetMs: 1000 }, { effect: 'read' }).fetch(read);
      expect(room.tokenRequests).toHaveLength(3);
    },
  );

  scenario('oauth-single-flight', 'fifty parallel calls whose kept token has expired renew it once', async () => {
    const room = await withKeptToken(({ headers }) => (headers['authorization'] === 'Bearer new' ? OK : status(401)), {
      token: always(token('new')),
    });
    const api = room.api();
    await Promise.all(Array.from({ length: 50 }, () => api.fetch(read)));
    expect(room.tokenRequests).toHaveLength(1);
    expect(room.requests).toHaveLength(100);
  });

  test('is asked for as the service wants it', async () => {
    const room = stage([OK]);
    await room.api().fetch(read);
    const [request] = room.tokenRequests;
    expect(request).toMatchObject({
      method: 'POST',
      url: HOSTS.token,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'script-client',
      client_secret: 'script-client-secret',
      scope: `profile tsg_id:${TENANT}`,
    });
  });

  scenario('oauth-401-once', 'that has expired is renewed and the call replayed, once', async () => {
    const room = await withKeptToken([status(401), { json: { id: 1 } }], { token: [token('new')] });
    await expect(room.api().fetch(read)).resolves.toEqual({ id: 1 });
    expect(bearer(room)).toEqual(['Bearer access-0', 'Bearer new']);
  });

  scenario('oauth-401-once', 'that is refused twice is the end of the call', async () => {
    const room = await withKeptToken([status(401), status(401)], { token: [token('new')] });
    const error = await failing(room.api().fetch(read));
    expect(error).toBeInstanceOf(AuthError);
    expect(error).toMatchObject({ exitCode: 4, status: 401, hint: expect.stringContaining('API Client ID') });
    expect(room.requests).toHaveLength(2);
  });

  const lifetimes: { what: string; members: Record<string, unknown>; keptSeconds: number }[] = [
    { what: 'expires_in is missing', members: {}, keptSeconds: 240 },
    { what: 'expires_in is null', members: { expires_in: null }, keptSeconds: 240 },
    { what: 'expires_in is no number', members: { expires_in: 'soon' }, keptSeconds: 240 },
    { what: 'expires_in is text', members: { expires_in: '900' }, keptSeconds: 840 },
    { what: 'expires_in is a number', members: { expires_in: 900 }, keptSeconds: 840 },
    { what: 'expires_in is 0', members: { expires_in: 0 }, keptSeconds: 0 },
    { what: 'expires_in is negative', members: { expires_in: -5 }, keptSeconds: 0 },
  ];
  scenario.each(lifetimes)(
    'oauth-early-refresh',
    'is kept until a minute before its end where $what: $keptSeconds s',
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

  scenario('oauth-early-refresh', 'is used until it is refused where the clock has jumped back', async () => {
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
  ])('that the host kept in another form is not used: %j', async (entry) => {
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
      what: 'a token that would be two headers',
      reply: { json: { access_token: 'x\r\nevil: 1' } },
      name: 'ResponseError',
      sent: 1,
    },
    { what: 'a sign-in page', reply: { body: '<html>' }, name: 'ResponseError', sent: 1 },
    { what: 'null', reply: { body: 'null' }, name: 'ResponseError', sent: 1 },
  ];
  scenario.each(refusals)(
    'oauth-failure-clears',
    'that could not be had ($what) fails this call and not the next',
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

  scenario.each([
    { setting: 'token_url', value: HOSTS.token, other: 'https://other.example.com/token' },
    { setting: 'client_id', value: 'script-client', other: 'another-client' },
    { setting: 'tsg_id', value: TENANT, other: '9' },
  ])('token-owner', 'that is kept is dropped when $setting changes', async ({ setting, value, other }) => {
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

  scenario('token-owner', 'is marked by all parts of its owner, and by none in the clear', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 3, maxLength: 3 }), fc.nat(2), fc.string(), (parts, at, other) => {
        const changed = parts.map((part, index) => (index === at ? other : part));
        expect(ownerOf(changed) === ownerOf(parts)).toBe(parts[at] === other);
        expect(ownerOf(parts)).toMatch(/^[0-9a-f]{16}$/);
      }),
    );
    expect(ownerOf(['ab', 'c', ''])).not.toBe(ownerOf(['a', 'bc', '']));
  });

  scenario(
    'key-separation',
    'goes to its planes alone, the key to the scanner alone, the secret to the token address alone',
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

  scenario.each([{ call: read }, { call: scan }])(
    'key-separation',
    'a redirect is not followed ($call.plane)',
    async ({ call }) => {
      const room = stage([status(302, { headers: { location: 'https://evil.example.com/' } })]);
      const error = await failing(room.api().fetch(call));
      expect(error).toMatchObject({ name: 'ServiceError', status: 302, hint: expect.stringContaining('not followed') });
      expect(room.requests).toHaveLength(1);
    },
  );
});

describe('a list', () => {
  interface Service {
    paging: Paging;
    total: number;
    cap: number;
    tellsTotal: boolean;
  }

  /** A list of numbered records, served as the plane serves it, never more than `cap` a page. */
  const serving =
    ({ paging, total, cap, tellsTotal }: Service) =>
    ({ url }: { url: string }): Reply => {
      const query = new URL(url).searchParams;
      const start = paging === 'whole' ? 0 : Number(query.get(paging === 'skip' ? 'skip' : 'offset'));
      const size = paging === 'whole' ? total : Math.min(cap, Number(query.get('limit')));
      const rows = Array.from({ length: Math.max(0, Math.min(size, total - start)) }, (_, index) => ({
        id: start + index,
      }));
      const next = start + rows.length < total && paging === 'offset' ? { next_offset: start + rows.length } : {};
      const pagination = paging === 'skip' ? { pagination: { total_items: tellsTotal ? total : null } } : {};
      return { json: { rows, ...next, ...pagination } };
    };

  const services = fc.record({
    paging: fc.constantFrom<Paging>('offset', 'skip', 'whole'),
    total: fc.nat(450),
    cap: fc.integer({ min: 1, max: 250 }),
    tellsTotal: fc.constant(true),
  });

  test('has exactly the records that were asked for, in their order, whatever the size of a page', async () => {
    const windows = fc.record({ limit: fc.option(fc.integer({ min: 1, max: 500 })), offset: fc.nat(60) });
    await fc.assert(
      fc.asyncProperty(services, windows, fc.boolean(), async (service, { limit, offset }, streams) => {
        const room = stage(serving(service));
        const call = management.list(things, {
          items: 'rows',
          limit: limit ?? undefined,
          offset,
          paging: service.paging,
        });
        const taken: unknown[] = [];
        const page = await room.api().list(call, streams ? (records) => taken.push(...records) : undefined);
        const there = Math.max(0, service.total - offset);
        const count = Math.min(limit ?? there, there);
        const wanted = Array.from({ length: count }, (_, index) => ({ id: offset + index }));
        expect(streams ? taken : page.records).toEqual(wanted);
        expect(page).toMatchObject({ count, more: count < there, repeated: false });
      }),
      { numRuns: 150 },
    );
  });

  test('of a plane that tells no total ends with a short page', async () => {
    const room = stage(serving({ paging: 'skip', total: 250, cap: 100, tellsTotal: false }));
    const page = await room.api().list(management.list(things, { items: 'rows', paging: 'skip' }));
    expect(page).toMatchObject({ count: 250, more: false, total: undefined });
    expect(room.requests).toHaveLength(3);
  });

  test('asks for no more than is wanted', async () => {
    const room = stage(serving({ paging: 'offset', total: 1000, cap: 1000, tellsTotal: true }));
    await room.api().list(management.list(things, { items: 'rows', limit: 230, offset: 5, query: { kind: 'a b' } }));
    expect(room.requests.map(({ url }) => new URL(url).search)).toEqual([
      '?kind=a%20b&offset=5&limit=100',
      '?kind=a%20b&offset=105&limit=100',
      '?kind=a%20b&offset=205&limit=30',
    ]);
  });

  scenario('page-repeat', 'whose service ignores the position stops, and holds nothing twice', async () => {
    const ignoring = fc.record({
      paging: fc.constantFrom<Paging>('offset', 'skip'),
      cap: fc.integer({ min: 1, max: 200 }),
      limit: fc.option(fc.integer({ min: 1, max: 450 })),
    });
    await fc.assert(
      fc.asyncProperty(ignoring, async ({ paging, cap, limit }) => {
        const room = stage(({ url }) => {
          const query = new URL(url).searchParams;
          const size = Math.min(cap, Number(query.get('limit')));
          const position = Number(query.get('offset') ?? query.get('skip'));
          const rows = Array.from({ length: size }, (_, id) => ({ id }));
          return { json: { rows, next_offset: position + size, pagination: { total_items: 400 } } };
        });
        const page = await room
          .api()
          .list(management.list(things, { items: 'rows', limit: limit ?? undefined, paging }));
        const ids = page.records.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(room.requests.length).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('is not cut where a page begins as the one before it did', async () => {
    const pages = [['x', 'y'], ['x', 'z'], ['w']];
    const room = stage((_, count) => ({
      json: { rows: pages[count], ...(count < 2 ? { next_offset: count + 1 } : {}) },
    }));
    const page = await room.api().list(management.list(things, { items: 'rows', texts: true }));
    expect(page.records.map(({ value }) => value)).toEqual(pages.flat());
  });

  scenario('page-repeat', 'says in the table that it may not be complete', async () => {
    const rows = Array.from({ length: 3 }, (_, id) => ({ id: String(id) }));
    const room = stage(always({ json: { rows, next_offset: 999 } }));
    const list = command('aisec-test-list', 'List.', {
      effect: 'read',
      args: { limit: limit(50) },
      output: many(record('AiSec.Test', 'Tests', 'id', { id: string('Id.') })),
      call: (given) => management.list(things, { items: 'rows', ...given }),
    });
    const { readable, writes } = await room.run('!aisec-test-list', list);
    expect(writes[0]?.value).toEqual(rows);
    expect(readable.notes).toEqual([expect.stringContaining('repeated a page')]);
  });

  test.each([{ next_offset: 0 }, { next_offset: -5 }, { next_offset: '100' }, { next_offset: null }])(
    'ends at a next position that leads nowhere: %j',
    async (more) => {
      const room = stage([{ json: { rows: [{ id: 1 }], ...more } }]);
      expect((await room.api().list(management.list(things, { items: 'rows' }))).count).toBe(1);
    },
  );

  test('of plain texts becomes records', async () => {
    const room = stage([{ json: { keys: ['a', 'b'] } }]);
    const { records } = await room.api().list(management.list(things, { items: 'keys', texts: true }));
    expect(records).toEqual([{ value: 'a' }, { value: 'b' }]);
  });

  test.each([{ rows: { id: 1 } }, { rows: 'many' }, { rows: [null] }])('is not made of %j', async (json) => {
    const room = stage([{ json }]);
    const error = await failing(room.api().list(management.list(things, { items: 'rows' })));
    expect(error).toBeInstanceOf(ResponseError);
    expect(error.message).toContain('"rows"');
  });

  test.each([
    { json: { content: [{ id: 1 }], page: { total_elements: 40, total_pages: 4 }, total_pages: 4 } },
    { json: { content: [{ id: 1 }], totalElements: 40, totalPages: 4 } },
    { json: { content: [{ id: 1 }], page: { total_elements: 40, total_pages: 4 } } },
    { json: { content: [{ id: 1 }], page: { totalElements: 40, totalPages: 4 } } },
    { json: { content: [{ id: 1 }], total_elements: 40 } },
  ])('of a plane that counts pages is that one page: %j', async ({ json }) => {
    const room = stage([{ json }]);
    const page = await room.api().list(dlp.list(things, { items: 'content', limit: 10, offset: 2 }));
    expect(page).toMatchObject({ count: 1, total: 40, pages: 4, more: true });
    expect(room.requests[0]?.url).toContain('?page=2&size=10');
  });

  test.each([
    { json: { content: [{ id: 1 }], last: false }, more: true },
    { json: { content: [{ id: 1 }], last: true }, more: false },
    { json: { content: [{ id: 1 }] }, more: false },
    { json: { content: Array.from({ length: 11 }, () => ({ id: 1 })) }, more: true },
  ])('of a plane that counts pages may tell no totals: $more', async ({ json, more }) => {
    const page = await stage([{ json }])
      .api()
      .list(dlp.list(things, { items: 'content', limit: 10 }));
    expect(page).toMatchObject({ more, total: undefined, pages: undefined });
  });
});

describe('finding one record', () => {
  const rows = [
    { name: 'a', revision: 2 },
    { name: 'b', revision: 9 },
    { name: 'a', revision: 10 },
    { name: 'a', revision: 3 },
  ];

  test('takes the highest revision, wherever it stands in the list', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(rows, { minLength: 4 }), async (shuffled) => {
        const room = stage((_, count) => ({
          json: { rows: [shuffled[count]], next_offset: count < 3 ? count + 1 : null },
        }));
        const call = management.list(things, { items: 'rows' });
        await expect(findLatest(room.api(), call, 'thing', { name: 'a' })).resolves.toEqual({
          name: 'a',
          revision: 10,
        });
      }),
    );
  });

  test('says what was sought when nothing matches', () => {
    const seek = () => latestOf(rows, 'thing', { name: 'c', id: undefined });
    expect(seek).toThrow(NotFoundError);
    expect(seek).toThrow('There is no thing with name=c.');
  });
});

describe('an address', () => {
  const textOf = (segment: string) => pathText(path`/v1/x/${segment}/y`, () => TENANT);

  test('holds every segment as it went in, or the segment is refused', () => {
    const hostile = fc.constantFrom(
      '.',
      '%',
      '2e',
      '%2e',
      '%25',
      '/',
      '\\',
      '?',
      '#',
      ' ',
      '\u0000',
      'é',
      '\ud800',
      ';',
      ':',
    );
    const segments = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(hostile).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(segments, (segment) => {
        let sent: string;
        try {
          sent = textOf(segment);
        } catch (error) {
          expect(error).toBeInstanceOf(ValidationError);
          return;
        }
        const { pathname, search, hash } = new URL(`https://h.example.com${sent}`);
        expect(pathname).toBe(sent);
        expect([search, hash]).toEqual(['', '']);
        const parts = sent.split('/');
        expect(parts.map(decodeURIComponent)).toEqual(['', 'v1', 'x', segment, 'y']);
      }),
      { numRuns: 1000 },
    );
  });

  scenario.each(
    [
      '',
      ' ',
      '.',
      '..',
      ' .. ',
      '%2e',
      '%2E%2e',
      '.%2e',
      '%252e%252e',
      '%25252e%25252E',
      '\u00a0..',
      '\ud800',
      'a\udc00',
    ].map((segment) => ({ segment })),
  )('path-dots', 'never holds the segment "$segment", and nothing is sent', async ({ segment }) => {
    const room = stage([]);
    for (const call of [management.get(path`/v1/${segment}`), management.delete(path`/v1/x/${segment}/force`)]) {
      expect(await failing(room.api().fetch(call))).toBeInstanceOf(ValidationError);
    }
    expect(room.requests.length + room.tokenRequests.length).toBe(0);
  });

  test.each(['50%', 'a%20b', '%41', 'A/B', '...', '..a', 'a b', '%2525', "it's (1)*!", 'größe'])(
    'carries the name %s as one segment',
    (name) => {
      const sent = textOf(name).split('/');
      expect(sent).toHaveLength(5);
      expect(decodeURIComponent(sent[3] ?? '')).toBe(name);
    },
  );

  test('holds the configured tenant where the path says so', () => {
    expect(pathText(path`/v1/tsg/${tenant}`, () => TENANT)).toBe(`/v1/tsg/${TENANT}`);
  });

  test.each([
    { url: 'https://h.example.com', sent: 'https://h.example.com/aisec/v1/things' },
    { url: 'https://h.example.com//', sent: 'https://h.example.com/aisec/v1/things' },
    { url: 'https://h.example.com/aisec', sent: 'https://h.example.com/aisec/v1/things' },
    { url: 'https://h.example.com/gateway/aisec/', sent: 'https://h.example.com/gateway/aisec/v1/things' },
  ])('below $url begins with the plane once', async ({ url, sent }) => {
    const { runtime } = stage([]);
    const room = stage([OK], { settings: { ...runtime.settings, url } });
    await room.api().fetch(read);
    expect(room.requests[0]?.url).toBe(sent);
  });

  test('carries a query encoded, lists as repeated parameters, and leaves out what was not given', async () => {
    const room = stage([OK]);
    await room.api().fetch(management.get(things, { a: 'x&y=#é', b: undefined, c: ['1', '2'], d: 0, e: false }));
    expect(room.requests[0]?.url).toBe(`${HOSTS.management}/aisec/v1/things?a=x%26y%3D%23%C3%A9&c=1&c=2&d=0&e=false`);
  });

  test('is written as everybody on the way writes it, and not sent when it cannot be written', async () => {
    const room = stage([OK]);
    await room.api().fetch(management.get(things, { a: "it's (1)*!" }));
    expect(room.requests[0]?.url).toMatch(/\?a=it%27s%20%281%29%2A%21$/);
    expect(new URL(room.requests[0]?.url ?? '').href).toBe(room.requests[0]?.url);
    const error = await failing(room.api().fetch(management.get(things, { a: 'half\ud800' })));
    expect(error).toMatchObject({ name: 'ValidationError', message: expect.stringContaining('surrogate') });
    expect(room.requests).toHaveLength(1);
  });

  test('is answered with nothing that can be used where the answer nests without end', async () => {
    const room = stage([{ body: `{"a": ${'['.repeat(50_000)}${']'.repeat(50_000)}}` }]);
    expect(await failing(room.api().fetch(read))).toMatchObject({ name: 'ResponseError' });
  });

  type Optional = 'url' | 'client_id' | 'client_secret' | 'runtime_api_key' | 'tsg_id';
  test.each<{ what: string; call: Call; without: Optional[]; names: string[] }>([
    {
      what: 'a scan without its key',
      call: scan,
      without: ['runtime_api_key'],
      names: ['Runtime API Key (AISEC_RUNTIME_API_KEY)'],
    },
    {
      what: 'a management call without client and tenant',
      call: read,
      without: ['client_id', 'client_secret', 'tsg_id'],
      names: ['AISEC_CLIENT_ID', 'AISEC_CLIENT_SECRET', 'AISEC_TSG_ID'],
    },
    { what: 'a management call without its address', call: read, without: ['url'], names: ['AISEC_BASE_URL'] },
  ])('of $what is a configuration error that names each setting', async ({ call, without, names }) => {
    const settings = { ...stage([]).runtime.settings };
    for (const name of without) delete settings[name];
    const room = stage([], { settings });
    const error = await failing(room.api().fetch(call));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.exitCode).toBe(3);
    for (const name of names) expect(error.message).toContain(name);
    expect(room.requests.length + room.tokenRequests.length).toBe(0);
  });

  test('of the scanner asks for nothing that only management needs', async () => {
    const { runtime } = stage([]);
    const { scanner_base_url, dlp_base_url, token_url, insecure, proxy } = runtime.settings;
    const settings = { scanner_base_url, dlp_base_url, token_url, insecure, proxy, runtime_api_key: 'k' };
    await expect(stage([OK], { settings }).api().fetch(scan)).resolves.toEqual({});
    expect(needSettings({ ...runtime, settings }, ['runtime_api_key'])).toEqual(['k']);
  });
});

describe('an answer', () => {
  scenario.each([
    { what: 'no body', reply: status(204), value: {} },
    { what: 'white space', reply: { body: ' \n' }, value: {} },
    { what: 'a plain text', reply: { body: 'successfully deleted' }, value: { message: 'successfully deleted' } },
    { what: 'a JSON text', reply: { json: 'deleted' }, value: { message: 'deleted' } },
    { what: 'an object', reply: { json: { message: 'deleted' } }, value: { message: 'deleted' } },
  ])('delete-bodies', 'to a delete may be $what', async ({ reply, value }) => {
    const room = stage([reply]);
    await expect(room.api({ effect: 'delete' }).fetch(management.delete(things))).resolves.toEqual(value);
  });

  test('that is an array becomes its items, where an array is what the call expects', async () => {
    await expect(
      stage([{ json: [1] }])
        .api()
        .fetch({ ...read, array: true }),
    ).resolves.toEqual({ items: [1] });
  });

  test.each([
    { what: 'a sign-in page', body: '<html>sign in</html>', call: read },
    { what: 'a sign-in page to a delete', body: '<html>sign in</html>', call: management.delete(things) },
    { what: 'a number', body: '5', call: read },
    { what: 'null', body: 'null', call: read },
    { what: 'an array', body: '[1]', call: read },
    { what: 'a text', body: '"fine"', call: read },
    { what: 'half of a JSON text', body: '{"a":', call: read },
  ])('that is $what is refused without being shown', async ({ body, call }) => {
    const room = stage([{ body, headers: { 'x-request-id': 'r-1' } }]);
    const error = await failing(room.api().fetch(call));
    expect(error).toBeInstanceOf(ResponseError);
    expect(error.requestId).toBe('r-1');
    expect(error.message).not.toContain('sign in');
  });
});

describe('an error status', () => {
  const classes = [
    { code: 400, type: UsageError, exitCode: 2 },
    { code: 401, type: AuthError, exitCode: 4 },
    { code: 402, type: QuotaError, exitCode: 6 },
    { code: 403, type: PermissionError, exitCode: 4 },
    { code: 404, type: NotFoundError, exitCode: 5 },
    { code: 409, type: ConflictError, exitCode: 5 },
    { code: 412, type: PreconditionError, exitCode: 5 },
    { code: 413, type: UsageError, exitCode: 2 },
    { code: 415, type: UsageError, exitCode: 2 },
    { code: 422, type: UsageError, exitCode: 2 },
    { code: 418, type: ServiceError, exitCode: 8 },
    { code: 301, type: ServiceError, exitCode: 8 },
    { code: 429, type: RateLimitError, exitCode: 7 },
    { code: 501, type: ServiceError, exitCode: 8 },
  ];
  test.each(classes)(
    '$code ends with exit code $exitCode and says what to do next',
    async ({ code, type, exitCode }) => {
      const room = stage(always(status(code, { headers: { 'x-request-id': 'req-1' } })));
      const error = await failing(room.api().fetch(read));
      expect(error).toBeInstanceOf(type);
      expect(error).toMatchObject({ exitCode, status: code, requestId: 'req-1' });
      expect(error.hint).toMatch(/\w/);
      expect(error.message).toContain('management API');
    },
  );

  test.each([
    { said: { error_message: 'too long' } },
    { said: { message: 'too long' } },
    { said: { error_description: 'too long' } },
    { said: { error: { message: 'too long' } } },
    { said: { error: 'too long' } },
    { said: { detail: 'too long' } },
    { said: 'too long' },
  ])('repeats the sentence in %j', async ({ said }) => {
    const error = await failing(
      stage([status(400, { json: said })])
        .api()
        .fetch(read),
    );
    expect(error.message).toBe('The management API refused the request (HTTP 400 to GET): too long');
  });

  test.each([
    { what: 'a page', body: '<html><body>nginx</body></html>' },
    { what: 'an object without a sentence', body: '{"trace":"at Object.handler"}' },
    { what: 'a sentence that is none', body: '{"message":{"a":["nginx"]}}' },
    { what: 'an empty body', body: '' },
  ])('does not show $what', async ({ body }) => {
    const error = await failing(
      stage([status(400, { body })])
        .api()
        .fetch(read),
    );
    expect(error.message).toBe('The management API refused the request (HTTP 400 to GET).');
  });

  test('shows a sentence without control characters, and not all of a long one', async () => {
    const said = `\u001b[31mred\u0007\r\n${'x'.repeat(5000)}`;
    const error = await failing(
      stage([status(400, { json: { message: said } })])
        .api()
        .fetch(read),
    );
    expect(error.message).toMatch(/^[\x20-\x7e]+$/);
    expect(error.message.length).toBeLessThan(500);
  });

  test('prefers what the command knows to do next', async () => {
    const api = stage(always(status(409))).api({ hints: { 409: 'Use force=true.' } });
    expect((await failing(api.fetch(read))).hint).toBe('Use force=true.');
  });

  test('lists what refers to the resource', async () => {
    const payload = [{ profile_name: 'prod', revision: 3 }, 'noise', null];
    const error = await failing(
      stage([status(409, { json: { message: 'in use', payload } })])
        .api()
        .fetch(read),
    );
    expect(error.rows).toEqual([{ profile_name: 'prod', revision: 3 }]);
  });

  test.each([401, 403])('%i from the scanner is about its key', async (code) => {
    const error = await failing(
      stage([status(code)])
        .api()
        .fetch(scan),
    );
    expect(error.hint).toContain('Runtime API Key');
  });
});

describe('a dry run', () => {
  const dry = (service: Parameters<typeof stage>[0]) => stage(service, { dryRun: true });

  test('makes what reads, and stops at the first change without asking for a token', async () => {
    const room = dry([OK]);
    const api = room.api({ effect: 'update' });
    await api.fetch(management.get(things));
    expect(room.tokenRequests).toHaveLength(1);
    const plan = { method: 'POST', url: `${HOSTS.management}/aisec/v1/things`, body: { name: 'a' } };
    await expect(api.fetch(create)).rejects.toMatchObject({ name: 'Planned', plan });
    await expect(dry([]).api({ effect: 'delete' }).fetch(management.delete(things))).rejects.toMatchObject({
      name: 'Planned',
    });
    expect(room.requests).toHaveLength(1);
  });

  test('tells of a file its name and size', async () => {
    const file = { entry: '7@1', name: 'a.csv', size: 12 };
    const parts = [{ name: 'kind', contentType: 'text/plain', text: 'csv' }];
    const upload = { file, field: 'file', contentType: 'text/csv', parts };
    const call = { ...plane('red-team-data').post(things), upload };
    await expect(dry([]).api({ effect: 'create' }).fetch(call)).rejects.toMatchObject({
      plan: {
        body: [
          { part: 'kind', text: 'csv' },
          { part: 'file', file: 'a.csv', bytes: 12 },
        ],
      },
    });
  });
});
