/** Tests of paging for all lists of the red-team planes. */
import type { HttpRequest } from '../../../lib/core/ports.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { type Answer, answering, asked } from '../../support/scripted.ts';
import { scenario } from '../../system/scenarios/claims.ts';

export interface RedTeamList {
  command: string;
  /** The arguments that it needs. */
  args?: string;
  /** Address of the list. */
  address: string;
  /** The field that is its id, in the answer and in the context. */
  id: string;
  /** The query before the position, such as `search=x&`. */
  searches?: boolean;
}

const TOTAL = 230;

interface Oddities {
  ignoresSkip?: boolean;
  /** The total is null. */
  withoutTotal?: boolean;
}

const numbers = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
const idOf = (n: number) => `id-${n}`;

/** A service with many records. */
function serving({ id }: RedTeamList, { ignoresSkip = false, withoutTotal = false }: Oddities = {}) {
  return (request: HttpRequest): Answer => {
    const query = new URL(request.url).searchParams;
    const skip = ignoresSkip ? 0 : Number(query.get('skip'));
    const limit = Number(query.get('limit'));
    const data = numbers(skip, Math.min(TOTAL, skip + limit)).map((n) => ({ [id]: idOf(n) }));
    return { answer: { pagination: { total_items: withoutTotal ? null : TOTAL }, data } };
  };
}

function idsIn(value: unknown, id: string): unknown[] {
  if (!Array.isArray(value)) throw new Error('a list was expected');
  return value.map((record) => record[id]);
}

/** The requests for the records from `skip` on, a hundred at most in each. */
function pages({ address }: RedTeamList, skip: number, wanted: number): string[] {
  const found: string[] = [];
  for (let done = 0; done < Math.min(wanted, TOTAL - skip); done += 100) {
    found.push(`GET ${address}?skip=${skip + done}&limit=${Math.min(100, wanted - done)}`);
  }
  return found;
}

/** Registers the tests of one list. */
export function describePages(list: RedTeamList): void {
  const { command, args = '', id } = list;
  const line = `!${command} ${args}`;
  const cases = [{ odd: {} }, { odd: { withoutTotal: true } }];

  requirement.each(cases.flatMap((one) => [1, 50, 99, 100, 101, 200, 230, 1000].map((limit) => ({ ...one, limit }))))(
    'limit-is-a-maximum',
    `${command} limit=$limit returns up to $limit of 230 records, in pages of at most 100 ($odd)`,
    async ({ limit, odd }) => {
      const room = answering(serving(list, odd));
      expect(idsIn(await room.value(`${line} limit=${limit}`), id)).toEqual(
        numbers(0, Math.min(limit, TOTAL)).map(idOf),
      );
      const sent = room.requests.map(asked).map(({ request }) => request);
      expect(sent.slice(0, 3)).toEqual(pages(list, 0, limit));
    },
  );

  requirement('red-team-limit-defaults-to-50', `${command} returns fifty records by default`, async () => {
    const room = answering(serving(list));
    const { writes, readable } = await room.run(line);
    expect(idsIn(writes[0]?.value, id)).toEqual(numbers(0, 50).map(idOf));
    expect(readable.notes).toEqual(['50 shown, there are 230: continue with skip=50, or a higher limit.']);
  });

  requirement('red-team-skip-passes-over-records', `${command} skip=120 skips 120 records`, async () => {
    const room = answering(serving(list));
    const { writes, readable } = await room.run(`${line} skip=120 limit=105`);
    expect(idsIn(writes[0]?.value, id)).toEqual(numbers(120, 225).map(idOf));
    expect(room.requests.map(asked).map(({ request }) => request)).toEqual(pages(list, 120, 105));
    expect(readable.notes.join()).toContain('skip=225');
  });

  scenario('page-repeat', `${command} detects a service that ignores skip, and lists no record twice`, async () => {
    const room = answering(serving(list, { ignoresSkip: true }));
    const { writes, readable } = await room.run(`${line} limit=230`);
    expect(idsIn(writes[0]?.value, id)).toEqual(numbers(0, 100).map(idOf));
    expect(readable.notes).toEqual([expect.stringContaining('repeated a page')]);
  });

  if (list.searches === true) {
    requirement('red-team-search-filters-text', `${command} sends search unchanged`, async () => {
      const room = answering(serving(list));
      await room.run(`${line} search="a/b & c"`);
      expect(new URL(room.requests[0]?.url ?? '').searchParams.get('search')).toBe('a/b & c');
    });
  }

  test.each(['limit=0', 'limit=many', 'skip=-1', 'skip=1.5'])(`${command} %s is refused`, async (wrong) => {
    const room = answering(serving(list));
    expect(await room.fail(`${line} ${wrong}`)).toMatchObject({ exitCode: 2, argument: wrong.split('=')[0] });
    expectNone(room.requests, 'requests');
  });
}
