import { ConflictError, ResponseError, ValidationError } from '../../../lib/core/errors.ts';
import type { PlanOptions } from '../../../lib/features/guardrails/plan.ts';
import { failing } from '../../support/exchange.ts';
import { pinned, planned, profile, type Records, topic } from './records.ts';
import { blocking, changes, PRUNED, policy, TOPIC } from './support.ts';

describe('a plan', () => {
  test.each<{ title: string; content: object; records: Records; options?: PlanOptions; expected: readonly string[] }>([
    {
      title: 'creates what is missing, topics first',
      content: { profiles: [{ name: 'p' }], topics: [TOPIC] },
      records: {},
      expected: ['create topic Stock tips', 'create profile p'],
    },
    {
      title: 'leaves what is equal',
      content: { topics: [TOPIC], profiles: [{ name: 'p', active: true }] },
      records: { topics: [topic('Stock tips')], profiles: [profile('p')] },
      expected: ['unchanged topic Stock tips', 'unchanged profile p'],
    },
    {
      title: 'updates what differs',
      content: { topics: [{ name: 'Stock tips', description: 'Other.' }], profiles: [{ name: 'p', active: false }] },
      records: { topics: [topic('Stock tips')], profiles: [profile('p')] },
      expected: ['update topic Stock tips', 'update profile p'],
    },
    {
      title: 'deletes nothing that the file does not have',
      content: { topics: [], profiles: [] },
      records: { topics: [topic('a')], profiles: [profile('p')] },
      expected: [],
    },
    {
      title: 'deletes it with prune, profiles first',
      content: { topics: [], profiles: [] },
      records: { topics: [topic('a')], profiles: [profile('p', { policy: policy(blocking(pinned('a'))) })] },
      options: PRUNED,
      expected: ['delete profile p', 'delete topic a'],
    },
    {
      title: 'prunes no kind that the file does not list',
      content: { topics: [] },
      records: { topics: [topic('a')], profiles: [profile('p')] },
      options: PRUNED,
      expected: ['delete topic a'],
    },
    {
      title: 'compares the highest revision of a profile',
      content: { profiles: [{ name: 'p', active: true }] },
      records: {
        profiles: [
          profile('p', { id: 'old', revision: 1, active: false }),
          profile('p'),
          profile('p', { id: 'older', revision: 2, active: false }),
        ],
      },
      expected: ['unchanged profile p'],
    },
    {
      title: 'lets a profile follow a topic that changes',
      content: {
        topics: [{ name: 'a', description: 'New.' }],
        profiles: [{ name: 'p', policy: policy(blocking('a')) }],
      },
      records: { topics: [topic('a')], profiles: [profile('p', { policy: policy(blocking(pinned('a'))) })] },
      expected: ['update topic a', 'update profile p'],
    },
    {
      title: 'leaves a profile at the revision that the file states',
      content: {
        topics: [{ name: 'a', description: 'New.' }],
        profiles: [{ name: 'p', policy: policy(blocking({ topic_name: 'a', revision: 2 })) }],
      },
      records: { topics: [topic('a')], profiles: [profile('p', { policy: policy(blocking(pinned('a'))) })] },
      expected: ['update topic a', 'unchanged profile p'],
    },
    {
      title: 'finds a renamed topic by its id',
      content: { profiles: [{ name: 'p', policy: policy(blocking('new')) }] },
      records: {
        topics: [topic('new', { topic_id: 'id of old' })],
        profiles: [profile('p', { policy: policy(blocking(pinned('old'))) })],
      },
      expected: ['unchanged profile p'],
    },
    {
      title: 'takes a reference without a revision for an old one',
      content: { profiles: [{ name: 'p', policy: policy(blocking('a')) }] },
      records: {
        topics: [topic('a')],
        profiles: [profile('p', { policy: policy(blocking({ topic_id: 'id of a', topic_name: 'a' })) })],
      },
      expected: ['update profile p'],
    },
    {
      title: 'ignores an id in the file',
      content: {
        profiles: [{ name: 'p', policy: policy(blocking({ topic_name: 'a', topic_id: 'of another tenant' })) }],
      },
      records: { topics: [topic('a')], profiles: [profile('p', { policy: policy(blocking(pinned('a'))) })] },
      expected: ['unchanged profile p'],
    },
  ])('$title', async ({ content, records, options, expected }) => {
    const plan = await planned(content, records, options);
    expect(changes(plan)).toEqual(expected);
    expect(plan.conflict).toBeUndefined();
  });

  test('lists all members of a create, and the changed ones of an update', async () => {
    const { changes: made } = await planned(
      {
        topics: [TOPIC],
        profiles: [{ name: 'p', active: false, policy: policy({ name: 'prompt-injection', action: 'block' }) }],
      },
      { profiles: [profile('p', { policy: policy({ name: 'prompt-injection', action: 'alert', options: [] }) })] },
    );
    expect(made.map(({ members }) => members)).toEqual([
      [
        { path: ['description'], before: undefined, after: TOPIC.description },
        { path: ['examples'], before: [], after: TOPIC.examples },
      ],
      [
        { path: ['active'], before: true, after: false },
        {
          path: [
            'policy',
            'ai-security-profiles',
            'default',
            'model-configuration',
            'model-protection',
            'prompt-injection',
            'action',
          ],
          before: 'alert',
          after: 'block',
        },
      ],
    ]);
  });

  test('names profiles that stay at the old content of a topic', async () => {
    const profiles = [profile('p', { policy: policy(blocking(pinned('a'))) }), profile('q')];
    const { notes } = await planned(
      { topics: [{ name: 'a', description: 'New.' }] },
      { topics: [topic('a')], profiles },
    );
    expect(notes).toEqual(['profile p stays at revision 2 of topic a: state its policy in the file to change that.']);
  });
});

describe('a plan is refused', () => {
  const twice = {
    topics: [topic('a'), topic('a', { topic_id: 'other' })],
    profiles: [profile('p'), profile('p', { id: 'other' })],
  };
  const referring = (reference: string | object) => ({
    profiles: [{ name: 'p', policy: policy(blocking(reference)) }],
  });

  test.each<{
    title: string;
    content: object | string;
    records: Records;
    type: new (...given: never[]) => Error;
    message: string;
  }>([
    {
      title: 'for a topic to create without its description',
      content: 'version: 1\ntopics:\n  - name: a\n    examples: [b, c]\n',
      records: {},
      type: ValidationError,
      message: 'g.yml:3:5: topics.0: the tenant has no topic a, and its entry lacks "description".',
    },
    {
      title: 'for a topic that is nowhere',
      content: referring('a'),
      records: {},
      type: ValidationError,
      message: 'topic-list.0.topic.0: neither the file nor the tenant has the topic a.',
    },
    {
      title: 'for a revision that there is not',
      content: referring({ topic_name: 'a', revision: 3 }),
      records: { topics: [topic('a')] },
      type: ValidationError,
      message: 'the topic a has no revision 3; the newest is 2.',
    },
    {
      title: 'for two topics of one name',
      content: { topics: [{ name: 'a' }] },
      records: twice,
      type: ConflictError,
      message: 'The tenant has 2 topics with the name a.',
    },
    {
      title: 'for a reference to one of two topics',
      content: referring('a'),
      records: { topics: twice.topics },
      type: ConflictError,
      message: 'with the name a.',
    },
    {
      title: 'for two profiles of one name and revision',
      content: { profiles: [{ name: 'p' }] },
      records: twice,
      type: ConflictError,
      message: 'The tenant has 2 profiles with the name p.',
    },
    {
      title: 'for a list that ends too soon',
      content: { topics: [] },
      records: { output: { incomplete: true } },
      type: ResponseError,
      message: 'The list of topics is incomplete',
    },
  ])('$title', async ({ content, records, type, message }) => {
    const error = await failing(planned(content, records));
    expect(error).toBeInstanceOf(type);
    expect(error.message).toContain(message);
  });

  test.each<{ title: string; content: object; conflict: boolean }>([
    { title: 'that the file does not have', content: { topics: [] }, conflict: true },
    {
      title: 'that the file has, with no topic',
      content: {
        topics: [],
        profiles: [{ name: 'p', policy: policy({ name: 'topic-guardrails', 'topic-list': [] }) }],
      },
      conflict: false,
    },
    {
      title: 'that the file has, with another detector',
      content: { topics: [], profiles: [{ name: 'p', policy: policy({ name: 'prompt-injection', action: 'block' }) }] },
      conflict: true,
    },
    {
      title: 'that the file has, with other topics',
      content: { topics: [{ name: 'b' }], profiles: [{ name: 'p', policy: policy(blocking('b')) }] },
      conflict: false,
    },
    { title: 'that is deleted too', content: { topics: [], profiles: [] }, conflict: false },
  ])('for pruning a topic of a profile $title: $conflict', async ({ content, conflict }) => {
    const records = {
      topics: [topic('a'), topic('b')],
      profiles: [profile('p', { policy: policy(blocking(pinned('a'))) })],
    };
    const plan = await planned(content, records, PRUNED);
    expect(plan.conflict?.rows).toEqual(conflict ? [{ topic: 'a', profile: 'p' }] : undefined);
  });
});
