import { reconcile } from '../../../lib/features/guardrails/reconcile.ts';

const detectors = (...list: unknown[]) => ({ 'model-protection': list });
const detector = (name: string, action: string, more: object = {}) => ({ name, action, ...more });
const group = (action: string, ...names: string[]) => ({ action, topic: names.map((topic_name) => ({ topic_name })) });
const topics = (...groups: unknown[]) => ({ 'topic-list': groups });

describe('a difference', () => {
  test.each<{ title: string; stated: unknown; current: unknown; changes: readonly string[] }>([
    { title: 'is an unequal member', stated: { a: 1 }, current: { a: 2 }, changes: ['a: 2 -> 1'] },
    { title: 'is a member that is missing', stated: { a: false }, current: {}, changes: ['a: undefined -> false'] },
    {
      title: 'is deep inside',
      stated: { a: { b: { c: 'x' } } },
      current: { a: { b: { c: 'y', d: 1 } } },
      changes: ['a.b.c: "y" -> "x"'],
    },
    { title: 'is no member that is not stated', stated: { a: 1 }, current: { a: 1, b: 2 }, changes: [] },
    {
      title: 'is no empty text or list for nothing',
      stated: { a: '', b: [], c: { d: [] } },
      current: { a: null, c: null },
      changes: [],
    },
    {
      title: 'is no integer beyond 2^53 that the answer has as digits',
      stated: { a: -9007199254740992, b: [9007199254740992] },
      current: { a: '-9007199254740992', b: ['9007199254740992'] },
      changes: [],
    },
    {
      title: 'is a text of digits where a number is stated',
      stated: { a: 5 },
      current: { a: '5' },
      changes: ['a: "5" -> 5'],
    },
    { title: 'is a text that is emptied', stated: { a: '' }, current: { a: 'block' }, changes: ['a: "block" -> ""'] },
    {
      title: 'is no other order of a set',
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
      title: 'is no other order of members in an entry of a set',
      stated: { a: [{ x: 1, y: 2 }] },
      current: { a: [{ y: 2, x: 1 }] },
      changes: [],
    },
    { title: 'is another type', stated: { a: { b: 1 } }, current: { a: 'text' }, changes: ['a: "text" -> {"b":1}'] },
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
      title: 'is no detector that is off, and not there',
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
      title: 'is a topic that is not stated',
      stated: topics(group('block', 'a')),
      current: topics(group('block', 'b', 'a')),
      changes: ['topic-list.block.topic.b: {"topic_name":"b"} -> undefined'],
    },
    {
      title: 'is no empty group of topics',
      stated: topics(group('block', 'a'), group('allow')),
      current: topics({ action: 'allow', topic: null }, group('block', 'a')),
      changes: [],
    },
    {
      title: 'is a group that is not stated',
      stated: topics(group('block', 'a')),
      current: topics(group('allow', 'c'), group('block', 'a')),
      changes: ['topic-list.allow: {"action":"allow","topic":[{"topic_name":"c"}]} -> undefined'],
    },
    {
      title: 'is no member that the service adds to an entry',
      stated: { member: [{ text: 'a' }] },
      current: { member: [{ text: 'a', id: '1', version: '2' }] },
      changes: [],
    },
    {
      title: 'is an entry of a whole list, even if it has only its name',
      stated: { member: [{ text: 'a' }] },
      current: { member: null },
      changes: ['member.a: undefined -> {"text":"a"}'],
    },
    {
      title: 'is in a set of texts that elsewhere is a list of objects',
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
