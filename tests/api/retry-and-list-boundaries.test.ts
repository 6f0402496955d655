import { type Call, dlp, management, modelData } from '../../lib/api/call.ts';
import { findLatest, idIn, latestOf } from '../../lib/api/find.ts';
import { path } from '../../lib/api/path.ts';
import { askedDelay, backoff, mayRepeat, RetryBudget } from '../../lib/api/retry.ts';
import { memoryTokens } from '../../lib/api/shared.ts';
import { SECRET_MEMBERS } from '../../lib/api/wire.ts';
import { AuthError, type NotFoundError, ResponseError } from '../../lib/errors.ts';
import type { HttpResponse } from '../../lib/ports.ts';
import { redacting } from '../../lib/redaction/responses.ts';
import { lostConnection, refused } from '../../lib/transport/failures.ts';
import { failing, OK, type Reply, type Script, stage, token } from '../support/exchange.ts';
import { expectNone } from '../support/expect-none.ts';
import { HOSTS, TENANT } from '../support/scripted.ts';
import { stoppedWhen } from '../support/stop.ts';

const things = path`/v1/things`;
const read = management.get(things);
const create = management.post(things, { name: 'a' });
const UNKNOWN = 'outcome is unknown';
const SOME_TEXT = expect.stringMatching(/\w/) as string;

const always = (reply: Reply | Error) => () => reply;

/** Gives the error that a reply of the service becomes. */
function _failed(reply: Reply, call: Call = read, effect: 'read' | 'create' = 'read') {
  return failing(stage(always(reply)).api({ effect }).fetch(call));
}

describe('retries', () => {
  const response = (more: Partial<HttpResponse>): HttpResponse => ({ status: 429, headers: {}, body: '', ...more });
  const now = Date.UTC(2026, 10, 21, 12);
  const NOON = 'Sat, 21 Nov 2026 12:00';

  test.each<[header: string, date: string | undefined, asked: number | undefined]>([
    ['12', undefined, 12_000],
    [' 0.25 ', undefined, 250],
    ['x12', undefined, undefined],
    ['12x', undefined, undefined],
    [`${NOON}:30 GMT`, undefined, 30_000],
    [`${NOON}:30 GMT`, `${NOON}:10 GMT`, 20_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', undefined, 0],
    ['', `${NOON}:10 GMT`, undefined],
  ])('read retry-after "%s" beside the date %s as %p ms', (header, date, asked) => {
    const headers = { 'retry-after': header, ...(date === undefined ? {} : { date }) };
    expect(askedDelay(response({ headers }), now)).toBe(asked);
  });

  test.each<[retry_after: unknown, asked: number | undefined]>([
    [{ interval: 0 }, 0],
    [{ interval: '2', unit: 'Minutes' }, 120_000],
    [{ interval: 2, unit: 'h' }, 7_200_000],
    [{ interval: 2, unit: 'MS' }, 2],
    [{ interval: 2, unit: 'milliseconds' }, 2],
    [{ interval: 2, unit: 'msec' }, 2],
    [{ interval: 2, unit: 'sms' }, 2000],
    [{ interval: 2, unit: 'days' }, undefined],
    [{}, undefined],
  ])('read retry_after=%j of a body as %p ms', (retry_after, asked) => {
    expect(askedDelay(response({ body: JSON.stringify({ retry_after }) }), now)).toBe(asked);
  });

  test('wait longer with each attempt, up to ten seconds', () => {
    expect([0, 1, 2, 9].map((attempt) => backoff(attempt, 0.999))).toEqual([499, 999, 1998, 9990]);
  });

  test('are for 408, 429 and temporary failures; of a change, for 429 alone', () => {
    const repeated = [408, 429, 500, 502, 503, 504];
    const all = Array.from({ length: 500 }, (_, at) => at + 100);
    expect(all.filter((status) => mayRepeat(status, true))).toEqual(repeated);
    expect(all.filter((status) => mayRepeat(status, false))).toEqual([429]);
  });

  test('have a budget of ten, refilled one for one by patient answers, one for five by successes', () => {
    const budget = new RetryBudget();
    const taken = () => {
      let count = 0;
      while (count < 50 && budget.take()) count += 1;
      return count;
    };
    expect(taken()).toBe(10);
    budget.refill(true);
    expect(taken()).toBe(1);
    for (let at = 0; at < 6; at += 1) budget.refill(false);
    expect(taken()).toBe(1);
    for (let at = 0; at < 30; at += 1) budget.refill(true);
    expect(taken()).toBe(10);
  });

  test('are logged with attempt and delay', async () => {
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

  test.each([
    [5, 1],
    [4, 2],
  ])('fit into five seconds after a wait of %i seconds: %i requests', async (seconds, requests) => {
    const room = stage(always({ status: 429, headers: { 'retry-after': String(seconds) } }), { budgetMs: 5000 });
    await failing(room.api().fetch(read));
    expect(room.requests).toHaveLength(requests);
  });

  test('are earned by five first-attempt successes, and by no failure', async () => {
    let status = 200;
    const room = stage(() => ({ status }));
    const { repeats } = room.runtime.shared;
    const api = room.api();
    const fetched = async (times: number) => {
      for (let at = 0; at < times; at += 1) await api.fetch(read).catch(() => undefined);
    };
    await fetched(1);
    while (repeats.take()) expect(room.requests).toHaveLength(1);
    await fetched(4);
    expect(repeats.take()).toBe(false);
    status = 400;
    await fetched(4);
    expect(repeats.take()).toBe(false);
    status = 200;
    await fetched(2);
    expect(repeats.take()).toBe(true);
  });

  test('keep to the time-out of one attempt; a prefetch has none', async () => {
    const room = stage(always({ status: 503 }), { budgetMs: 5000 });
    for (const attemptMs of [1000, 9000]) await failing(room.api().fetch({ ...read, attemptMs }));
    expect(room.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([1000, 5000]);
    await failing(room.api().fetch({ ...read, ahead: true }));
    expect(room.requests).toHaveLength(3);
  });

  test('end with Stop', async () => {
    const room = stage([], { stop: stoppedWhen(() => true) });
    expect(await failing(room.api().fetch(read))).toMatchObject({ name: 'CancelledError', message: SOME_TEXT });
  });

  test('spare a change whose answer was lost; one that was never sent keeps its error', async () => {
    const lost = lostConnection('h');
    const { name, message } = lost;
    const error = await failing(stage(always(lost)).api({ effect: 'create' }).fetch(create));
    expect(error).toMatchObject({ name, message, retryable: false });
    expect(error.hint?.startsWith(`${lost.hint} `)).toBe(true);
    expect(error.hint).toContain(UNKNOWN);
    const never = refused('h');
    expect(await failing(stage(always(never)).api({ effect: 'create' }).fetch(create))).toBe(never);
  });
});

describe('a log', () => {
  test('traces requests and responses without secrets', async () => {
    const traced: unknown[] = [];
    const silent = () => undefined;
    const trace = (text: string, more: () => unknown) => traced.push([text, more()]);
    const log = { debug: silent, info: silent, warn: silent, trace };
    const room = stage(always({ json: { said: 'hidden-word' }, headers: { x: 'hidden-word' } }), { log });
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
    expect(text).toContain('said');
    expect(text).not.toContain('hidden-word');
  });
});

describe('the access token', () => {
  const asking = (reply: Script) => failing(stage([OK], { token: reply }).api().fetch(read));

  test.each<[status: number, json: object, type: unknown, retryable: boolean, message: RegExp, hint: string]>([
    [400, {}, AuthError, false, /refused .*HTTP 400/, 'API Client Secret'],
    [401, { error: 'why' }, AuthError, false, /refused .*HTTP 401.*: why$/, 'API Client Secret'],
    [404, {}, ResponseError, false, /HTTP 404/, 'Token URL'],
    [429, {}, ResponseError, true, /HTTP 429/, 'Token URL'],
    [500, { message: 'why' }, ResponseError, true, /HTTP 500: why$/, 'Token URL'],
  ])('that is answered with %i is an error', async (status, json, type, retryable, message, hint) => {
    const error = await asking(always({ status, json }));
    expect(error.constructor).toBe(type);
    expect(error).toMatchObject({ status, retryable, hint: expect.stringContaining(hint) });
    expect(error.message).toMatch(/^No access token: /);
    expect(error.message).toMatch(message);
  });

  test.each([{}, { access_token: '' }, { access_token: 'a b' }, { access_token: 5 }, 'x'])(
    'is not found in %j',
    async (json) => {
      const error = await asking(always({ json }));
      expect(error).toMatchObject({ code: 'response', message: SOME_TEXT, hint: expect.stringContaining('Token URL') });
    },
  );

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

  test('that was refused is dropped only while it is the stored one', async () => {
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

  test.each([
    [61, 1],
    [60, 2],
  ])('that lasts %i seconds needs %i requests for two calls', async (seconds, requests) => {
    const room = stage(always(OK), { token: always(token('t', { expires_in: seconds })) });
    for (const call of [read, read]) await room.api().fetch(call);
    expect(room.tokenRequests).toHaveLength(requests);
  });
});

describe('secrets', () => {
  test('are these members of answers', () => {
    expect(SECRET_MEMBERS).toEqual(['api_key', 'auth_code', 'client_secret', 'access_token', 'token_preview']);
  });

  test('are redacted in requests and responses, the newest token as well', () => {
    const { runtime } = stage([]);
    const { body, response } = redacting(runtime, ['own-secret', '']);
    const all = () => body('[script-client-secret] [script-runtime-key] [own-secret] [token-one] [token-two]');
    expect(all()).not.toMatch(/script-|own-/);
    expect(all()).toMatch(/token-one.*token-two/);
    runtime.shared.token = 'token-one';
    expect(all()).not.toContain('token-one');
    expect(all()).toContain('token-two');
    runtime.shared.token = 'token-two';
    expect(all()).not.toContain('token-two');
    const headers = { a: 'own-secret', b: 'c' };
    const redacted = response({ status: 200, headers, body: '{"x":"own-s\\u0065cret","y":1}' });
    expect(JSON.stringify(redacted)).not.toMatch(/own-/);
    expect(redacted).toMatchObject({ status: 200, headers: { b: 'c' } });
    expect(JSON.parse(redacted.body)).toMatchObject({ y: 1 });
  });
});

describe('finding', () => {
  const rows = [
    { id: 'a', name: 'x', revision: 1 },
    { id: 'b', name: 'x', revision: '10' },
    { id: 'c', name: 'x', revision: 10 },
    { id: 'd', name: 'y' },
  ];
  test('takes the first of the highest revision', () => {
    expect(latestOf(rows, 'thing', { name: 'x', id: undefined })).toBe(rows[1]);
    expect(latestOf(rows, 'thing', { name: 'y' })).toBe(rows[3]);
  });

  test('names what it looked for, cut to a hundred characters', () => {
    const wanted = { name: 'z'.repeat(101), id: 'q', more: undefined };
    const message = expect.stringContaining(`no thing with name=${'z'.repeat(100)} and id=q.`);
    const missing = { code: 'not-found', message, hint: expect.stringContaining('things list command') };
    expect(() => latestOf(rows, 'thing', wanted)).toThrow(expect.objectContaining(missing) as NotFoundError);
  });

  test('refuses a list that is not complete', async () => {
    const page = Array.from({ length: 100 }, (_, id) => ({ id }));
    const api = stage(always({ json: { rows: page } })).api();
    const error = await failing(findLatest(api, modelData.list(things, { items: 'rows' }), 'thing', { id: '1' }));
    expect(error).toMatchObject({
      code: 'response',
      message: expect.stringContaining('list of things'),
      hint: SOME_TEXT,
    });
  });

  test('takes an id as it is', () => {
    expect([idIn({ id: 'a' }, 'id'), idIn({ id: 0 }, 'id')]).toEqual(['a', '0']);
  });

  test.each([undefined, null, '', {}, true])('refuses the id %p', (id) => {
    const missing = { code: 'response', message: expect.stringContaining('without id'), hint: SOME_TEXT };
    expect(() => idIn({ id }, 'id')).toThrow(expect.objectContaining(missing) as ResponseError);
  });
});

describe('a list', () => {
  const ids = (start: number, count: number) => Array.from({ length: count }, (_, at) => ({ id: start + at }));

  test.each<[limit: number | undefined, offset: number, kept: number[], more: boolean]>([
    [undefined, 0, [0, 2, 4, 6], false],
    [2, 1, [2, 4], true],
    [2, 2, [4, 6], false],
    [1, 3, [6], false],
    [5, 9, [], false],
  ])('filtered here with limit=%p offset=%i keeps %j', async (limit, offset, kept, more) => {
    const only = ({ id }: Readonly<Record<string, unknown>>) => Number(id) % 2 === 0;
    const call = management.list(things, { items: 'rows', paging: 'whole', limit, offset, only });
    const service = always({ json: { rows: ids(0, 8), note: 'n' } });
    const page = await stage(service).api().list(call);
    expect(page).toMatchObject({ records: kept.map((id) => ({ id })), count: kept.length, more, total: 4 });
    expect(page.head).toEqual({ note: 'n', rows: undefined });
    const taken: unknown[] = [];
    const streamed = await stage(service)
      .api()
      .list(call, (records) => taken.push(...records));
    expect([taken, streamed.records, streamed.count]).toEqual([page.records, [], kept.length]);
  });

  test('whose service repeats a page has no total', async () => {
    const call = modelData.list(things, { items: 'rows', only: () => true });
    const page = await stage(always({ json: { rows: ids(0, 100) } }))
      .api()
      .list(call);
    expect(page).toMatchObject({ repeated: true, more: true, total: undefined, count: 100 });
  });

  test.each<[json: object, page: number, more: boolean, pages: number | undefined, total: number | undefined]>([
    [{ total_elements: 4 }, 0, true, 2, 4],
    [{ total_elements: 4 }, 1, false, 2, 4],
    [{ totalElements: 4, totalPages: 3 }, 0, true, 3, 4],
    [{ page: { total_elements: 4, total_pages: 1 } }, 0, false, 1, 4],
    [{ total_elements: '4', total_pages: 9 }, 7, true, 9, undefined],
    [{ total_elements: '4', total_pages: 9 }, 8, false, 9, undefined],
    [{ last: false }, 0, true, undefined, undefined],
    [{ last: true }, 0, false, undefined, undefined],
  ])('by pages with %j, at page %i: more is %p', async (json, page, more, pages, total) => {
    const room = stage([{ json: { rows: ids(0, 2), ...json } }]);
    const listed = await room.api().list(dlp.list(things, { items: 'rows', limit: 2, offset: page }));
    expect(listed).toMatchObject({ more, pages, total, count: 2, repeated: false });
    expect(room.requests[0]?.url).toMatch(new RegExp(`\\?page=${page}&size=2$`));
  });

  type Expected = { total?: number; count: number; more?: boolean };
  test.each<[what: string, limit: number | undefined, replies: number[], queries: string[], expected: Expected]>([
    ['a full page and no total', undefined, [100, 3], ['skip=0&limit=100', 'skip=100&limit=100'], { count: 103 }],
    ['as many as wanted', 5, [5], ['skip=0&limit=5'], { count: 5, more: true }],
    ['fewer than wanted', 5, [4], ['skip=0&limit=5'], { count: 4 }],
    ['more than wanted', 5, [7], ['skip=0&limit=5'], { count: 5, more: true }],
    ['nothing', 5, [0], ['skip=0&limit=5'], { count: 0 }],
    ['all there is', 9, [5], ['skip=0&limit=9'], { total: 5, count: 5 }],
    ['small pages', 9, [5, 4], ['skip=0&limit=9', 'skip=5&limit=4'], { total: 50, count: 9, more: true }],
  ])('by position that gets %s', async (_, limit, replies, queries, { total, count, more = false }) => {
    let start = 0;
    const room = stage((_request, at) => {
      const rows = ids(start, replies[at] ?? 0);
      start += rows.length;
      return { json: { rows, ...(total === undefined ? {} : { pagination: { total_items: total } }) } };
    });
    const page = await room.api().list(modelData.list(things, { items: 'rows', limit }));
    expect(page).toMatchObject({ count, more, total, pages: undefined });
    expect(room.requests.map(({ url }) => url.split('?')[1])).toEqual(queries);
  });

  const list = (rows: unknown, texts: boolean) => {
    const call = management.list(things, { items: 'rows', paging: 'whole', texts });
    return stage(always({ json: { rows } }))
      .api()
      .list(call);
  };

  test('of texts makes a record of each', async () => {
    expect((await list(['a', { b: 1 }], true)).records).toEqual([{ value: 'a' }, { b: 1 }]);
    expect((await list(undefined, true)).records).toEqual([]);
  });

  test.each<[rows: unknown, texts: boolean]>([
    [['a'], false],
    [[5], true],
    ['a', true],
    [{}, false],
  ])('is not found in %j with texts=%p', async (rows, texts) => {
    const missing = { code: 'response', message: expect.stringContaining('"rows"'), hint: SOME_TEXT };
    expect(await failing(list(rows, texts))).toMatchObject(missing);
  });
});
