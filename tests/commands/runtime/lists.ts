/** Tests of paging for all lists of the management plane. */

import type { HttpRequest } from '../../../lib/core/ports.ts';
import { markdown } from '../../../lib/output/markdown.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { type Answer, answering, asked, MANAGEMENT, TENANT } from '../../support/scripted.ts';
import { scenario } from '../../system/scenarios/claims.ts';

export interface PagedList {
  command: string;
  /** Below the management address, such as `topics`; the tenant group follows. */
  path: string;
  /** Member of the response with the records. */
  items: string;
  /** The wire's name of the id, and the context's. */
  wireId: string;
  id: string;
  /** Records that are returned when no limit is given, and the requirement that says so. */
  standard: number;
  standardClaim: string;
}

const TOTAL = 230;

interface Oddities {
  ignoresOffset?: boolean;
  ignoresLimit?: boolean;
  total?: number;
}

/** A service with many records, which says `next_offset` while there are more. */
function serving({ items, wireId }: PagedList, odd: Oddities = {}) {
  return (request: HttpRequest): Answer => {
    const query = new URL(request.url).searchParams;
    const offset = odd.ignoresOffset === true ? 0 : Number(query.get('offset'));
    const limit = odd.ignoresLimit === true ? 100 : Number(query.get('limit'));
    const total = odd.total ?? TOTAL;
    const records = numbers(offset, Math.min(total, offset + limit)).map((n) => ({ [wireId]: idOf(n) }));
    const next = Number(query.get('offset')) + limit;
    return { answer: { [items]: records, ...(next < total ? { next_offset: next } : {}) } };
  };
}

const numbers = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);

const idOf = (n: number) => `id-${n}`;

function idsIn(value: unknown, id: string): unknown[] {
  if (!Array.isArray(value)) throw new Error('a list was expected');
  return value.map((record) => record[id]);
}

/** The requests for records `offset` to `offset + wanted`, a hundred at most in each. */
function pages({ path }: PagedList, offset: number, wanted: number, total = TOTAL): string[] {
  const found: string[] = [];
  for (let done = 0; done < Math.min(wanted, total - offset); done += 100) {
    const size = Math.min(100, wanted - done);
    found.push(`GET ${MANAGEMENT}/${path}/tsg/${TENANT}?offset=${offset + done}&limit=${size}`);
  }
  return found;
}

/** Registers the tests of one list. */
export function describePages(list: PagedList): void {
  describeLimits(list);
  describePositions(list);
  describeOddServices(list);
}

function describeLimits(list: PagedList): void {
  const { command, id } = list;

  requirement.each([1, 50, 99, 100, 101, 200, 230, 1000].map((limit) => ({ limit })))(
    'limit-is-a-maximum',
    `${command} limit=$limit returns up to $limit of 230 records, each once, in pages of at most 100`,
    async ({ limit }) => {
      const room = answering(serving(list));
      expect(idsIn(await room.value(`!${command} limit=${limit}`), id)).toEqual(
        numbers(0, Math.min(limit, TOTAL)).map(idOf),
      );
      expect(room.requests.map(asked).map(({ request }) => request)).toEqual(pages(list, 0, limit));
    },
  );

  requirement(
    'limit-is-a-maximum',
    `${command} drops records beyond the limit, and says that there are more`,
    async () => {
      const room = answering(serving(list, { ignoresLimit: true }));
      const { writes, readable } = await room.run(`!${command} limit=3`);
      expect(idsIn(writes[0]?.value, id)).toEqual(['id-0', 'id-1', 'id-2']);
      expect(readable.notes).toEqual(['3 shown, there are more: continue with offset=3, or a higher limit.']);
    },
  );

  test.each(['0', '-1', '1.5', '1e3', 'many'])(
    `${command} limit=%s is refused before anything is sent`,
    async (limit) => {
      const room = answering(serving(list));
      expect(await room.fail(`!${command} limit=${limit}`)).toMatchObject({ exitCode: 2, argument: 'limit' });
      expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
    },
  );
}

function describePositions(list: PagedList): void {
  const { command, id } = list;

  requirement(
    list.standardClaim,
    `${command} without limit returns ${list.standard} records from the first`,
    async () => {
      const room = answering(serving(list));
      const { writes, readable } = await room.run(`!${command}`);
      expect(idsIn(writes[0]?.value, id)).toEqual(numbers(0, list.standard).map(idOf));
      expect(room.requests.map(asked).map(({ request }) => request)).toEqual(pages(list, 0, list.standard));
      expect(readable.notes.join()).toContain(`continue with offset=${list.standard}`);
    },
  );

  test(`${command} offset=120 skips 120 records and says where to continue`, async () => {
    const room = answering(serving(list));
    const { writes, readable } = await room.run(`!${command} offset=120 limit=105`);
    expect(idsIn(writes[0]?.value, id)).toEqual(numbers(120, 225).map(idOf));
    expect(room.requests.map(asked).map(({ request }) => request)).toEqual(pages(list, 120, 105));
    expect(readable.notes.join()).toContain('offset=225');
  });

  test(`${command} has no note about more records if it returned everything`, async () => {
    const { readable } = await answering(serving(list, { total: 40 })).run(`!${command} limit=40`);
    expectNone(readable.notes, 'notes below the table');
  });

  test(`${command} does not write the context for an empty list, and says so`, async () => {
    const { writes, readable } = await answering(() => ({ answer: { [list.items]: [] } })).run(`!${command}`);
    expectNone(writes, 'writes to the context');
    expect(markdown(readable)).toContain('No entries.');
  });
}

function describeOddServices(list: PagedList): void {
  const { command, id } = list;

  scenario.each([{ limit: 1000 }, { limit: 200 }, { limit: 150 }])(
    'page-repeat',
    `${command} limit=$limit detects a service that repeats its first page, lists no record twice and says so`,
    async ({ limit }) => {
      const room = answering(serving(list, { ignoresOffset: true }));
      const { writes, readable } = await room.run(`!${command} limit=${limit}`);
      expect(idsIn(writes[0]?.value, id)).toEqual(numbers(0, 100).map(idOf));
      expect(room.requests).toHaveLength(2);
      expect(readable.notes).toEqual([expect.stringContaining('repeated a page')]);
    },
  );

  test(`${command} stops at a next_offset that does not advance`, async () => {
    const room = answering(() => ({ answer: { [list.items]: [{ [list.wireId]: 'one' }], next_offset: 0 } }));
    expect(idsIn(await room.value(`!${command}`), id)).toEqual(['one']);
    expect(room.requests).toHaveLength(1);
  });
}
