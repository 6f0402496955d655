import fc from 'fast-check';
import { CancelledError, TimeoutError } from '../../../lib/core/errors.ts';
import type { HttpRequest, HttpResponse } from '../../../lib/core/ports.ts';
import { management, type Paging } from '../../../lib/runtime/api/call.ts';
import { path } from '../../../lib/runtime/api/path.ts';
import { timedOut } from '../../../lib/runtime/transport/failures.ts';
import { failing, type Reply, stage, token } from '../../support/exchange.ts';
import { expectNone } from '../../support/expect-none.ts';
import { shareOf } from '../../support/runs.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const things = path`/v1/things`;
const TOGETHER = 8;

/** A list of numbered records on a service, and the request for it. */
interface Case {
  readonly paging: Paging;
  readonly total: number;
  /** Maximum records that the service puts on one page. */
  readonly cap: number;
  readonly tellsTotal: boolean;
  readonly limit: number | undefined;
  readonly offset: number;
}

interface Place {
  readonly start: number;
  readonly size: number;
}

function placeOf({ url }: Pick<HttpRequest, 'url'>): Place {
  const query = new URL(url).searchParams;
  return { start: Number(query.get('offset') ?? query.get('skip') ?? 0), size: Number(query.get('limit') ?? 0) };
}

function records(start: number, count: number): { id: number }[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => ({ id: start + index }));
}

/** One page as the planes send it. @param cap maximum records on the page that begins there */
function pageOf({ paging, total, tellsTotal }: Case, { start, size }: Place, cap: number): Reply {
  const rows = paging === 'whole' ? records(0, total) : records(start, Math.min(cap, size, total - start));
  const next = paging === 'offset' && start + rows.length < total ? { next_offset: start + rows.length } : {};
  const pagination = paging === 'skip' ? { pagination: { total_items: tellsTotal ? total : null } } : {};
  return { json: { rows, ...next, ...pagination } };
}

function regular(list: Case) {
  return (place: Place): Reply => pageOf(list, place, list.cap);
}

/** The moments at which answers arrive: each answer is held until the test releases it. */
type Hold = (place: Place) => Promise<void>;

const atOnce: Hold = async () => undefined;

/** Fetches the list from a service that counts concurrent requests. */
async function fetched(
  list: Case,
  service: (place: Place, attempt: number) => Reply | Error,
  { together, hold = atOnce, streams = false }: { together?: number; hold?: Hold; streams?: boolean },
) {
  const requested: Place[] = [];
  const seen = { underWay: 0, most: 0 };
  const room = stage([], together === undefined ? {} : { pageConcurrency: together });
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    if (request.method === 'POST') return answered(token('access'));
    const place = placeOf(request);
    const attempt = requested.filter(({ start }) => start === place.start).length;
    requested.push(place);
    seen.underWay += 1;
    seen.most = Math.max(seen.most, seen.underWay);
    // The reply is chosen when the request arrives, not when it is released.
    const reply = service(place, attempt);
    await hold(place);
    seen.underWay -= 1;
    if (reply instanceof Error) throw reply;
    return answered(reply);
  };
  Object.assign(room.runtime.transport, { send });
  const api = room.api();
  const streamed: unknown[] = [];
  const keep = (some: readonly unknown[]) => {
    for (const record of some) streamed.push(record);
  };
  const { paging, limit, offset } = list;
  const page = api.list(management.list(things, { items: 'rows', paging, limit, offset }), streams ? keep : undefined);
  return { page, streamed, requested, seen, api, room };
}

function answered({ json, ...rest }: Reply): HttpResponse {
  return { status: 200, headers: {}, body: json === undefined ? '' : JSON.stringify(json), ...rest };
}

/** Waits until nothing more can happen without another answer. */
async function quiet(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** Answers that wait for `release`. */
function gate() {
  const waiting: { place: Place; go: () => void }[] = [];
  return {
    waiting,
    hold: (place: Place) => new Promise<void>((go) => waiting.push({ place, go })),
    release: async (starts: readonly number[] = waiting.map(({ place }) => place.start)) => {
      for (const each of waiting.filter(({ place }) => starts.includes(place.start))) {
        waiting.splice(waiting.indexOf(each), 1);
        each.go();
      }
      await quiet();
    },
  };
}

const cases: fc.Arbitrary<Case> = fc.record({
  paging: fc.constantFrom<Paging>('offset', 'skip', 'whole'),
  total: fc.nat(1500),
  cap: fc.integer({ min: 15, max: 250 }),
  tellsTotal: fc.boolean(),
  limit: fc.option(fc.integer({ min: 1, max: 1700 }), { nil: undefined }),
  offset: fc.nat(200),
});
const windows = fc.integer({ min: 1, max: 12 });

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeAll(() => process.on('unhandledRejection', note));
afterAll(() => process.off('unhandledRejection', note));
afterEach(async () => {
  await quiet();
  expectNone(unhandled.splice(0), 'unhandled rejections');
});

describe('a list with prefetched pages', () => {
  /** The same list both ways; the answers arrive in any order. */
  async function both(
    list: Case,
    service: Parameters<typeof fetched>[1],
    together: number,
    scheduler: fc.Scheduler,
    streams: boolean,
  ) {
    const serial = await fetched(list, service, { streams });
    const expected = await serial.page;
    const hold = () => scheduler.schedule(Promise.resolve());
    const ahead = await fetched(list, service, { together, hold, streams });
    const page = await scheduler.waitFor(ahead.page);
    expect(page).toEqual(expected);
    expect(ahead.streamed).toEqual(serial.streamed);
    expect(serial.seen.most).toBe(1);
    expect(ahead.seen.most).toBeLessThanOrEqual(together);
    return { serial: serial.requested, ahead: ahead.requested };
  }

  test('equals the serial list for any page sizes and order of responses, within its bounds', async () => {
    await fc.assert(
      fc.asyncProperty(cases, windows, fc.scheduler(), fc.boolean(), async (list, together, scheduler, streams) => {
        const requested = await both(list, regular(list), together, scheduler, streams);
        expect(requested.ahead.length).toBeLessThanOrEqual(requested.serial.length + together);
        // Only pages that are known to exist are requested.
        if (list.paging === 'skip' && list.tellsTotal) expect(requested.ahead).toEqual(requested.serial);
      }),
      { numRuns: shareOf(150) },
    );
  });

  test('equals the serial list for irregular page sizes, with at most twice the requests', async () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 130 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(cases, lengths, windows, fc.scheduler(), async (list, caps, together, scheduler) => {
        const service = (place: Place) => pageOf(list, place, caps[place.start % caps.length] ?? 1);
        const requested = await both(list, service, together, scheduler, false);
        expect(requested.ahead.length).toBeLessThanOrEqual(2 * requested.serial.length + together);
      }),
      { numRuns: shareOf(100) },
    );
  });

  test('returns the same items despite intermittent failures', async () => {
    const troubles = fc.array(fc.record({ page: fc.nat(14), status: fc.constantFrom(429, 500, 503) }), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(cases, troubles, windows, fc.scheduler(), async (list, failures, together, scheduler) => {
        const service = (place: Place, attempt: number): Reply => {
          const trouble = failures.find(({ page }) => page * 100 + list.offset === place.start);
          const failed = attempt === 0 && trouble !== undefined;
          return failed ? { status: trouble.status } : pageOf(list, place, 100);
        };
        await both(list, service, together, scheduler, true);
      }),
      { numRuns: shareOf(100) },
    );
  });

  const many = { total: 5000, cap: 100, tellsTotal: true, limit: 5000, offset: 0 } as const;

  test('fills the window at once if the service sends the total', async () => {
    const { hold, release, waiting } = gate();
    const list = { ...many, paging: 'skip' } as const;
    const { page, requested } = await fetched(list, regular(list), { together: TOGETHER, hold });
    const trips: number[] = [];
    for (await quiet(); waiting.length > 0; await release()) trips.push(waiting.length);
    expect((await page).count).toBe(5000);
    expect(trips).toEqual([1, 8, 8, 8, 8, 8, 8, 1]);
    expect(requested).toHaveLength(50);
  });

  test('doubles its requests with each round trip if the service sends only a next position', async () => {
    const { hold, release, waiting } = gate();
    const list = { ...many, total: 2750, paging: 'offset' } as const;
    const { page, requested } = await fetched(list, regular(list), { together: TOGETHER, hold });
    const trips: number[] = [];
    for (await quiet(); waiting.length > 0; await release()) trips.push(waiting.length);
    expect(await page).toMatchObject({ count: 2750, more: false });
    // There are twenty-eight pages; pages beyond the last were requested before that was known.
    expect(trips).toEqual([1, 2, 4, 8, 8, 8, 4]);
    expect(requested).toHaveLength(28 + TOGETHER - 1);
  });

  test('continues with the first response that arrives, and holds no more than the window', async () => {
    const { hold, release, waiting } = gate();
    const list = { ...many, paging: 'skip' } as const;
    const { page, requested, streamed } = await fetched(list, regular(list), {
      together: TOGETHER,
      hold,
      streams: true,
    });
    await quiet();
    await release();
    await release(waiting.map(({ place }) => place.start).filter((start) => start !== 100));
    expect(requested).toHaveLength(1 + TOGETHER);
    expect(streamed).toHaveLength(100);
    await release([100]);
    expect(streamed).toHaveLength(900);
    expect(requested).toHaveLength(1 + TOGETHER + TOGETHER);
    while (waiting.length > 0) await release();
    expect((await page).count).toBe(5000);
    expect(streamed).toEqual(records(0, 5000));
  });
});

describe('a prefetched page that fails', () => {
  const list: Case = { paging: 'skip', total: 1500, cap: 100, tellsTotal: true, limit: undefined, offset: 0 };

  test('sends fewer parallel requests to a service that accepts three, with few retries', async () => {
    const room: { busy: () => number } = { busy: () => 0 };
    const service = (place: Place): Reply => (room.busy() > 3 ? { status: 429 } : regular(list)(place));
    const run = await fetched(list, service, { together: TOGETHER, hold: quiet });
    room.busy = () => run.seen.underWay;
    expect((await run.page).count).toBe(1500);
    expect(run.room.clock.waits.length).toBeLessThanOrEqual(2);
    expect(run.requested.length).toBeLessThanOrEqual(2 * 15 + TOGETHER);
  });

  test.each([
    { status: 404, expected: 'NotFoundError' },
    { status: 422, expected: 'RefusedError' },
    { status: 503, expected: 'ServiceError' },
    { status: 429, expected: 'RateLimitError' },
  ])('a page that keeps failing with $status ends the list as without prefetching', async ({ status, expected }) => {
    const service = (place: Place): Reply => (place.start >= 400 ? { status } : regular(list)(place));
    const serial = await fetched(list, service, { streams: true });
    const error = await failing(serial.page);
    expect(error.name).toBe(expected);
    const ahead = await fetched(list, service, { together: TOGETHER, hold: quiet, streams: true });
    expect(await failing(ahead.page)).toMatchObject({ name: expected, message: error.message, hint: error.hint });
    expect(ahead.streamed).toEqual(records(0, 400));
    expect(ahead.room.clock.waits).toEqual(serial.room.clock.waits);
    expect(ahead.requested.length).toBeLessThanOrEqual(serial.requested.length + TOGETHER);
  });

  test('a response without a list ends the list, and later responses are ignored', async () => {
    const { hold, release, waiting } = gate();
    const service = (place: Place): Reply | Error => {
      if (place.start === 100) return { json: { rows: 'none' } };
      return place.start > 100 ? timedOut('h', 'waiting', 1000) : regular(list)(place);
    };
    const { page } = await fetched(list, service, { together: TOGETHER, hold });
    const failure = failing(page);
    await quiet();
    await release();
    await release([100]);
    expect((await failure).message).toContain('"rows"');
    expect(waiting).toHaveLength(TOGETHER - 1);
    await release();
  });

  scenario('timeout-budget', 'a page that times out is not requested again', async () => {
    const { hold, release } = gate();
    const service = (place: Place) => (place.start === 300 ? timedOut('h', 'waiting', 1000) : regular(list)(place));
    const { page, requested } = await fetched(list, service, { together: TOGETHER, hold });
    const failure = failing(page);
    await quiet();
    await release();
    await release();
    const error = await failure;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toBe('Timed out after 1 s while waiting for the response from h.');
    expect(requested.filter(({ start }) => start === 300)).toHaveLength(1);
  });

  test('a stopped run sends no more requests', async () => {
    const service = (place: Place) => (place.start > 0 ? new CancelledError('Stopped.') : regular(list)(place));
    const { page, requested } = await fetched(list, service, { together: TOGETHER });
    expect(await failing(page)).toBeInstanceOf(CancelledError);
    expect(requested).toHaveLength(1 + TOGETHER);
  });
});

describe('a page of 300,000 records', () => {
  const MANY = 300_000;
  const rows = `[${'{},'.repeat(MANY - 1)}{}]`;

  scenario.each<{ paging: Paging; limit: number | undefined; streams: boolean }>([
    { paging: 'offset', limit: undefined, streams: false },
    { paging: 'whole', limit: 200_000, streams: false },
    { paging: 'skip', limit: undefined, streams: true },
  ])(
    'large-page',
    'is read whole by $paging, limit $limit, streamed: $streams',
    async ({ paging, limit, streams }) => {
      const body = `{"rows":${rows},"pagination":{"total_items":${MANY}}}`;
      const room = stage([]);
      const send = async ({ method }: HttpRequest): Promise<HttpResponse> =>
        method === 'POST' ? answered(token('access')) : { status: 200, headers: {}, body };
      Object.assign(room.runtime.transport, { send });
      let handed = 0;
      const take = (some: readonly unknown[]) => {
        handed += some.length;
      };
      const call = management.list(things, { items: 'rows', paging, limit });
      const { records, count } = await room.api().list(call, streams ? take : undefined);
      const wanted = limit ?? MANY;
      expect([count, records.length, handed]).toEqual([wanted, streams ? 0 : wanted, streams ? wanted : 0]);
    },
    120_000,
  );
});
