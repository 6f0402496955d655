/** Checks every paged list, on every plane: positions, sizes, defaults and unusual services. */
import type { HttpRequest } from '../../lib/core/ports.ts';
import { expectNone } from '../support/expect-none.ts';
import { type Answer, answering } from '../support/scripted.ts';
import { claimed } from './golden.ts';
import { allGoldens, declared, type Golden, isFields } from './goldens.ts';

const goldens = allGoldens();

const TOTAL = 230;

interface List {
  command: string;
  /** The line without limit and position. */
  line: string;
  /** Member of the answer with the records. */
  items: string;
  /** The records are strings. */
  texts: boolean;
  /** Argument and query parameter of the position. */
  position: 'offset' | 'skip' | 'page';
  /** The argument, for lists whose query parameter has a different name. */
  argument: string;
  standard: number;
  claims: string[];
}

const CLAIMS: Readonly<Record<string, string>> = {
  'aisec-runtime-topics-list': 'topics-limit-defaults-to-100',
  'aisec-runtime-dlp': 'dlp-page-defaults',
  'aisec-runtime': 'limit-defaults-to-50',
  'aisec-redteam': 'red-team-limit-defaults-to-50',
  'aisec-model-security': 'model-limit-defaults-to-50',
};

/** These commands read all records, because the service ignores the position, or leave them in their own record. */
const WHOLE = /goal-streams|custom-attack/;

function listOf({ command, args, script }: Golden): List[] {
  const { request = '', answer } = script.length === 1 ? (script[0] ?? {}) : {};
  const query = new URLSearchParams(request.split('?')[1] ?? '');
  const position = (['offset', 'skip', 'page'] as const).find((name) => query.has(name));
  const members = isFields(answer) ? Object.entries(answer).filter(([, value]) => Array.isArray(value)) : [];
  const [items, records] = members[0] ?? [];
  const { arguments: own, extensions = [] } = declared(command);
  const names = [...own, ...extensions];
  const size = names.find(({ name }) => name === 'limit' || name === 'size');
  if (position === undefined || items === undefined || size === undefined || WHOLE.test(command)) return [];
  const words = args.match(/(?:"[^"]*"|\S)+/g) ?? [];
  const isNeeded = (word: string) =>
    !word.includes('=') || own.some(({ name, required }) => required === true && word.startsWith(`${name}=`));
  return [
    {
      command,
      line: [`!${command}`, ...words.filter(isNeeded)].join(' '),
      items,
      texts: Array.isArray(records) && typeof records[0] === 'string',
      position,
      argument: position === 'page' || names.some(({ name }) => name === position) ? position : 'offset',
      standard: Number(size.default ?? 50),
      claims: [Object.entries(CLAIMS).find(([prefix]) => command.startsWith(prefix))?.[1] ?? ''],
    },
  ];
}

const lists = [...new Map(goldens.flatMap(listOf).map((list) => [list.command, list])).values()];

interface Oddities {
  ignoresPosition?: boolean;
  ignoresSize?: boolean;
  withoutTotal?: boolean;
}

/** A service with many records, and at most a hundred per page. */
function serving({ items, texts, position }: List, odd: Oddities = {}) {
  const recordOf = (at: number) => (texts ? `r${at}` : { id: `r${at}` });
  return answering((request: HttpRequest): Answer => {
    const [first, size] = windowOf(request, position);
    const from = odd.ignoresPosition === true ? 0 : first;
    const count = Math.max(0, Math.min(odd.ignoresSize === true ? 100 : size, TOTAL - from));
    const records = Array.from({ length: count }, (_, at) => recordOf(from + at));
    const next = first + size < TOTAL ? { next_offset: first + size } : {};
    const total = odd.withoutTotal === true ? null : TOTAL;
    return { answer: { [items]: records, ...next, pagination: { total_items: total }, totalElements: total } };
  });
}

/** First record and number of records in a request. */
function windowOf({ url }: HttpRequest, position: List['position']): [number, number] {
  const query = new URL(url).searchParams;
  const size = Number(query.get(position === 'page' ? 'size' : 'limit'));
  return [Number(query.get(position)) * (position === 'page' ? size : 1), size];
}

type Service = ReturnType<typeof serving>;

async function ran(room: Service, list: List, args = '') {
  const { raw, readable } = await room.run(`${list.line} ${args}`);
  const rows: unknown = isFields(raw) ? raw[list.items] : raw;
  const ids = Array.isArray(rows) ? rows.map((row: unknown) => (isFields(row) ? Object.values(row)[0] : row)) : [];
  return { ids, notes: readable.notes.join(' '), windows: room.requests.map((one) => windowOf(one, list.position)) };
}

const ids = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, at) => `r${from + at}`);

test('each plane has paged lists', () => {
  expect(lists.map(({ claims }) => claims[0]).sort()).toEqual(
    [
      ...Array(4).fill('dlp-page-defaults'),
      ...Array(3).fill('limit-defaults-to-50'),
      ...Array(12).fill('model-limit-defaults-to-50'),
      ...Array(10).fill('red-team-limit-defaults-to-50'),
      'topics-limit-defaults-to-100',
    ].sort(),
  );
});

for (const list of lists) {
  const { command, claims, standard, argument } = list;
  const common = [
    'limit-is-a-maximum',
    'page-repeat',
    'red-team-skip-passes-over-records',
    'model-list-skip',
    'model-offset-defaults-to-0',
  ];

  claimed([...claims, ...common], `${command} pages as asked, and never lists a record twice`, async () => {
    const first = await ran(serving(list), list);
    expect(first).toMatchObject({ ids: ids(0, standard), windows: [[0, standard]] });
    expect(first.notes).toMatch(
      new RegExp(`Continue with page=1|continue with ${argument}=${standard}, or a higher limit`),
    );

    // A page of the DLP service says how many there are.
    for (const withoutTotal of argument === 'page' ? [false] : [false, true]) {
      const all = await ran(serving(list, { withoutTotal }), list, 'limit=1000');
      expect(all.ids).toEqual(ids(0, TOTAL));
      expect(all.windows.slice(0, 2)).toEqual([
        [0, 100],
        [100, 100],
      ]);
    }
    expect((await ran(serving(list), list, 'limit=101')).ids).toEqual(ids(0, 101));
    expect((await ran(serving(list, { ignoresSize: true }), list, 'limit=3')).ids).toEqual(ids(0, 3));

    const later = await ran(serving(list), list, argument === 'page' ? 'page=2 size=20' : `${argument}=120 limit=105`);
    const [from, to] = argument === 'page' ? [40, 60] : [120, 225];
    expect(later.ids).toEqual(ids(from, to));
    expect(later.windows[0]).toEqual(argument === 'page' ? [40, 20] : [120, 100]);
    expect(later.notes).toContain(argument === 'page' ? 'page=3' : `${argument}=225`);

    // The DLP service numbers its pages.
    if (argument === 'page') return;
    const repeating = await ran(serving(list, { ignoresPosition: true }), list, 'limit=1000');
    expect(repeating.ids).toEqual(ids(0, 100));
    expect(repeating.notes).toContain('repeated a page');
  });

  test(`${command} refuses invalid numbers before anything is sent`, async () => {
    const room = serving(list);
    const sizes = argument === 'page' ? ['size=0', 'size=many'] : [];
    for (const wrong of ['limit=0', 'limit=1.5', 'limit=many', `${argument}=-1`, `${argument}=1.5`, ...sizes]) {
      expect(await room.fail(`${list.line} ${wrong}`)).toMatchObject({ exitCode: 2, argument: wrong.split('=')[0] });
    }
    expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
  });
}

const searching = lists.filter(({ command }) => declared(command).arguments.some(({ name }) => name === 'search'));

for (const list of searching) {
  claimed('red-team-search-filters-text', `${list.command} sends search unchanged`, async () => {
    const room = serving(list);
    await room.run(`${list.line} search="a/b & c"`);
    expect(new URL(room.requests[0]?.url ?? '').searchParams.get('search')).toBe('a/b & c');
  });
}
