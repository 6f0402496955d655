import fc from 'fast-check';
import { CancelledError, NetworkError, RateLimitError, ServiceError, TimeoutError } from '../../../lib/core/errors.ts';
import { RetryBudget } from '../../../lib/core/shared.ts';
import { management } from '../../../lib/runtime/api/call.ts';
import { path } from '../../../lib/runtime/api/path.ts';
import { backoff, mayRetry, retryAfterOf } from '../../../lib/runtime/api/retry.ts';
import { text } from '../../../lib/runtime/arguments/builders.ts';
import { command } from '../../../lib/runtime/engine/command.ts';
import { one, record, string } from '../../../lib/runtime/output/record.ts';
import { incompleteResponse, lostConnection, refused } from '../../../lib/runtime/transport/failures.ts';
import { failing, OK, type Reply, type Stage, stage } from '../../support/exchange.ts';
import { expectNone } from '../../support/expect-none.ts';
import { HOSTS } from '../../support/scripted.ts';
import { stoppedWhen } from '../../support/stop.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { always, CHANGES, create, read, SOME_TEXT, scan, status, things, UNKNOWN, withKeptToken } from './calls.ts';

describe('a retry', () => {
  scenario.each([{ random: 0 }, { random: 0.25 }, { random: 0.5 }, { random: 0.999 }])(
    'retry-get-503',
    'retries a GET after 503 and 503, with full jitter (random number $random)',
    async ({ random }) => {
      const room = stage([status(503), status(503), { json: { id: 7 } }], { random });
      await expect(room.api().fetch(read)).resolves.toEqual({ id: 7 });
      const sent = room.requests.map(({ method, url }) => `${method} ${url}`);
      expect(sent).toEqual(Array(3).fill(`GET ${HOSTS.management}/aisec/v1/things`));
      expect(room.clock.waits).toHaveLength(2);
      for (const [attempt, wait] of room.clock.waits.entries()) {
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(500 * 2 ** attempt);
        expect(wait).toBeCloseTo(random * 500 * 2 ** attempt, -1);
      }
    },
  );

  test.each([408, 500, 502, 503, 504])('a GET that gets %i each time ends after three attempts', async (code) => {
    const room = stage(always(status(code)));
    const error = await failing(room.api().fetch(read));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: code, exitCode: 8 });
    expect(error.hint).not.toContain(UNKNOWN);
    expect(room.requests).toHaveLength(3);
  });

  scenario.each(CHANGES.flatMap((effect) => [500, 502, 503, 504].map((code) => ({ effect, code }))))(
    'retry-post-never-blind',
    'a $effect that gets $code is sent once, and its outcome is unknown',
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
    { what: 'is marked as a read', call: { ...create, readOnly: true }, caller: { effect: 'create' as const } },
    { what: 'belongs to a read command', call: create, caller: { effect: 'read' as const } },
    {
      what: 'belongs to a repeatable command',
      call: create,
      caller: { effect: 'run' as const, repeatable: true },
    },
  ])('retry-read-by-post', 'a POST that $what is retried', async ({ call, caller }) => {
    const room = stage([status(503), lostConnection('h'), { json: { quota: 1 } }]);
    await expect(room.api(caller).fetch(call)).resolves.toEqual({ quota: 1 });
    expect(room.requests).toHaveLength(3);
  });

  scenario(
    'retry-read-by-post',
    'a command whose POST reads is retried, and its request is sent in a dry run',
    async () => {
      const quota = command('aisec-test-quota', 'Show the quota.', {
        effect: 'run',
        args: { kind: text('Kind of quota.', { required: true }) },
        output: one(record('AiSec.TestQuota', 'Quota', [], { left: string('What is left.') })),
        call: ({ kind }) => management.post(path`/v1/quota`, { kind }, { readOnly: true }),
      });
      for (const dryRun of [false, true]) {
        const room = stage([status(503), { json: { left: '5' } }]);
        const result = await room.run('!aisec-test-quota kind=scans', quota, { dryRun });
        expect(result.writes).toEqual([{ path: 'AiSec.TestQuota', key: [], value: { left: '5' } }]);
        expect(room.requests.map(({ body }) => body)).toEqual(Array(2).fill('{"kind":"scans"}'));
      }
    },
  );

  const NOW = Date.UTC(2026, 10, 21, 12);
  const NOON = 'Sat, 21 Nov 2026 12:00';
  const EVENING = 'Sat, 21 Nov 2026 21:00';
  const YEAR_MS = 31_536_000_000;
  const inHeader = (retryAfter: string, date?: string): Reply => ({
    headers: { 'retry-after': retryAfter, ...(date === undefined ? {} : { date }) },
  });
  const inBody = (retry_after: unknown): Reply => ({ json: { retry_after } });
  const replies: { reply: Reply; delay: number | undefined }[] = [
    { reply: inHeader('2'), delay: 2000 },
    { reply: inHeader(' 0.25 '), delay: 250 },
    { reply: inHeader('x12'), delay: undefined },
    { reply: inHeader(`${NOON}:30 GMT`), delay: 30_000 },
    { reply: inHeader(`${NOON}:30 GMT`, `${NOON}:10 GMT`), delay: 20_000 },
    { reply: inHeader('Saturday, 21-Nov-26 12:00:30 GMT'), delay: 30_000 },
    { reply: inHeader('2026-11-21T12:00:30Z'), delay: 30_000 },
    { reply: inHeader(`${NOON}:00 GMT`), delay: 0 },
    { reply: inHeader(`${EVENING}:05 GMT`, `${EVENING}:00 GMT`), delay: 5000 },
    { reply: inHeader('', `${NOON}:10 GMT`), delay: undefined },
    { reply: inBody({ interval: 4, unit: 'seconds' }), delay: 4000 },
    { reply: inBody({ interval: 0 }), delay: 0 },
    { reply: inBody({ interval: 1, unit: 'MINUTE' }), delay: 60_000 },
    { reply: inBody({ interval: 1, unit: 'hours' }), delay: 3_600_000 },
    { reply: inBody({ interval: 250, unit: 'ms' }), delay: 250 },
    { reply: inBody({ interval: 2, unit: 'milliseconds' }), delay: 2 },
    { reply: inBody({ interval: 2, unit: 'sms' }), delay: 2000 },
    { reply: inBody({ interval: 2, unit: 'days' }), delay: undefined },
    { reply: inBody({ interval: -1 }), delay: undefined },
    { reply: inBody({}), delay: undefined },
    { reply: { body: 'null' }, delay: undefined },
    { reply: { body: '<html>' }, delay: undefined },
    { reply: { body: '{"retry_after":{"interval":1e999}}' }, delay: YEAR_MS },
    { reply: inBody({ interval: 1e308, unit: 'h' }), delay: YEAR_MS },
  ];
  /** Header values that are empty or repeated. */
  const odd: typeof replies = [
    ...['-5', '-0', '+3', '1e3', '0x10', '3 s', '3;', 'Infinity', 'NaN', 'soon', '21', '3, 3', '12:30', ','].map(
      (value) => ({ reply: inHeader(value), delay: { '21': 21_000, '3, 3': 3000 }[value] }),
    ),
    { reply: inHeader('Sat, 21 Nov 2026 11:00:00 GMT'), delay: undefined },
    { reply: inHeader('3, 7, 5'), delay: 7000 },
    { reply: inHeader('-5, 3'), delay: 3000 },
    { reply: inHeader(`${NOON}:30 GMT, ${NOON}:40 GMT`), delay: 40_000 },
    { reply: inHeader(`5, ${NOON}:40 GMT`), delay: 40_000 },
    { reply: inHeader(`${NOON}:04 GMT, 5`), delay: 5000 },
    { reply: { ...inHeader('-5'), ...inBody({ interval: 4 }) }, delay: 4000 },
  ];
  const oddDelays = odd.map((row) => ({ ...row, what: JSON.stringify(row.reply) }));
  const delays = replies.map((row) => ({ ...row, what: JSON.stringify(row.reply) }));
  test.each(delays)('429 with $what asks for $delay ms', ({ reply: { json, ...reply }, delay }) => {
    const body = json === undefined ? '' : JSON.stringify(json);
    expect(retryAfterOf({ status: 429, headers: {}, body, ...reply }, NOW)).toBe(delay);
  });

  scenario.each(oddDelays)('retry-after-forms', '429 with $what is retried after $delay ms or later', async (row) => {
    const random = 0.5;
    const { json, ...reply } = row.reply;
    const body = json === undefined ? '' : JSON.stringify(json);
    expect(retryAfterOf({ status: 429, headers: {}, body, ...reply }, NOW)).toBe(row.delay);
    const room = stage([status(429, row.reply), OK], { random });
    await room.api().fetch(read);
    expect(room.clock.waits).toEqual([row.delay ?? backoff(0, random)]);
  });

  scenario('retry-429-header', 'a change that gets 429 is retried, because nothing was done', async () => {
    const room = stage([status(429, { headers: { 'retry-after': '2' } }), OK]);
    await room.api({ effect: 'create' }).fetch(create);
    expect(room.clock.waits).toEqual([2000]);
  });

  scenario.each([
    { what: 'a day', seconds: '86400', budgetMs: 300_000 },
    { what: 'a day, even with a week to spend', seconds: '86400', budgetMs: 604_800_000 },
    { what: 'more than the budget has left', seconds: '20', budgetMs: 15_000 },
  ])('retry-429-header', '429 with a delay of $what is final', async ({ seconds, budgetMs }) => {
    const room = stage([status(429, { headers: { 'retry-after': seconds } })], { budgetMs });
    const error = await failing(room.api().fetch(read));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ exitCode: 7, status: 429 });
    expect(error.hint).toContain(seconds);
    expectNone(room.clock.waits, 'waits');
  });

  test.each([
    [5, 1],
    [4, 2],
  ])('429 with a delay of five seconds, %i times: %i requests', async (seconds, requests) => {
    const room = stage(always({ status: 429, headers: { 'retry-after': String(seconds) } }), { budgetMs: 5000 });
    await failing(room.api().fetch(read));
    expect(room.requests).toHaveLength(requests);
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
    '$code to a cached token of a $effect is retried once with a new token',
    async ({ code, effect }) => {
      const room = await withKeptToken(always(status(code)));
      await expect(room.api({ effect }).fetch(create)).rejects.toMatchObject({ status: code });
      expect(room.requests).toHaveLength(2);
      expect(room.tokenRequests).toHaveLength(1);
    },
  );

  test('waits twice as long after each attempt, up to ten seconds', () => {
    expect([0, 1, 2, 9].map((attempt) => backoff(attempt, 0.999))).toEqual([499, 999, 1998, 9990]);
  });

  test('is made after 408, 429 and temporary failures, but for a change only after 429', () => {
    const repeated = [408, 429, 500, 502, 503, 504];
    const all = Array.from({ length: 500 }, (_, at) => at + 100);
    expect(all.filter((status) => mayRetry(status, true))).toEqual(repeated);
    expect(all.filter((status) => mayRetry(status, false))).toEqual([429]);
  });

  test('is logged with attempt and delay', async () => {
    const logged: unknown[] = [];
    const log = (text: string, more: unknown) => logged.push([text, more]);
    const room = stage([{ status: 503, takesMs: 100 }, OK], {
      log: { debug: log, info: log, warn: () => undefined },
      random: 0.5,
    });
    await room.api().fetch(read);
    const request = { method: 'GET', url: room.requests[0]?.url };
    expect(logged.slice(1)).toEqual([
      ['request', { ...request, status: 503, ms: 100 }],
      [SOME_TEXT, { ...request, attempt: 1, delay: 250 }],
      ['request', { ...request, status: 200, ms: 0 }],
    ]);
  });

  test('is not made just before the deadline', async () => {
    const room = stage(always({ status: 503, takesMs: 4997 }), { budgetMs: 5000, random: 0 });
    await expect(room.api().fetch(read)).rejects.toMatchObject({ status: 503 });
    expect(room.requests).toHaveLength(1);
  });

  test('has the timeout of one attempt; a prefetch is not retried', async () => {
    const room = stage(always({ status: 503 }), { budgetMs: 5000 });
    for (const attemptMs of [1000, 9000]) await failing(room.api().fetch({ ...read, attemptMs }));
    expect(room.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([1000, 5000]);
    await failing(room.api().fetch({ ...read, prefetch: true }));
    expect(room.requests).toHaveLength(3);
  });
});

describe('the retry budget', () => {
  scenario('retry-budget', 'a hundred failing commands share ten retries', async () => {
    const room = stage(always(status(503)));
    await Promise.allSettled(Array.from({ length: 100 }, () => room.api().fetch(read)));
    expect(room.requests).toHaveLength(110);
    expect(room.clock.waits).toHaveLength(10);
  });

  scenario('retry-budget', 'is not consumed by a 429 with a delay', async () => {
    const room = stage((_, count) => (count % 2 === 0 ? status(429, { headers: { 'retry-after': '1' } }) : OK));
    for (let call = 0; call < 50; call += 1) await room.api().fetch(read);
    expect(room.requests).toHaveLength(100);
  });

  test('starts at ten, and gains one after each requested delay and after every five successes', () => {
    const budget = new RetryBudget();
    const available = () => {
      let count = 0;
      while (count < 50 && budget.spend()) count += 1;
      return count;
    };
    expect(available()).toBe(10);
    budget.refill(true);
    expect(available()).toBe(1);
    for (let at = 0; at < 6; at += 1) budget.refill(false);
    expect(available()).toBe(1);
    for (let at = 0; at < 30; at += 1) budget.refill(true);
    expect(available()).toBe(10);
  });

  test('is refilled by five first-attempt successes, and by no failure', async () => {
    let status = 200;
    const room = stage(() => ({ status }));
    const { retryBudget } = room.runtime.shared;
    const api = room.api();
    const fetched = async (times: number) => {
      for (let at = 0; at < times; at += 1) await api.fetch(read).catch(() => undefined);
    };
    await fetched(1);
    while (retryBudget.spend()) expect(room.requests).toHaveLength(1);
    await fetched(4);
    expect(retryBudget.spend()).toBe(false);
    status = 400;
    await fetched(4);
    expect(retryBudget.spend()).toBe(false);
    status = 200;
    await fetched(2);
    expect(retryBudget.spend()).toBe(true);
  });
});

describe('the time of a command', () => {
  scenario('timeout-budget', 'each attempt gets the remaining time', async () => {
    const room = stage([{ status: 503, takesMs: 4000 }, { status: 503, takesMs: 4000 }, { takesMs: 20_000 }], {
      budgetMs: 10_000,
      random: 0,
    });
    const error = await failing(room.api().fetch(read));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ exitCode: 9, message: expect.stringContaining('waiting for the response') });
    expect(room.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, 6000, 2000]);
  });

  scenario('timeout-budget', 'ends a list with slow pages, and no page is requested afterwards', async () => {
    const room = stage((_, count) => ({ json: { rows: [{ id: count }], next_offset: count + 1 }, takesMs: 3000 }), {
      budgetMs: 10_000,
    });
    const error = await failing(room.api().list(management.list(things, { items: 'rows' })));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(room.requests).toHaveLength(4);
    expect(room.clock.now()).toBe(Date.UTC(2026, 10, 21, 12, 0, 10));
  });

  scenario('timeout-budget', 'sends nothing if it is used up before the request', async () => {
    const room = stage([], { budgetMs: 5000 });
    const api = room.api({ effect: 'create' });
    room.clock.advance(5000);
    for (const call of [create, scan]) {
      const error = await failing(api.fetch(call));
      expect(error).toMatchObject({ name: 'TimeoutError', message: 'The command did not finish within 5 seconds.' });
      // Nothing was sent, so the outcome is known.
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
    'is not affected by a wall clock that jumps by $ms ms',
    async ({ ms }) => {
      const jumping = (reply: (count: number) => Reply) => {
        const room: Stage = stage((_, count) => {
          if (count === 0) room.clock.jump(ms);
          return reply(count);
        });
        return room;
      };
      const retried = jumping((count) => (count === 0 ? status(503) : OK));
      await retried.api().fetch(read);
      expect(retried.requests).toHaveLength(2);
      const timedOut = jumping(() => ({ status: 503, takesMs: 200_000 }));
      await failing(timedOut.api().fetch(read));
      expect(timedOut.clock.elapsed()).toBeLessThanOrEqual(300_000);
    },
  );

  test.each([
    { when: 'before the first request', requests: 0 },
    { when: 'while a request is under way', requests: 1 },
  ])('a run stopped $when sends nothing more', async ({ requests }) => {
    const room: Stage = stage(always(status(503)), { stop: stoppedWhen(() => room.requests.length >= requests) });
    const error = await failing(room.api().fetch(read));
    expect(error).toBeInstanceOf(CancelledError);
    expect(error.message).toMatch(/\w/);
    expect(room.requests).toHaveLength(requests);
  });
});

describe('a failed connection', () => {
  const failures = [{ error: lostConnection('h') }, { error: incompleteResponse('h') }, { error: refused('h') }];
  scenario.each(failures)('network-reset-mid-body', 'a read is retried ($error.message)', async ({ error }) => {
    const room = stage([error, error, OK]);
    await room.api().fetch(read);
    expect(room.requests).toHaveLength(3);
  });

  scenario.each(
    [lostConnection('h'), incompleteResponse('h')].flatMap((error) => CHANGES.map((effect) => ({ error, effect }))),
  )(
    'network-reset-mid-body',
    'a $effect is sent once, and its outcome is unknown ($error.message)',
    async ({ error, effect }) => {
      const room = stage([error]);
      const met = await failing(room.api({ effect }).fetch(create));
      expect(met).toBeInstanceOf(NetworkError);
      expect(met).toMatchObject({ message: error.message, retryable: false, exitCode: 9 });
      expect(met.hint?.startsWith(`${error.hint} `)).toBe(true);
      expect(met.hint).toContain(UNKNOWN);
      expect(room.requests).toHaveLength(1);
    },
  );

  test('a create whose connection was refused keeps the error: nothing was sent', async () => {
    const error = refused('h');
    expect(await failing(stage(always(error)).api({ effect: 'create' }).fetch(create))).toBe(error);
  });

  test('a permanent failure is not retried', async () => {
    const room = stage([new NetworkError('No such host.', { hint: 'Check it.' })]);
    expect(await failing(room.api().fetch(read))).toMatchObject({ message: 'No such host.', hint: 'Check it.' });
    expect(room.requests).toHaveLength(1);
  });
});
