/** Lists of a policy with named entries, and the meaning of entries that a file omits. */
import { haveKeys, keyedList, keyOf, reconcile, withoutIdle } from '../../../lib/features/guardrails/reconcile.ts';

test.each([
  ['ai-security-profiles', 'model-type', true],
  ['model-protection', 'name', true],
  ['agent-protection', 'name', true],
  ['database-security', 'name', true],
  ['toxic-category-list', 'category', true],
  ['topic-list', 'action', false],
  ['topic', 'topic_name', false],
  ['member', 'text', false],
  ['dlp-data-profiles', 'name', false],
])('entries of %s are matched by %s, and unstated entries are kept: %s', (list, key, stay) => {
  const entry = (id: string, more: object = {}) => ({ [key]: id, topic: [{ topic_name: 't' }], ...more });
  const current = { [list]: [entry('a', { own: 1 }), entry('b')] };
  const { value, changes } = reconcile({ [list]: [entry('b', { x: 1 })] }, current);
  const removed = { path: [list, 'a'], before: entry('a', { own: 1 }), after: undefined };
  const added = { path: [list, 'b', 'x'], before: undefined, after: 1 };
  expect(changes).toEqual(stay ? [added] : [removed, added]);
  expect(value).toEqual({ [list]: [...(stay ? [entry('a', { own: 1 })] : []), entry('b', { x: 1 })] });
});

test.each([
  ['ai-security-profiles', undefined],
  ['model-protection', true],
  ['agent-protection', true],
  ['database-security', true],
  ['toxic-category-list', true],
  ['dlp-data-profiles', undefined],
])('an entry of %s has no effect without an action: %s', (list, acts) => {
  expect(keyedList(list)?.acts).toBe(acts);
});

test.each(['examples', 'constructor', ''])('%j has no rules', (list) => {
  expect(keyedList(list)).toBeUndefined();
});

test('a key is an own member with a text value', () => {
  expect(keyOf({ name: 'a' }, 'name')).toBe('a');
  for (const entry of [{ name: 7 }, {}, 'name', null, ['name']]) expect(keyOf(entry, 'name')).toBeUndefined();
  expect(keyOf({}, 'constructor')).toBeUndefined();
  expect(haveKeys([{ name: 'a' }, { name: 'b' }], 'name')).toBe(true);
  expect(haveKeys([{ name: 'a' }, {}], 'name')).toBe(false);
});

test('only empty groups of topics are omitted, wherever they are', () => {
  const group = { action: 'block', topic: [{ topic_name: 'a' }] };
  const inside = [group, { action: 'allow', topic: [] }, { action: 'allow' }, 'text', { action: 'x', topic: null }];
  expect(withoutIdle({ deep: [{ 'topic-list': inside, others: [[], {}, ''] }] }, '')).toEqual({
    deep: [{ 'topic-list': [group], others: [[], {}, ''] }],
  });
  expect(withoutIdle(inside, 'topic-list')).toEqual([group]);
  expect(withoutIdle(inside, 'topic')).toEqual(inside);
  expect(withoutIdle(null, 'topic-list')).toBeNull();
});

test('a current list whose entries have no key is kept or replaced as a whole', () => {
  const stray = { action: 'x' };
  const kept = reconcile({ 'model-protection': [{ name: 'a', action: 'block' }] }, { 'model-protection': [stray] });
  expect(kept.value).toEqual({ 'model-protection': [stray, { name: 'a', action: 'block' }] });
  const replaced = reconcile({ member: [{ text: 'a' }] }, { member: [stray] });
  expect(replaced.value).toEqual({ member: [{ text: 'a' }] });
  expect(replaced.changes.map(({ path }) => path)).toEqual([
    ['member', ''],
    ['member', 'a'],
  ]);
});

test('a list replaces a text or a missing value', () => {
  for (const current of [undefined, null, '', []]) {
    expect(reconcile({ a: ['x'] }, { a: current }).changes).toEqual([{ path: ['a'], before: [], after: ['x'] }]);
  }
  expect(reconcile({ a: ['x'] }, { a: 'text' }).changes).toEqual([{ path: ['a'], before: 'text', after: ['x'] }]);
  expect(reconcile({ a: { b: 1 } }, { a: null }).changes).toEqual([{ path: ['a', 'b'], before: undefined, after: 1 }]);
  expect(reconcile(1, null)).toEqual({ value: 1, changes: [{ path: [], before: undefined, after: 1 }] });
});
