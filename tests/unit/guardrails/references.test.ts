/** References of policies to topics: names in a file, ids and revisions at the service. */

import { topicRecord } from '../../../lib/features/guardrails/tenant.ts';
import { renameTopics, resolveTopics, topicsIn } from '../../../lib/features/guardrails/topic-references.ts';
import { topic } from './records.ts';
import { blocking, policy } from './support.ts';

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

  test('is passed on with its position', () => {
    const seen: unknown[] = [];
    resolveTopics(referring({ topic_name: 'a' }, { topic_name: 'b' }), known, (...each) => seen.push(each));
    const place = ['ai-security-profiles', 0, 'model-configuration', 'model-protection', 0, 'topic-list', 0, 'topic'];
    expect(seen).toEqual([
      [{ topic_name: 'a' }, [...place, 0]],
      [{ topic_name: 'b' }, [...place, 1]],
    ]);
  });

  test.each([
    { title: 'a list of topics elsewhere', value: { topic: [{ topic_name: 'a' }] } },
    { title: 'another list of a guardrail', value: { 'topic-list': [{ topics: [{ topic_name: 'a' }] }] } },
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
