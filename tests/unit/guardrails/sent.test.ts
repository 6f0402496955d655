/** What an application sends, and in which order, on a service that keeps everything. */
import { NotFoundError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import type { RunCommand } from '../../../lib/engine/run-command.ts';
import { applyPlan } from '../../../lib/features/guardrails/apply.ts';
import { pinned, planned, profile, type Records, topic } from './records.ts';
import { alone, blocking, KEPT, PRUNED, policy, TOPIC } from './support.ts';

type Sent = readonly [command: string, args: Readonly<Record<string, string>>];

/** A service in memory, with the commands of a plan. */
function memory({ topics = [], profiles = [] }: Records) {
  const sent: Sent[] = [];
  const all = { topic: new Map<string, JsonObject>(), profile: new Map<string, JsonObject>() };
  for (const record of topics) all.topic.set(String(record['topic_name']), record);
  for (const record of profiles) all.profile.set(String(record['name']), record);
  const run: RunCommand = async (command, args) => {
    const [, kind = '', verb = ''] = /^aisec-runtime-(topic|profile)s-(\w+)$/.exec(command) ?? [];
    const there = kind === 'topic' ? all.topic : all.profile;
    const id = args[`${kind}_id`];
    const name =
      args[`${kind}_name`] ?? [...there].find(([, each]) => (each['topic_id'] ?? each['id']) === id)?.[0] ?? '';
    sent.push([`${kind} ${verb}`, args]);
    const before = there.get(name);
    if (verb === 'get' && before === undefined) throw new NotFoundError('It is gone.');
    const { [`${kind}_id`]: _id, [`${kind}_name`]: _name, ...members } = args;
    const own = kind === 'topic' ? { topic_id: `new ${name}`, topic_name: name } : { id: `new ${name}`, name };
    const after: JsonObject = {
      ...own,
      ...(kind === 'profile' ? { active: true } : {}),
      ...before,
      revision: Number(before?.['revision'] ?? 0) + 1,
      ...Object.fromEntries(Object.entries(members).map(([key, text]) => [key, parsed(text)])),
    };
    if (verb === 'delete') there.delete(name);
    if (verb === 'create' || verb === 'update') there.set(name, after);
    const record = verb === 'delete' ? { deleted: true } : ((verb === 'get' ? before : after) ?? {});
    return { record, records: [], raw: record, simulated: true };
  };
  return { run, sent };
}

function parsed(text: string): unknown {
  return /^(?:[[{]|true$|false$)/.test(text) ? JSON.parse(text) : text;
}

async function applied(content: object, records: Records, options = KEPT) {
  const { run, sent } = memory(records);
  const outcome = await applyPlan(await planned(content, records, options), alone(run), () => undefined);
  return { ...outcome, sent };
}

const EMPTY_LISTS = { 'ai-security-profiles': [], 'dlp-data-profiles': [] };

describe('an apply sends', () => {
  test.each<{ title: string; content: object; records: Records; options?: typeof KEPT; sent: readonly Sent[] }>([
    {
      title: 'a new topic whole, and reads it by its name',
      content: { topics: [TOPIC] },
      records: {},
      sent: [
        [
          'topic create',
          { topic_name: TOPIC.name, description: TOPIC.description, examples: JSON.stringify(TOPIC.examples) },
        ],
        ['topic get', { topic_name: TOPIC.name }],
      ],
    },
    {
      title: 'the members of a topic that differ, after it has read the topic by its id',
      content: { topics: [{ ...TOPIC, name: 'a', description: 'Other.' }] },
      records: { topics: [topic('a')] },
      sent: [
        ['topic get', { topic_id: 'id of a' }],
        ['topic update', { topic_id: 'id of a', topic_name: 'a', description: 'Other.' }],
        ['topic get', { topic_name: 'a' }],
      ],
    },
    {
      title: 'a new profile with both lists of its policy',
      content: { profiles: [{ name: 'p', active: false, policy: { 'dlp-data-profiles': [{ name: 'x' }] } }] },
      records: {},
      sent: [
        [
          'profile create',
          {
            profile_name: 'p',
            active: 'false',
            policy: JSON.stringify({ 'ai-security-profiles': [], 'dlp-data-profiles': [{ name: 'x' }] }),
          },
        ],
        ['profile get', { profile_name: 'p' }],
      ],
    },
    {
      title: 'a new profile of which nothing is stated by its name alone',
      content: { profiles: [{ name: 'p' }] },
      records: {},
      sent: [
        ['profile create', { profile_name: 'p' }],
        ['profile get', { profile_name: 'p' }],
      ],
    },
    {
      title: 'the whole policy of a profile in which one action differs, and not what is equal',
      content: { profiles: [{ name: 'p', active: true, policy: policy({ name: 'a', action: 'block' }) }] },
      records: {
        profiles: [
          profile('p', {
            policy: { ...policy({ name: 'a', action: 'alert' }, { name: 'b', action: 'x' }), other: { kept: true } },
          }),
        ],
      },
      options: { prune: false, allowUnknown: true },
      sent: [
        ['profile get', { profile_name: 'p' }],
        [
          'profile update',
          {
            profile_id: 'id of p',
            profile_name: 'p',
            policy: JSON.stringify({
              ...policy({ name: 'a', action: 'block' }, { name: 'b', action: 'x' }),
              other: { kept: true },
            }),
          },
        ],
        ['profile get', { profile_name: 'p' }],
      ],
    },
    {
      title: 'a reference to a topic that it has just created with the id and revision of the service',
      content: { topics: [TOPIC], profiles: [{ name: 'p', policy: policy(blocking(TOPIC.name)) }] },
      records: { profiles: [profile('p')] },
      sent: [
        expect.anything(),
        expect.anything(),
        ['profile get', { profile_name: 'p' }],
        [
          'profile update',
          {
            profile_id: 'id of p',
            profile_name: 'p',
            policy: JSON.stringify({
              ...EMPTY_LISTS,
              ...policy(blocking({ topic_name: TOPIC.name, revision: 1, topic_id: `new ${TOPIC.name}` })),
            }),
          },
        ],
        ['profile get', { profile_name: 'p' }],
      ],
    },
    {
      title: 'deletions last, each between two reads',
      content: { topics: [], profiles: [{ name: 'q' }] },
      records: { topics: [topic('a')], profiles: [profile('p', { policy: policy(blocking(pinned('a'))) })] },
      options: PRUNED,
      sent: [
        ['profile create', { profile_name: 'q' }],
        ['profile get', { profile_name: 'q' }],
        ['profile get', { profile_name: 'p' }],
        ['profile delete', { profile_id: 'id of p' }],
        ['profile get', { profile_name: 'p' }],
        ['topic get', { topic_id: 'id of a' }],
        ['topic delete', { topic_id: 'id of a' }],
        ['topic get', { topic_id: 'id of a' }],
      ],
    },
    {
      title: 'nothing if nothing differs',
      content: { topics: [{ name: 'a' }], profiles: [{ name: 'p', active: true }] },
      records: { topics: [topic('a')], profiles: [profile('p')] },
      sent: [],
    },
  ])('$title', async ({ content, records, options, sent }) => {
    const outcome = await applied(content, records, options);
    expect(outcome.sent).toEqual(sent);
    expect(outcome.failure).toBeUndefined();
    expect(outcome.steps.map(({ state, notKept }) => [state, notKept])).toEqual(outcome.steps.map(() => ['done', []]));
  });

  test('an update only to the revision that was compared, with the id that was compared', async () => {
    const content = { profiles: [{ name: 'p', active: false }] };
    const plan = await planned(content, { profiles: [profile('p')] });
    for (const [now, how] of [
      [profile('p', { revision: 4 }), 'revision 3 became 4'],
      [profile('p', { id: 'other' }), 'its id became other'],
    ] as const) {
      const { run, sent } = memory({ profiles: [now] });
      const { failure, steps } = await applyPlan(plan, alone(run), () => undefined);
      expect(failure).toMatchObject({
        code: 'conflict',
        message: `The profile p changed after it was compared with the file: ${how}.`,
        hint: 'It was not overwritten. Look at the new difference with --dry-run, then apply the file again.',
      });
      expect([steps.map(({ state }) => state), sent.length]).toEqual([['failed'], 1]);
    }
  });

  test('no further request after a record without its revision', async () => {
    const records = { topics: [topic('a')] };
    const plan = await planned({ topics: [{ name: 'a', description: 'Other.' }] }, records);
    const { run, sent } = memory({ topics: [topic('a', { revision: null })] });
    const { failure, steps } = await applyPlan(plan, alone(run), () => undefined);
    expect(failure).toMatchObject({ exitCode: 8, message: 'The service sent the topic a without its revision.' });
    expect([steps.map(({ state }) => state), sent.map(([command]) => command)]).toEqual([['failed'], ['topic get']]);
  });
});
