/** Admission: accepted and refused callers, requests per token and minute, and wrong tokens, which are slowed down. */
import { fastify } from 'fastify';
import { RateLimitError } from '../../../lib/core/errors.ts';
import { Rate, requireToken, SlowDown } from '../../../lib/hosts/http/access/admission.ts';
import { authenticatorOf } from '../../../lib/hosts/http/access/authenticate.ts';
import { Logins } from '../../../lib/hosts/http/access/logins.ts';
import { callerOf } from '../../../lib/hosts/http/access/rights.ts';
import { testClock } from '../../support/simulated.ts';

describe('the guard of a scope', () => {
  const once = { token: 'right', caller: { name: 'start', role: 'read' } } as const;
  const REFUSED = { statusCode: 401, code: 'token' };
  const LATER = { statusCode: 429, code: 'token', options: { headers: { 'retry-after': '10' } } };

  test.each<[string, string | undefined, boolean, string | object]>([
    ['accepts a valid token, and trusts its connection', 'right', true, 'start'],
    ['accepts a valid token while too many wrong tokens are being refused', 'right', false, 'start'],
    ['refuses a wrong token', 'wrong', true, REFUSED],
    ['refuses no token', undefined, true, REFUSED],
    ['refuses no token while too many wrong tokens are being refused', undefined, false, REFUSED],
    ['tells further wrong tokens to retry later meanwhile', 'wrong', false, LATER],
  ])('%s', async (_, token, hasRoom, expected) => {
    const app = fastify();
    app.decorateRequest('caller', undefined);
    app.setErrorHandler((failure, _request, reply) => reply.code(500).send({ ...(failure as object) }));
    let trusted = false;
    const parts = {
      authenticate: authenticatorOf({ once, clock: testClock() }),
      logins: new Logins(testClock()),
      slowDown: { wait: async () => hasRoom },
    };
    requireToken(app, parts, () => {
      trusted = true;
      return true;
    });
    app.get('/', async (request) => callerOf(request).name);
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { body, headers: answered } = await app.inject({ url: '/', headers });
    await app.close();
    expect([trusted, answered['www-authenticate']]).toEqual([
      expected === 'start',
      expected === REFUSED ? 'Bearer' : undefined,
    ]);
    if (expected === 'start') expect(body).toBe(expected);
    else expect(JSON.parse(body)).toMatchObject(expected as object);
  });

  test('a route without a guard has no caller', () => {
    const unguarded = { caller: undefined } as Parameters<typeof callerOf>[0];
    expect(() => callerOf(unguarded)).toThrow('The route has no guard.');
  });
});

describe('the rate', () => {
  test('requests are counted for each token separately, for a minute from the first request', () => {
    const clock = testClock();
    const rate = new Rate(10, clock);
    const count = (owner: string) => rate.count(owner);
    clock.advance(5000);
    expect(count('ci')).toEqual({ current: 1, ttl: 60_000 });
    clock.advance(59_999);
    expect(count('ci')).toEqual({ current: 2, ttl: 1 });
    expect(count('cd')).toEqual({ current: 1, ttl: 60_000 });
    clock.advance(1);
    expect(count('ci')).toEqual({ current: 1, ttl: 60_000 });
    expect(count('cd')).toEqual({ current: 2, ttl: 59_999 });
  });

  test('a token is refused beyond its limit, and the answer says when to continue', () => {
    const clock = testClock();
    const rate = new Rate(2, clock);
    const take = (owner: string) => rate.take(owner);
    expect(rate.limit).toBe(2);
    rate.count('ci');
    take('ci');
    clock.advance(20_000);
    expect(() => take('ci')).toThrow(
      new RateLimitError('This token may send 2 requests a minute, and retries count as requests.'),
    );
    expect(() => take('ci')).toThrow(
      expect.objectContaining({
        hint: 'Send fewer at once, or a smaller retry-count.',
        retryable: true,
        waitMs: 40_000,
      }) as Error,
    );
    take('cd');
    clock.advance(40_000);
    take('ci');
  });

  test('a flood of other tokens does not reset the count for this minute', () => {
    const clock = testClock();
    const rate = new Rate(10, clock);
    const count = (owner: string) => rate.count(owner);
    for (let at = 0; at < 4999; at += 1) count(`old-${at}`);
    clock.advance(59_999);
    count('ci');
    for (let at = 0; at < 10; at += 1) count(`new-${at}`);
    expect(count('old-0').current).toBe(2);
    clock.advance(1);
    for (let at = 10; at < 20; at += 1) count(`new-${at}`);
    expect([count('ci').current, count('new-0').current, count('old-1').current]).toEqual([2, 2, 1]);
  });
});

describe('wrong tokens', () => {
  /** A clock whose waits end when the test says so. */
  function heldClock() {
    const waiting: (() => void)[] = [];
    const clock = {
      elapsed: () => 0,
      wait: () =>
        new Promise<void>((resolve) => {
          waiting.push(resolve);
        }),
    };
    const release = () => {
      for (const resolve of waiting.splice(0)) resolve();
    };
    return { clock, waiting, release };
  }

  async function fail(slowDown: Pick<SlowDown, 'wait'>, remote: string, times: number): Promise<boolean[]> {
    const answers: boolean[] = [];
    for (let time = 0; time < times; time += 1) answers.push(await slowDown.wait(remote));
    return answers;
  }

  test('refuses the first wrong tokens at once, then doubles the delay up to two seconds', async () => {
    const clock = testClock();
    const answers = await fail(new SlowDown(clock), '192.0.2.1', 12);
    expect(clock.waits).toEqual([125, 250, 500, 1000, 2000, 2000, 2000]);
    expect(answers).not.toContain(false);
  });

  test('addresses are delayed separately, and forgotten after a minute', async () => {
    const clock = testClock();
    const slowDown = new SlowDown(clock);
    clock.advance(1000);
    await fail(slowDown, '192.0.2.1', 6);
    await fail(slowDown, '192.0.2.2', 5);
    expect(clock.waits).toEqual([125]);
    // The wait took part of the minute.
    clock.advance(59_999 - 125);
    await fail(slowDown, '192.0.2.1', 1);
    expect(clock.waits).toEqual([125, 250]);
    clock.advance(60_000 - 250);
    await fail(slowDown, '192.0.2.1', 5);
    expect(clock.waits).toEqual([125, 250]);
    expect(slowDown.size).toBe(1);
  });

  test.each([
    ['the addresses of one IPv6 network', ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:0DB8:1:2:3:4:5:6'], 1],
    ['a network with and without its zeros', ['2001:db8::1', '2001:db8:0:0:1::', '2001:db8:0:0:1:2:3:4'], 1],
    ['IPv6 networks', ['2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8::1'], 3],
    ['an IPv4 address and its IPv6 form', ['192.0.2.1', '::ffff:192.0.2.1'], 1],
    ['an IPv4 address and an IPv6 address that ends alike', ['192.0.2.1', '2001:db8::ffff:192.0.2.1'], 2],
    ['zones of an address', ['fe80::1%eth0', 'fe80::1%eth1'], 1],
  ])('counts %s correctly', async (_, remotes, networks) => {
    const slowDown = new SlowDown(testClock());
    for (const remote of remotes) await slowDown.wait(remote);
    expect(slowDown.size).toBe(networks);
  });

  test('memory is bounded by ten thousand addresses', async () => {
    const clock = testClock();
    const slowDown = new SlowDown(clock);
    const count = 10_100;
    const addressOf = (at: number) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
    for (let at = 0; at < count; at += 1) await slowDown.wait(addressOf(at));
    expect(slowDown.size).toBe(10_000);
    // The latest entries are remembered, the first ones are not.
    await fail(slowDown, addressOf(count - 1), 5);
    expect(clock.waits).toEqual([125]);
    await fail(slowDown, addressOf(0), 5);
    expect(clock.waits).toEqual([125]);
  });

  test('at most a hundred refusals are delayed; further refusals are immediate', async () => {
    const { clock, release, waiting } = heldClock();
    const slowDown = new SlowDown(clock);
    await fail(slowDown, '192.0.2.1', 5);
    const held = Array.from({ length: 100 }, () => slowDown.wait('192.0.2.1'));
    expect(await slowDown.wait('192.0.2.1')).toBe(false);
    expect(waiting).toHaveLength(100);
    // Another address has its own first attempts.
    expect(await slowDown.wait('192.0.2.2')).toBe(true);
    release();
    expect(await Promise.all(held)).not.toContain(false);
    const next = slowDown.wait('192.0.2.1');
    release();
    expect(await next).toBe(true);
  });
});
