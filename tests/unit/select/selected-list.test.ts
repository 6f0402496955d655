import type { ListCall } from '../../../lib/runtime/api/call.ts';
import type { Page } from '../../../lib/runtime/api/pagination.ts';
import {
  fetchSelected,
  type ListSelection,
  MAX_SELECTED,
  selectRecords,
} from '../../../lib/runtime/select/selected-list.ts';

const CALL = { paging: 'skip', limit: 50, offset: 0, items: 'data' } as unknown as ListCall;
const even = ({ n }: { n?: number }) => n !== undefined && n % 2 === 0;
const EVEN: ListSelection = { matches: (record) => even(record as object), isLimited: false };
const LARGEST: ListSelection = {
  compare: (one, other) => (other as { n: number }).n - (one as { n: number }).n,
  isLimited: true,
};

/** A list of this many numbers. */
function listOf(size: number, change: Partial<Page> = {}) {
  const asked: Pick<ListCall, 'limit' | 'offset'>[] = [];
  const list = async (call: ListCall, onRecords?: (records: readonly { n: number }[]) => void): Promise<Page> => {
    const { limit = size, offset, paging } = call;
    asked.push({ limit, offset });
    const from = paging === 'page' ? offset * limit : offset;
    const records = Array.from({ length: Math.max(0, Math.min(size - from, limit)) }, (_, at) => ({ n: from + at }));
    onRecords?.(records);
    const more = from + records.length < size;
    return { records: [], count: records.length, more, total: size, pages: undefined, repeated: false, ...change };
  };
  return { api: { list }, asked };
}

const numbers = ({ records }: Page) => records.map(({ n }) => n);
const same = (wire: unknown) => wire;

describe('a selected list', () => {
  test.each([
    ['returns all matches without a typed limit', {}, EVEN, 10, [0, 2, 4, 6, 8], false, 5],
    ['counts matches by a typed limit', { limit: 2 }, { ...EVEN, isLimited: true }, 10, [0, 2], true, 5],
    ['counts matches by the offset', { limit: 2, offset: 1 }, { ...EVEN, isLimited: true }, 10, [2, 4], true, 5],
    ['sorts before the limit applies', { limit: 3 }, LARGEST, 10, [9, 8, 7], true, 10],
    ['reads a plane of numbered pages to its end', { paging: 'page', limit: 50 }, EVEN, 250, undefined, false, 125],
    [
      'returns a page of matches',
      { paging: 'page', limit: 2, offset: 1 },
      { ...EVEN, isLimited: true },
      10,
      [4, 6],
      true,
      5,
    ],
  ] as const)('%s', async (_, call, selection, size, expected, more, total) => {
    const { api } = listOf(size);
    const page = await fetchSelected(api, { ...CALL, ...call }, selection, same);
    if (expected !== undefined) expect(numbers(page)).toEqual(expected);
    expect({ more: page.more, total: page.total, pages: page.pages }).toEqual({ more, total, pages: undefined });
  });

  test('passes matches on as they arrive, keeps none of them, and counts them', async () => {
    const { api } = listOf(10);
    const passed: unknown[] = [];
    const page = await fetchSelected(api, CALL, EVEN, same, (records) => passed.push(...records));
    expect(passed).toEqual([0, 2, 4, 6, 8].map((n) => ({ n })));
    expect(page).toMatchObject({ records: [], count: 5, more: false });
  });

  test('passes sorted records on at the end', async () => {
    const { api } = listOf(4);
    const passed: unknown[] = [];
    await fetchSelected(api, { ...CALL, limit: 2 }, LARGEST, same, (records) => passed.push(...records));
    expect(passed).toEqual([{ n: 3 }, { n: 2 }]);
  });

  test('stops reading when the limit of matches is reached', async () => {
    const { api, asked } = listOf(9000);
    const ends: unknown[] = [];
    const selection = { ...EVEN, isLimited: true, onRead: (end: unknown) => ends.push(end) };
    const page = await fetchSelected(api, { ...CALL, limit: 2 }, selection, same);
    expect(numbers(page)).toEqual([0, 2]);
    expect(page.more).toBe(true);
    expect(asked).toHaveLength(1);
    expect(ends).toEqual([{ read: 1000, isWhole: true }]);
  });

  test('reads at most a bounded number of records, and says that the list continues', async () => {
    const { api } = listOf(3 * MAX_SELECTED);
    const ends: unknown[] = [];
    const page = await fetchSelected(api, CALL, { ...EVEN, onRead: (end) => ends.push(end) }, same);
    expect(page).toMatchObject({ count: MAX_SELECTED / 2, more: true });
    expect(page.total).toBeUndefined();
    expect(ends).toEqual([{ read: MAX_SELECTED, isWhole: false }]);
  });

  test('is incomplete if the service repeats a page, and keeps the gap', async () => {
    const { api, asked } = listOf(2000, { repeated: true, gap: 'The service repeated a page.' });
    const page = await fetchSelected(api, CALL, EVEN, same);
    expect(page).toMatchObject({ more: true, repeated: true, gap: 'The service repeated a page.' });
    expect(asked).toHaveLength(1);
  });

  test('ends if a page is empty although the service promises more', async () => {
    const { api, asked } = listOf(0, { more: true });
    expect(await fetchSelected(api, CALL, EVEN, same)).toMatchObject({ count: 0, more: true });
    expect(asked).toHaveLength(1);
  });

  test('selects among the records of a handler', () => {
    const all = Array.from({ length: 5 }, (_, n) => ({ n }));
    expect(selectRecords(all, { ...EVEN, ...LARGEST }, same)).toEqual([{ n: 4 }, { n: 2 }, { n: 0 }]);
  });
});
