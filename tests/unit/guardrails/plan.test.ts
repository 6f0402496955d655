import { ConflictError, ValidationError } from '../../../lib/core/errors.ts';
import type { PlanOptions } from '../../../lib/features/guardrails/plan.ts';
import { failing } from '../../support/exchange.ts';
import { blocking, changes, PRUNED, pinned, planned, policy, profile, type Records, TOPIC, topic } from './support.ts';

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
      title: 'lets a profile follow a topic that changes',
      content: {
        topics: [{ name: 'a', description: 'New.' }],
        profiles: [{ name: 'p', policy: policy(blocking('a')) }],
      },
      records: { topics: [topic('a')], profiles: [profile('p', { policy: policy(blocking(pinned('a'))) })] },
      expected: ['update topic a', 'update profile p'],
    },
  ])('$title', async ({ content, records, options, expected }) => {
    const plan = await planned(content, records, options);
    expect(changes(plan)).toEqual(expected);
    expect(plan.conflict).toBeUndefined();
  });

  test('lists all members of a create, and the changed members of an update', async () => {
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
      title: 'for a topic that does not exist',
      content: referring('a'),
      records: {},
      type: ValidationError,
      message: 'topic-list.0.topic.0: neither the file nor the tenant has the topic a.',
    },
    {
      title: 'for two topics with the same name',
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
  ])('$title', async ({ content, records, type, message }) => {
    const error = await failing(planned(content, records));
    expect(error).toBeInstanceOf(type);
    expect(error.message).toContain(message);
  });
});

const using = (name: string, ...topics: readonly object[]) => profile(name, { policy: policy(blocking(...topics)) });

describe('a topic that is deleted', () => {
  test('although profiles refer to it is a conflict that names topic and profiles, and what to do', async () => {
    const profiles = [using('p', pinned('a'), pinned('b')), using('q', pinned('b')), using('r', pinned('c'))];
    const topics = ['a', 'b', 'c', 'd'].map((name) => topic(name));
    const { conflict, changes } = await planned({ topics: [{ name: 'c' }] }, { topics, profiles }, PRUNED);
    expect(conflict).toBeInstanceOf(ConflictError);
    expect(conflict).toMatchObject({
      message: 'Security profiles refer to topics that are to be deleted: a, b.',
      hint: 'Nothing was changed. Keep the topics in the file, or remove them from the policies of these profiles.',
      rows: [
        { topic: 'a', profile: 'p' },
        { topic: 'b', profile: 'p' },
        { topic: 'b', profile: 'q' },
      ],
    });
    expect(changes.filter(({ verb }) => verb === 'delete').map(({ name }) => name)).toEqual(['a', 'b', 'd']);
  });

  test('is not a conflict without prune, or if an updated policy drops it', async () => {
    const records = { topics: [topic('a'), topic('b')], profiles: [using('p', pinned('a'))] };
    expect((await planned({ topics: [] }, records)).conflict).toBeUndefined();
    const dropped = { topics: [{ name: 'b' }], profiles: [{ name: 'p', policy: policy(blocking('b')) }] };
    expect((await planned(dropped, records, PRUNED)).conflict).toBeUndefined();
    const kept = { topics: [{ name: 'b' }], profiles: [{ name: 'p', active: false }] };
    expect((await planned(kept, records, PRUNED)).conflict?.rows).toEqual([{ topic: 'a', profile: 'p' }]);
  });

  test('and created again under its name has no references', async () => {
    const records = { profiles: [using('p', pinned('a'))] };
    const { conflict, changes } = await planned({ topics: [{ ...TOPIC, name: 'a' }] }, records, PRUNED);
    expect(conflict).toBeUndefined();
    expect(changes.map(({ verb, record }) => [verb, record])).toEqual([['create', undefined]]);
  });
});

describe('a topic that changes', () => {
  const records = {
    topics: [topic('a'), topic('b')],
    profiles: [
      using('p', pinned('a', 1)),
      using('q', { topic_id: 'id of a', topic_name: 'a' }),
      using('r', pinned('b')),
    ],
  };
  const changed = { name: 'a', description: 'New.' };

  test('causes a note for each profile whose policy the file does not state', async () => {
    const { notes } = await planned({ topics: [changed, { name: 'b' }], profiles: [{ name: 'p' }] }, records);
    expect(notes).toEqual([
      'profile p stays at revision 1 of topic a: state its policy in the file to change that.',
      'profile q stays at revision 0 of topic a: state its policy in the file to change that.',
    ]);
  });

  test('causes no note for a profile that is deleted or whose policy the file states', async () => {
    const content = { topics: [changed], profiles: [{ name: 'p', policy: policy(blocking('a')) }] };
    const { notes, topics } = await planned(content, records, { ...PRUNED });
    expect(notes).toEqual([]);
    expect(topics.get('a')).toEqual({ id: 'id of a', revision: 3 });
    expect(topics.get('b')).toEqual({ id: 'id of b', revision: 2 });
  });
});

test.each([
  [1, undefined],
  [3, undefined],
  [4, 'the topic a has no revision 4; the newest is 3.'],
])('a reference to revision %s of a topic that becomes revision 3: %s', async (revision, message) => {
  const content = {
    topics: [{ name: 'a', description: 'New.' }],
    profiles: [{ name: 'p', policy: policy(blocking({ topic_name: 'a', revision })) }],
  };
  const made = planned(content, { topics: [topic('a')], profiles: [profile('p')] });
  if (message === undefined) expect((await made).changes.map(({ verb }) => verb)).toEqual(['update', 'update']);
  else expect((await failing(made)).message).toContain(message);
});

test('every problem of a plan is reported with its line', async () => {
  const text = `version: 1
topics:
  - name: a
  - {name: b, examples: [x, y]}
profiles:
  - name: p
    policy: {ai-security-profiles: [{model-type: default, model-configuration: {model-protection: [{name: topic-guardrails, topic-list: [{action: block, topic: [{topic_name: none}]}]}, {name: toxic-content}]}}]}
`;
  const { message } = await failing(planned(text, {}));
  expect(message).toContain('g.yml:3:5: topics.0: the tenant has no topic a, and its entry lacks "description".');
  expect(message).toContain('g.yml:3:5: topics.0: the tenant has no topic a, and its entry lacks "examples".');
  expect(message).toContain('g.yml:4:5: topics.1: the tenant has no topic b, and its entry lacks "description".');
  expect(message).toMatch(
    /g\.yml:7:\d+: profiles\.0\.policy\..*topic\.0: neither the file nor the tenant has the topic/,
  );
  expect(message).toMatch(
    /g\.yml:7:\d+: profiles\.0\.policy\..*protection\.1: the profile p of the tenant has no toxic/,
  );
  expect(message.match(/g\.yml:/g)).toHaveLength(5);
});
