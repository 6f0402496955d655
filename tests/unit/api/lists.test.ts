import fc from 'fast-check';
import type { NotFoundError, ResponseError } from '../../../lib/core/errors.ts';
import { dlp, management, modelData, type Paging } from '../../../lib/runtime/api/call.ts';
import { findLatest, idIn, latestOf } from '../../../lib/runtime/api/find.ts';
import { limit } from '../../../lib/runtime/arguments/builders.ts';
import { command } from '../../../lib/runtime/engine/command.ts';
import { many, record, string } from '../../../lib/runtime/output/record.ts';
import { failing, type Reply, stage } from '../../support/exchange.ts';
import { shareOf } from '../../support/runs.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { always, SOME_TEXT, things } from './calls.ts';

describe('a list', () => {
  interface Service {
    paging: Paging;
    total: number;
    cap: number;
  }

  /** A list of numbered records, served as the plane serves it, never more than `cap` per page. */
  const serving =
    ({ paging, total, cap }: Service) =>
    ({ url }: { url: string }): Reply => {
      const query = new URL(url).searchParams;
      const start = paging === 'whole' ? 0 : Number(query.get(paging === 'skip' ? 'skip' : 'offset'));
      const size = paging === 'whole' ? total : Math.min(cap, Number(query.get('limit')));
      const rows = Array.from({ length: Math.max(0, Math.min(size, total - start)) }, (_, index) => ({
        id: start + index,
      }));
      const next = start + rows.length < total && paging === 'offset' ? { next_offset: start + rows.length } : {};
      const pagination = paging === 'skip' ? { pagination: { total_items: total } } : {};
      return { json: { rows, ...next, ...pagination } };
    };

  const services = fc.record({
    paging: fc.constantFrom<Paging>('offset', 'skip', 'whole'),
    total: fc.nat(450),
    cap: fc.integer({ min: 1, max: 250 }),
  });

  test('has exactly the requested records in order for any page size', async () => {
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
        const streamed: unknown[] = [];
        const page = await room.api().list(call, streams ? (records) => streamed.push(...records) : undefined);
        const there = Math.max(0, service.total - offset);
        const count = Math.min(limit ?? there, there);
        const wanted = Array.from({ length: count }, (_, index) => ({ id: offset + index }));
        expect(streams ? streamed : page.records).toEqual(wanted);
        expect(page).toMatchObject({ count, more: count < there, repeated: false });
      }),
      { numRuns: shareOf(150) },
    );
  });

  test('requests no more records than its limit', async () => {
    const room = stage(serving({ paging: 'offset', total: 1000, cap: 1000 }));
    await room.api().list(management.list(things, { items: 'rows', limit: 230, offset: 5, query: { kind: 'a b' } }));
    expect(room.requests.map(({ url }) => new URL(url).search)).toEqual([
      '?kind=a%20b&offset=5&limit=100',
      '?kind=a%20b&offset=105&limit=100',
      '?kind=a%20b&offset=205&limit=30',
    ]);
  });

  scenario('page-repeat', 'ends without duplicates if the service ignores the position', async () => {
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

  test('continues if a page begins like the previous page', async () => {
    const pages = [['x', 'y'], ['x', 'z'], ['w']];
    const room = stage((_, count) => ({
      json: { rows: pages[count], ...(count < 2 ? { next_offset: count + 1 } : {}) },
    }));
    const page = await room.api().list(management.list(things, { items: 'rows', texts: true }));
    expect(page.records.map(({ value }) => value)).toEqual(pages.flat());
  });

  scenario('page-repeat', 'that repeats a page has a note that it may be incomplete', async () => {
    const rows = Array.from({ length: 3 }, (_, id) => ({ id: String(id) }));
    const room = stage(always({ json: { rows, next_offset: 999 } }));
    const list = command('aisec-test-list', 'List.', {
      effect: 'read',
      args: { limit: limit(50) },
      output: many(record('AiSec.Test', 'Tests', 'id', { id: string('Id.') })),
      call: (args) => management.list(things, { items: 'rows', ...args }),
    });
    const { readable, writes } = await room.run('!aisec-test-list', list);
    expect(writes[0]?.value).toEqual(rows);
    expect(readable.notes).toEqual([expect.stringContaining('repeated a page')]);
  });

  test.each([{ next_offset: 0 }, { next_offset: -5 }, { next_offset: '100' }, { next_offset: null }])(
    'ends at a next position that does not advance: %j',
    async (more) => {
      const room = stage([{ json: { rows: [{ id: 1 }], ...more } }]);
      expect((await room.api().list(management.list(things, { items: 'rows' }))).count).toBe(1);
    },
  );

  test.each<{ counts: object; gap: string | undefined }>([
    { counts: {}, gap: undefined },
    { counts: { total_count: 4 }, gap: 'The service sent 3 of 4 records.' },
    { counts: { total_items: 2 }, gap: 'The service sent 3 of 2 records.' },
    { counts: { pagination: { total_items: 9 } }, gap: 'The service sent 3 of 9 records.' },
    { counts: { count: 3 }, gap: undefined },
    { counts: { count: 0 }, gap: 'The service sent 3 of 0 records.' },
    { counts: { count: '9', total: null }, gap: undefined },
  ])('without a documented count is compared with %j', async ({ counts, gap }) => {
    const rows = [{ id: 0 }, { id: 1 }, { id: 2 }];
    const list = (script: Reply[]) =>
      stage(script)
        .api()
        .list(management.list(things, { items: 'rows' }));
    expect((await list([{ json: { rows, ...counts } }])).gap).toBe(gap);
    const [first, ...others] = rows;
    const pages = [{ json: { rows: [first], next_offset: 1, count: 1 } }, { json: { rows: others, count: 2 } }];
    expect((await list(pages)).gap).toBeUndefined();
  });

  test.each<{ reply: object; gap: string }>([
    { reply: {}, gap: 'The service sent no list at "rows".' },
    { reply: { rows: [{ id: 'a' }], truncated: true }, gap: 'The service says that the list is truncated.' },
    { reply: { rows: [{ id: 'a' }], total_count: 2 }, gap: 'The service sent 1 of 2 records.' },
  ])('that is incomplete finds nothing, because the record may be missing: $gap', async ({ reply, gap }) => {
    const room = stage(always({ json: reply }));
    const call = management.list(things, { items: 'rows' });
    const error = await failing(findLatest(room.api(), call, 'thing', { id: 'a' }));
    expect(error).toMatchObject({ code: 'response', message: `The list of things is incomplete. ${gap}` });
  });

  const ids = (start: number, count: number) => Array.from({ length: count }, (_, at) => ({ id: start + at }));

  test.each<[limit: number | undefined, offset: number, kept: number[], more: boolean]>([
    [undefined, 0, [0, 2, 4, 6], false],
    [2, 1, [2, 4], true],
    [2, 2, [4, 6], false],
    [1, 3, [6], false],
    [5, 9, [], false],
  ])('filtered by the client with limit=%p offset=%i has %j', async (limit, offset, kept, more) => {
    const filter = ({ id }: Readonly<Record<string, unknown>>) => Number(id) % 2 === 0;
    const call = management.list(things, { items: 'rows', paging: 'whole', limit, offset, filter });
    const service = always({ json: { rows: ids(0, 8), note: 'n' } });
    const page = await stage(service).api().list(call);
    expect(page).toMatchObject({ records: kept.map((id) => ({ id })), count: kept.length, more, total: 4 });
    expect(page.head).toEqual({ note: 'n', rows: undefined });
    const batches: unknown[] = [];
    const streamed = await stage(service)
      .api()
      .list(call, (records) => batches.push(...records));
    expect([batches, streamed.records, streamed.count]).toEqual([page.records, [], kept.length]);
  });

  test('whose service repeats a page has no total', async () => {
    const call = modelData.list(things, { items: 'rows', filter: () => true });
    const page = await stage(always({ json: { rows: ids(0, 100) } }))
      .api()
      .list(call);
    expect(page).toMatchObject({ repeated: true, more: true, total: undefined, count: 100 });
  });

  test.each<
    [json: object, rows: number, page: number, more: boolean, pages: number | undefined, total: number | undefined]
  >([
    [{ total_elements: 4 }, 2, 0, true, 2, 4],
    [{ total_elements: 4 }, 2, 1, false, 2, 4],
    [{ totalElements: 4, totalPages: 3 }, 2, 0, true, 3, 4],
    [{ page: { total_elements: 4, total_pages: 1 } }, 2, 0, false, 1, 4],
    [{ page: { total_elements: 40, total_pages: 4 }, total_pages: 4 }, 2, 2, true, 4, 40],
    [{ total_elements: '4', total_pages: 9 }, 2, 7, true, 9, undefined],
    [{ last: false }, 2, 0, true, undefined, undefined],
    [{ last: true }, 2, 0, false, undefined, undefined],
    [{}, 1, 0, false, undefined, undefined],
    [{}, 3, 0, true, undefined, undefined],
  ])('by pages with %j and %i rows at page %i: more is %p', async (json, rows, page, more, pages, total) => {
    const room = stage([{ json: { rows: ids(0, rows), ...json } }]);
    const listed = await room.api().list(dlp.list(things, { items: 'rows', limit: 2, offset: page }));
    expect(listed).toMatchObject({ more, pages, total, count: Math.min(rows, 2), repeated: false });
    expect(room.requests[0]?.url).toMatch(new RegExp(`\\?page=${page}&size=2$`));
  });

  type Expected = { total?: number; count: number; more?: boolean };
  test.each<[what: string, limit: number | undefined, replies: number[], queries: string[], expected: Expected]>([
    ['a full page and no total', undefined, [100, 3], ['skip=0&limit=100', 'skip=100&limit=100'], { count: 103 }],
    ['as many records as requested', 5, [5], ['skip=0&limit=5'], { count: 5, more: true }],
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

  test('of strings has a record for each string', async () => {
    expect((await list(['a', { b: 1 }], true)).records).toEqual([{ value: 'a' }, { b: 1 }]);
    expect(await list(undefined, true)).toMatchObject({ records: [], count: 0 });
  });

  test.each<[rows: unknown, texts: boolean]>([
    [['a'], false],
    [[null], false],
    [[5], true],
    ['a', true],
    [{}, false],
  ])('in %j with texts=%p is a ResponseError', async (rows, texts) => {
    const missing = { code: 'response', message: expect.stringContaining('"rows"'), hint: SOME_TEXT };
    expect(await failing(list(rows, texts))).toMatchObject(missing);
  });
});

describe('finding one record', () => {
  const rows = [
    { name: 'a', revision: 2 },
    { name: 'b', revision: 9 },
    { name: 'a', revision: 10 },
    { name: 'a', revision: 3 },
  ];

  test('takes the highest revision at any position of the list', async () => {
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

  const revised = [
    { id: 'a', name: 'x', revision: 1 },
    { id: 'b', name: 'x', revision: '10' },
    { id: 'c', name: 'x', revision: 10 },
    { id: 'd', name: 'y' },
  ];
  test('takes the first of the highest revision', () => {
    expect(latestOf(revised, 'thing', { name: 'x', id: undefined })).toBe(revised[1]);
    expect(latestOf(revised, 'thing', { name: 'y' })).toBe(revised[3]);
  });

  test('names the wanted record, shortened to a hundred characters', () => {
    const wanted = { name: 'z'.repeat(101), id: 'q', more: undefined };
    const message = expect.stringContaining(`no thing with name=${'z'.repeat(100)} and id=q.`);
    const missing = { code: 'not-found', message, hint: expect.stringContaining('things list command') };
    expect(() => latestOf(rows, 'thing', wanted)).toThrow(expect.objectContaining(missing) as NotFoundError);
  });

  test('returns an id as text', () => {
    expect([idIn({ id: 'a' }, 'id'), idIn({ id: 0 }, 'id')]).toEqual(['a', '0']);
  });

  test.each([undefined, null, '', {}, true])('refuses the id %p', (id) => {
    const missing = { code: 'response', message: expect.stringContaining('without id'), hint: SOME_TEXT };
    expect(() => idIn({ id }, 'id')).toThrow(expect.objectContaining(missing) as ResponseError);
  });
});
