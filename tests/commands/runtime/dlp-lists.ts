/** Tests of lists and ids for the four DLP resources. */
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, asked, DLP } from '../../support/scripted.ts';
import { scenario } from '../../system/scenarios/claims.ts';

export interface DlpList {
  command: string;
  /** Below the DLP address, such as `dictionaries`. */
  path: string;
}

const records = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `id-${n}` }));

/** The totals of 1130 records on 23 pages, in each place and spelling that was seen. */
const TOTALS = [
  { totals: { totalElements: 1130, totalPages: 23 } },
  { totals: { total_elements: 1130, total_pages: 23 } },
  { totals: { page: { total_elements: 1130, total_pages: 23 } } },
  { totals: { page: { totalElements: 1130, totalPages: 23, number: 0 } } },
  { totals: { total_elements: 1130 } },
];

/** Registers the tests of one list. */
export function describeDlpPages({ command, path }: DlpList): void {
  const line = `!${command}`;
  const page = (answer: unknown) => answering(() => ({ answer }));
  /** A service with so many records, which sends the page that is asked for. */
  const paging = (total: number) =>
    answering(({ url }) => {
      const query = new URL(url).searchParams;
      const size = Number(query.get('size'));
      const from = Number(query.get('page')) * size;
      const totals = { totalElements: total, totalPages: Math.ceil(total / size) };
      return { answer: { content: records(total).slice(from, from + size), ...totals } };
    });
  const request = (query: string) => [{ request: `GET ${DLP}/${path}?${query}`, body: undefined }];

  requirement.each(['', 'page=0 size=50', 'page= size='].map((args) => ({ args })))(
    'dlp-page-defaults',
    `${command} $args requests the first page of 50`,
    async ({ args }) => {
      const room = page({ content: [{ id: 'a' }] });
      expect(await room.value(`${line} ${args}`)).toMatchObject([{ id: 'a' }]);
      expect(room.requests.map(asked)).toEqual(request('page=0&size=50'));
    },
  );

  test.each(TOTALS)(`${command} reads the number of pages from $totals`, async ({ totals }) => {
    const { readable } = await page({ content: records(50), ...totals }).run(line);
    expect(readable.notes).toEqual(['1,130 records, page 1 of 23. Continue with page=1; the first is page=0.']);
  });

  test(`${command} page=22 size=50 is the last of 23 pages, and page=23 does not exist`, async () => {
    const room = page({ content: records(30), totalElements: 1130, totalPages: 23 });
    const last = await room.run(`${line} page=22`);
    expect(last.readable.notes).toEqual(['1,130 records, page 23 of 23.']);
    expect(room.requests.map(asked)).toEqual(request('page=22&size=50'));
    const behind = await page({ content: [], totalElements: 1130, totalPages: 23 }).run(`${line} page=23`);
    expectNone(behind.writes, 'writes to the context');
    expect(behind.readable.notes).toEqual([expect.stringContaining('There is no page=23')]);
  });

  test(`${command} says how to continue if only the member "last" shows that there are more records`, async () => {
    const { readable } = await page({ content: records(5), last: false }).run(`${line} page=2 size=5`);
    expect(readable.notes).toEqual(['5 shown, there are more: continue with page=3, or a higher size.']);
    expectNone((await page({ content: records(5), last: true }).run(line)).readable.notes, 'notes below the table');
  });

  test(`${command} size=3 returns 3 records, whatever the service sends`, async () => {
    expect(await page({ content: records(20) }).value(`${line} size=3`)).toHaveLength(3);
  });

  test.each([
    'size=0',
    'size=-1',
    'size=1.5',
    'size=many',
    'page=-1',
    'page=first',
    'page=0.5',
    'limit=0',
    'offset=-1',
  ])(`${command} %s is refused before anything is sent`, async (args) => {
    const room = page({ content: [] });
    expect(await room.fail(`${line} ${args}`)).toMatchObject({ exitCode: 2, argument: args.split('=')[0] });
    expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
  });

  test.each([
    { args: 'limit=5', asks: ['page=0&size=5'], from: 0, count: 5 },
    { args: 'limit=20 offset=40', asks: ['page=2&size=20'], from: 40, count: 20 },
    { args: 'offset=50', asks: ['page=1&size=50'], from: 50, count: 50 },
    { args: 'limit=10 offset=95', asks: ['page=0&size=100', 'page=1&size=100'], from: 95, count: 10 },
    { args: 'limit=250', asks: ['page=0&size=100', 'page=1&size=100', 'page=2&size=100'], from: 0, count: 250 },
    { args: 'limit=300 offset=100', asks: ['page=1&size=100', 'page=2&size=100'], from: 100, count: 130 },
    { args: 'limit=5 offset=400', asks: ['page=80&size=5'], from: 400, count: 0 },
  ])(`${command} $args returns $count records from $from`, async ({ args, asks, from, count }) => {
    const room = paging(230);
    const { raw, readable } = await room.run(`${line} ${args}`);
    expect(raw).toEqual(records(230).slice(from, from + count));
    expect(room.requests.map(asked)).toEqual(asks.flatMap(request));
    const more = from + count < 230 && count > 0;
    const next = `${count} shown, there are 230: continue with offset=${from + count}, or a higher limit.`;
    expect(readable.notes).toEqual(more ? [next] : []);
  });

  test.each(['limit=5 page=0', 'limit=5 size=50', 'offset=0 page=1', 'limit=5 offset=5 size=5'])(
    `${command} %s is refused, because one of them would be ignored`,
    async (args) => {
      const room = page({ content: [] });
      const failure = await room.fail(`${line} ${args}`);
      expect(failure).toMatchObject({ exitCode: 2, argument: args.split('=')[0] });
      expect(failure.message).toContain('cannot be given together with');
      expectNone(room.requests, 'requests');
    },
  );

  requirement.each([
    { sent: 1_777_000_000_123, kept: 1_777_000_000_123 },
    { sent: '1777000000123', kept: 1_777_000_000_123 },
    { sent: '2026-04-24T03:06:40.123Z', kept: 1_777_000_000_123 },
    { sent: '2026-04-24T05:06:40+02:00', kept: 1_777_000_000_000 },
    { sent: 0, kept: 0 },
    { sent: null, kept: null },
    { sent: undefined, kept: null },
  ])('dlp-timestamps-milliseconds', `${command} records the time $sent as $kept`, async ({ sent, kept }) => {
    const room = page({ content: [{ id: 'a', audit_metadata: { created_at: sent, updated_at: sent } }] });
    expect(await room.value(line)).toMatchObject([{ created_at: kept, updated_at: kept }]);
  });

  requirement(
    'dlp-timestamps-milliseconds',
    `${command} shows a time as a date, and records it as a number`,
    async () => {
      const room = page({ content: [{ id: 'a', audit_metadata: { updated_at: 1_777_000_000_123 } }] });
      const { readable, writes } = await room.run(line);
      expect(readable.tables[0]?.rows.flat()).toContain('2026-04-24T03:06:40Z');
      expect(writes[0]?.value).toMatchObject([{ updated_at: 1_777_000_000_123 }]);
    },
  );

  test.each([{ audit: null }, { audit: undefined }, { audit: {} }, { audit: 'none' }])(
    `${command} lists a record with an audit of $audit among others`,
    async ({ audit }) => {
      const room = page({ content: [{ id: 'a', audit_metadata: audit }, { id: 'b' }] });
      const unaudited = { created_at: null, updated_at: null, created_by: null, updated_by: null };
      expect(await room.value(line)).toMatchObject([{ id: 'a', ...unaudited }, { id: 'b' }]);
    },
  );

  scenario(
    'unknown-response-field',
    `${command} rejects an invalid time and records that are not a list, and names them`,
    async () => {
      const mistimed = await page({ content: [{ audit_metadata: { created_at: 'yesterday' } }] }).fail(line);
      expect(mistimed).toMatchObject({ code: 'response', message: expect.stringContaining('.created_at') });
      const unlisted = await page({ content: 'none' }).fail(line);
      expect(unlisted).toMatchObject({ code: 'response', message: expect.stringContaining('"content"') });
    },
  );
}

/** Registers the tests of an id in a path. @param lines commands that lack only the value of the id at their end */
export function describeDlpIds(lines: readonly string[]): void {
  const odd = ['.', '..', '%2e%2e', '"%252e%252e"', '""'];
  scenario.each(lines.flatMap((line) => odd.map((id) => ({ line, id }))))(
    'path-dots',
    '$line$id sends nothing',
    async ({ line, id }) => {
      const room = answering(() => ({ answer: { name: 'n', profile_type: 'basic' } }));
      expect(await room.fail(`${line}${id}`)).toMatchObject({ code: 'arguments', exitCode: 2 });
      expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
    },
  );

  scenario.each(lines.map((line) => ({ line })))(
    'path-words',
    '$line"a/b?c#d e" is sent as one path segment',
    async ({ line }) => {
      const room = answering(() => ({ answer: { name: 'n', profile_type: 'basic' } }));
      await room.run(`${line}"a/b?c#d e"`);
      expect(room.requests.map(({ url }) => url.split('?')[0])).toEqual(
        room.requests.map(() => expect.stringMatching(/\/v2\/api\/[a-z-]+\/a%2Fb%3Fc%23d%20e$/)),
      );
    },
  );
}
