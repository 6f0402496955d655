import { AuthError, RefusedError } from '../../../lib/core/errors.ts';
import { contextKey } from '../../../lib/runtime/output/entry.ts';
import { lostConnection, refused } from '../../../lib/runtime/transport/failures.ts';
import { expectNone } from '../../support/expect-none.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { argsFor, type BulkRow, bulkRoom, outcomeOf, promptsFor, refusal, valueIn } from './bulk-room.ts';

const endings = (rows: readonly BulkRow[], status: string) => rows.filter((row) => row.status === status);

describe('a clock change during a bulk scan', () => {
  const HOUR = 3_600_000;

  scenario.each([
    { way: 'forward', ms: HOUR, count: 8 },
    { way: 'back', ms: -HOUR, count: 300 },
  ])(
    'clock-jump',
    'a clock that jumps an hour $way loses none of $count verdicts and delays nothing',
    async ({ ms, count }) => {
      const jumpAt = (at: number) => (_: unknown, now: number) => {
        if (now === at) bulk.room.clock.jump(ms);
        return undefined;
      };
      const between = { submit: jumpAt(12), poll: jumpAt(3), scan: jumpAt(4) };
      const bulk = bulkRoom({ latencyMs: 50, processingMs: 2000 }, between);
      const plain = bulkRoom({ latencyMs: 50, processingMs: 2000 });
      const args = argsFor(promptsFor(count), 'requests_per_second=40');
      expect((await bulk.value(args)).results.map(outcomeOf)).toEqual((await plain.value(args)).results.map(outcomeOf));
      expect(bulk.room.clock.waits).toEqual(plain.room.clock.waits);
    },
  );
});

const NOT_SENT = 'It was not sent, because the first prompts were refused.';

describe('a failure during a bulk scan', () => {
  scenario.each<{ what: string; instead: ReturnType<typeof refusal> | Error }>([
    { what: 'a connection that is lost', instead: lostConnection('scanner') },
    { what: '500', instead: refusal(500) },
    { what: 'an answer without an id', instead: { status: 200, headers: {}, body: '{}' } },
    { what: 'a response that is not JSON', instead: { status: 200, headers: {}, body: '<html>' } },
  ])(
    'bulk-ambiguous-submit',
    'the outcome of a batch that gets $what is unknown, and the batch is not sent again',
    async ({ instead }) => {
      const { sent, run } = bulkRoom({}, { submit: (_, count) => (count === 2 ? instead : undefined) });
      const result = await run(argsFor(promptsFor(65)));
      const { results, ...counts } = valueIn(result);
      const rows = sent.batches.flat();
      expect(new Set(rows).size).toBe(rows.length);
      expect(counts).toMatchObject({ total: 65, errors: 20 });
      expect(endings(results, 'unknown').map(({ row }) => row)).toEqual(sent.batches[1]);
      expect(endings(results, 'unknown')[0]).toMatchObject({
        action: 'error',
        error: expect.stringMatching(/is unknown\.$/),
      });
      expect(result.failure).toMatchObject({ exitCode: 10, message: 'No verdict for 20 of 65 prompts.' });
    },
  );

  scenario('bulk-ambiguous-submit', 'a batch is sent again if its connection was refused', async () => {
    const { value, sent } = bulkRoom({}, { submit: (_, count) => (count === 2 ? refused('scanner') : undefined) });
    expect(await value(argsFor(promptsFor(65)))).toMatchObject({ total: 65, errors: 0 });
    expect(sent.batches).toHaveLength(5);
  });

  test('retries a single scan', async () => {
    const scan = (_: string, count: number) =>
      count === 2 ? lostConnection('h') : count === 3 ? refusal(503) : undefined;
    const { value, sent } = bulkRoom({}, { scan });
    expect(await value(argsFor(promptsFor(4)))).toMatchObject({ total: 4, errors: 0 });
    expect(sent.scans).toHaveLength(6);
  });

  test('repeats a failed poll', async () => {
    const poll = (_: readonly string[], count: number) =>
      [undefined, refusal(503), lostConnection('h'), refusal(404)][count];
    expect(await bulkRoom({}, { poll }).value(argsFor(promptsFor(12)))).toMatchObject({ total: 12, errors: 0 });
  });

  test('polls ask for fewer ids if the service refuses many, and a refused id is an error', async () => {
    const bad = new Set<string>();
    const poll = (ids: readonly string[]) => {
      bad.add(ids[0] ?? '');
      return ids.includes(bad.values().next().value ?? '') || ids.length > 2 ? refusal(400) : undefined;
    };
    const { value, sent } = bulkRoom({}, { poll });
    const { results } = await value(argsFor(promptsFor(120)));
    expect(endings(results, 'failed')).toHaveLength(20);
    expect(endings(results, 'complete')).toHaveLength(100);
    expect(sent.polls.filter((ids) => ids.length === 1).length).toBeGreaterThan(0);
  });

  test.each([
    { what: 'a refused key', status: 403, error: AuthError },
    { what: 'a wrong address', status: 404, error: Error },
  ])('$what ends the scan after one request', async ({ status, error }) => {
    for (const count of [5, 60]) {
      const { fail, sent, files } = bulkRoom({}, { submit: () => refusal(status), scan: () => refusal(status) });
      const failure = await fail(argsFor(promptsFor(count)));
      expect(failure).toBeInstanceOf(error);
      expect(failure).toMatchObject({ status });
      expect(sent.batches.length + sent.scans.length).toBe(1);
      expect(files.contents).toEqual({});
    }
  });

  test.each([{ count: 5 }, { count: 150 }])(
    'a missing profile is reported as the error of all $count prompts, after three requests',
    async ({ count }) => {
      const { run, sent, files, room } = bulkRoom();
      const alone = await room.fail('!aisec-runtime-scan profile_name=nobody prompt=hello');
      const result = await run(argsFor(promptsFor(count), 'profile_name=nobody'));
      const { code, hint, status, exitCode } = alone;
      expect(result.failure).toBeInstanceOf(RefusedError);
      expect(result.failure).toMatchObject({ code, hint, status, exitCode, command: 'aisec-runtime-bulk-scan' });
      expect(result.failure).toMatchObject({ status: 400, message: expect.stringContaining('nobody') });
      const { results, ...counts } = valueIn(result);
      expect(counts).toMatchObject({ total: count, errors: count });
      expect(results.map(({ row }) => row)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
      const errors = results.map(({ error }) => String(error));
      expectNone(
        errors.filter((error) => !error.includes('nobody')),
        'rows without the reason',
      );
      expect(errors.filter((error) => !error.endsWith(NOT_SENT))).toHaveLength(3);
      expect(sent.batches.length + sent.scans.length).toBeLessThan(12);
      expect(files.contents).toEqual({});
    },
  );

  test('a missing profile writes a file with a row for each of 1,200 prompts', async () => {
    const { run, sent, files } = bulkRoom();
    const result = await run(argsFor(promptsFor(1200), 'profile_name=nobody output_file=all.jsonl'));
    expect(result.failure).toMatchObject({ status: 400, message: expect.stringContaining('nobody') });
    expect(valueIn(result)).toMatchObject({ total: 1200, errors: 1200 });
    const lines = Object.values(files.contents).join('').trimEnd().split('\n');
    expect(lines).toHaveLength(1201);
    expect(sent.batches.length + sent.scans.length).toBeLessThan(100);
  });

  test('a scan whose prompts all fail ends with an error, and its result lists each prompt', async () => {
    const result = await bulkRoom().run('prompts_csv=`id,prompt\n1\n2\n`');
    expect(result.failure).toMatchObject({ exitCode: 2, message: 'The row in line 2 has no prompt.' });
    expect(valueIn(result)).toMatchObject({ total: 2, errors: 2 });
    expect(valueIn(result).results.map(({ error }) => error)).toEqual(
      [2, 3].map((line) => `The row in line ${line} has no prompt.`),
    );
  });

  test.each([{ count: 2 }, { count: 12 }])(
    'ends with the first error if none of $count prompts has a verdict, and the result lists each prompt',
    async ({ count }) => {
      const instead = () => refusal(400, {}, 'not this one');
      const result = await bulkRoom({}, { scan: instead, submit: instead }).run(argsFor(promptsFor(count)));
      expect(result.failure).toBeInstanceOf(RefusedError);
      expect(result.failure).toMatchObject({ code: 'refused', status: 400, exitCode: 2 });
      expect(valueIn(result).results[0]).toMatchObject({ row: 1, error: result.failure?.message });
    },
  );

  test('a run replaces the context record with the same profile and session, or with the same profile if it has no session', async () => {
    const { run, room } = bulkRoom();
    for (const more of ['', 'session_id=s', 'session_id=s', '']) await run(argsFor(promptsFor(7), more));
    await run(argsFor(promptsFor(3), 'session_id=s'));
    const context = room.context['AiSec'] as { BulkScan: { total: number; session_id: string | null }[] };
    expect(context.BulkScan.map(({ total, session_id }) => [total, session_id])).toEqual([
      [7, null],
      [3, 's'],
    ]);
    expect(contextKey((await run(argsFor(['hi']))).writes[0] ?? { path: '' })).toBe(
      'AiSec.BulkScan(val.profile_name && val.profile_name == obj.profile_name && val.session_id == obj.session_id)',
    );
  });

  scenario.each([{ most: 10 }, { most: 5 }, { most: 3 }])(
    'bulk-shrink',
    'batches shrink to the $most prompts that the service accepts, and stay at that size',
    async ({ most }) => {
      const submit = (rows: readonly number[]) =>
        rows.length > most ? refusal(400, {}, `too many objects, at most ${most}`) : undefined;
      const { sent, value } = bulkRoom({}, { submit });
      expect(await value(argsFor(promptsFor(200)))).toMatchObject({ total: 200, errors: 0 });
      const sizes = sent.batches.map((rows) => rows.length);
      const first = sizes.findIndex((size) => size <= most);
      expect(sizes.slice(0, first)).toEqual([20, 10, 5].filter((size) => size > most));
      expect(sizes.slice(first).every((size) => size <= most)).toBe(true);
    },
  );

  scenario('bulk-shrink', 'a refused prompt affects neither the others nor the batch size', async () => {
    const submit = (rows: readonly number[]) => (rows.includes(27) ? refusal(400, {}, 'not this one') : undefined);
    const { sent, value } = bulkRoom({}, { submit });
    const { results, ...counts } = await value(argsFor(promptsFor(200)));
    expect(counts).toMatchObject({ total: 200, errors: 1 });
    expect(results[26]).toMatchObject({ row: 27, status: 'error', error: expect.stringContaining('not this one') });
    expect(sent.batches.filter((rows) => rows.length === 20).length).toBeGreaterThan(8);
  });

  test('429 delays all requests, and nothing is lost or sent twice', async () => {
    let refusals = 0;
    const submit = (_: readonly number[], count: number) => {
      if (count % 5 !== 0) return undefined;
      refusals += 1;
      return refusal(429, { 'retry-after': '7' });
    };
    const { sent, value, room } = bulkRoom({}, { submit });
    expect(await value(argsFor(promptsFor(1000)))).toMatchObject({ total: 1000, errors: 0 });
    expect(refusals).toBeGreaterThan(5);
    // No request is sent during a delay, not even a poll.
    const gaps = sent.times.slice(1).map((time, index) => time - (sent.times[index] ?? 0));
    expect(gaps.filter((gap) => gap >= 7000).length).toBeGreaterThanOrEqual(refusals / 8);
    expect(room.clock.waits.filter((wait) => wait >= 6000).length).toBeGreaterThan(0);
    expect(sent.batches.length).toBe(50 + refusals);
  });

  test.each([
    { what: 'each time', header: { 'retry-after': '20' } },
    { what: 'with a delay of a day', header: { 'retry-after': '86400' } },
    { what: 'without a delay', header: {} },
  ])('a 429 $what ends the scan with a RateLimitError', async ({ header }) => {
    const { fail, room } = bulkRoom({}, { submit: () => refusal(429, header), scan: () => refusal(429, header) });
    const start = room.clock.now();
    expect(await fail(argsFor(promptsFor(50)))).toMatchObject({ exitCode: 7, retryable: true });
    expect(room.clock.now() - start).toBeLessThan(400_000);
  });
});
