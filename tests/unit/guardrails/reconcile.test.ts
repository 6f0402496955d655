import { topicRecord } from '../../../lib/features/guardrails/tenant.ts';
import { keyedList, reconcile, withoutIdle } from '../../../lib/runtime/topics/reconcile.ts';
import { renameTopics, resolveTopics, topicsIn } from '../../../lib/runtime/topics/topic-references.ts';
import { blocking, policy, topic } from './support.ts';

const detectors = (...list: unknown[]) => ({ 'model-protection': list });
const detector = (name: string, action: string, more: object = {}) => ({ name, action, ...more });
const group = (action: string, ...names: string[]) => ({ action, topic: names.map((topic_name) => ({ topic_name })) });
const topics = (...groups: unknown[]) => ({ 'topic-list': groups });

describe('a difference', () => {
  test.each<{ title: string; stated: unknown; current: unknown; changes: readonly string[] }>([
    { title: 'is an unequal member', stated: { a: 1 }, current: { a: 2 }, changes: ['a: 2 -> 1'] },
    {
      title: 'is deep inside',
      stated: { a: { b: { c: 'x' } } },
      current: { a: { b: { c: 'y', d: 1 } } },
      changes: ['a.b.c: "y" -> "x"'],
    },
    {
      title: 'is not an empty string or list instead of a missing value',
      stated: { a: '', b: [], c: { d: [] } },
      current: { a: null, c: null },
      changes: [],
    },
    {
      title: 'is not an integer beyond 2^53 that the answer has as digits',
      stated: { a: -9007199254740992, b: [9007199254740992] },
      current: { a: '-9007199254740992', b: ['9007199254740992'] },
      changes: [],
    },
    {
      title: 'is a string of digits where a number is stated',
      stated: { a: 5 },
      current: { a: '5' },
      changes: ['a: "5" -> 5'],
    },
    {
      title: 'is not another order of a set',
      stated: { a: ['x', 'y', 'x'] },
      current: { a: ['x', 'x', 'y'] },
      changes: [],
    },
    {
      title: 'is another number of equal entries',
      stated: { a: ['x', 'y'] },
      current: { a: ['x', 'x', 'y'] },
      changes: ['a: ["x","x","y"] -> ["x","y"]'],
    },
    {
      title: 'is not another order of members in a set entry',
      stated: { a: [{ x: 1, y: 2 }] },
      current: { a: [{ y: 2, x: 1 }] },
      changes: [],
    },
    {
      title: 'is a member of an entry, found by its name',
      stated: detectors(detector('b', 'block')),
      current: detectors(detector('a', 'x'), detector('b', 'alert', { options: [] })),
      changes: ['model-protection.b.action: "alert" -> "block"'],
    },
    {
      title: 'is a detector that is added',
      stated: detectors(detector('c', 'block')),
      current: detectors(detector('a', 'x')),
      changes: ['model-protection.c: undefined -> {"name":"c","action":"block"}'],
    },
    {
      title: 'is not a detector that the file turns off and the profile lacks',
      stated: detectors(detector('c', '')),
      current: detectors(),
      changes: [],
    },
    {
      title: 'is a second detector of the same name',
      stated: detectors(detector('a', 'x')),
      current: detectors(detector('a', 'x'), detector('a', 'y')),
      changes: ['model-protection.a: {"name":"a","action":"y"} -> undefined'],
    },
    {
      title: 'is not an empty group of topics',
      stated: topics(group('block', 'a'), group('allow')),
      current: topics({ action: 'allow', topic: null }, group('block', 'a')),
      changes: [],
    },
    {
      title: 'is an entry of a whole list, even if it has only its name',
      stated: { member: [{ text: 'a' }] },
      current: { member: null },
      changes: ['member.a: undefined -> {"text":"a"}'],
    },
    {
      title: 'is in a set of strings that elsewhere is a list of objects',
      stated: { member: ['a'] },
      current: { member: ['b'] },
      changes: ['member: ["b"] -> ["a"]'],
    },
  ])('$title', ({ stated, current, changes }) => {
    const found = reconcile(stated, current);
    const shown = found.changes.map(
      ({ path, before, after }) => `${path.join('.')}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
    );
    expect(shown).toEqual(changes);
    if (changes.length === 0) expect(found.value).toBe(current);
    expect(reconcile(stated, found.value).changes).toEqual([]);
  });
});

describe('the merged value', () => {
  test('keeps members and detectors that are not stated, in their order', () => {
    const current = {
      ...detectors(detector('a', 'x'), detector('b', 'alert', { options: [] })),
      latency: { seconds: 5 },
    };
    expect(reconcile(detectors(detector('c', 'block'), detector('b', 'block')), current).value).toEqual({
      ...detectors(detector('a', 'x'), detector('b', 'block', { options: [] }), detector('c', 'block')),
      latency: { seconds: 5 },
    });
  });

  test('has stated empty members, and no empty group of topics', () => {
    const stated = { leak: { action: 'block', member: [] }, ...topics(group('block', 'a'), group('allow')) };
    expect(reconcile(stated, {}).value).toEqual({
      leak: { action: 'block', member: [] },
      ...topics(group('block', 'a')),
    });
  });

  test('treats a member of any name as data', () => {
    const stated = JSON.parse('{"__proto__":{"polluted":1},"constructor":"x"}');
    const { value, changes } = reconcile(stated, {});
    expect(Object.entries(value as object)).toEqual([
      ['__proto__', { polluted: 1 }],
      ['constructor', 'x'],
    ]);
    expect(changes).toHaveLength(2);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

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

test('a list replaces a string or a missing value', () => {
  for (const current of [undefined, null, '', []]) {
    expect(reconcile({ a: ['x'] }, { a: current }).changes).toEqual([{ path: ['a'], before: [], after: ['x'] }]);
  }
  expect(reconcile({ a: ['x'] }, { a: 'text' }).changes).toEqual([{ path: ['a'], before: 'text', after: ['x'] }]);
  expect(reconcile({ a: { b: 1 } }, { a: null }).changes).toEqual([{ path: ['a', 'b'], before: undefined, after: 1 }]);
  expect(reconcile(1, null)).toEqual({ value: 1, changes: [{ path: [], before: undefined, after: 1 }] });
});

const referring = (...references: readonly object[]) => policy(blocking(...references));
const known = new Map([
  ['a', { id: 'one', revision: 4 }],
  ['new', { id: undefined, revision: 1 }],
]);

describe('a reference', () => {
  test.each([
    { title: 'gets the newest revision', stated: { topic_name: 'a' }, sent: { revision: 4, topic_id: 'one' } },
    {
      title: 'keeps the revision of the file',
      stated: { topic_name: 'a', revision: 2 },
      sent: { revision: 2, topic_id: 'one' },
    },
    {
      title: 'loses the id of another tenant',
      stated: { topic_name: 'a', topic_id: 'foreign' },
      sent: { revision: 4, topic_id: 'one' },
    },
    { title: 'to a new topic has no id yet', stated: { topic_name: 'new' }, sent: { revision: 1 } },
    { title: 'to no topic has nothing', stated: { topic_name: 'none' }, sent: { revision: undefined } },
  ])('$title', ({ stated, sent }) => {
    const resolved = resolveTopics(referring(stated), known);
    expect(resolved).toEqual(referring({ topic_name: stated.topic_name, ...sent }));
    expect(Object.keys(sent).includes('topic_id')).toBe(JSON.stringify(resolved).includes('topic_id'));
  });

  test.each([
    { title: 'a list of topics elsewhere', value: { topic: [{ topic_name: 'a' }] } },
    { title: 'a text among topics', value: { 'topic-list': [{ topic: ['a', null] }] } },
  ])('is not $title', ({ value }) => {
    expect(resolveTopics(value, known)).toEqual(value);
    expect(topicsIn(value).size).toBe(0);
  });

  test('of the tenant has the current name of its topic, and an unknown id keeps its name', () => {
    const topics = [topicRecord(topic('new', { topic_id: 'one' }))];
    const current = referring(
      { topic_id: 'one', topic_name: 'old', revision: 2 },
      { topic_id: 'two', topic_name: 'gone', revision: 1 },
      { topic_name: 'without id' },
    );
    expect(renameTopics(current, topics)).toEqual(
      referring(
        { topic_id: 'one', topic_name: 'new', revision: 2 },
        { topic_id: 'two', topic_name: 'gone', revision: 1 },
        { topic_name: 'without id' },
      ),
    );
  });

  test('is listed with its revision, or means the first content without a revision', () => {
    const listed = topicsIn(
      referring({ topic_id: 'one', revision: 3 }, { topic_id: 'two' }, { topic_id: 'two', revision: '5' }),
    );
    expect([...listed]).toEqual([
      ['one', 3],
      ['two', 5],
    ]);
    expect([...topicsIn(referring({ topic_id: 'two' }))]).toEqual([['two', 0]]);
    expect([...topicsIn(undefined)]).toEqual([]);
  });
});
