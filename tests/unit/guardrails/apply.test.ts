import {
  CancelledError,
  ConflictError,
  NetworkError,
  NotFoundError,
  PartialError,
  ServiceError,
} from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import { applyPlan } from '../../../lib/features/guardrails/apply.ts';
import { applicationError } from '../../../lib/features/guardrails/outcome.ts';
import type { Plan } from '../../../lib/features/guardrails/plan.ts';
import type { RunCommand } from '../../../lib/runtime/engine/command-port.ts';
import {
  alone,
  apply,
  blocking,
  changes,
  KEPT,
  PRUNED,
  pinned,
  plan,
  planned,
  policy,
  profile,
  type Records,
  TOPIC,
  tenancy,
  topic,
} from './support.ts';

/** Two topics and two profiles that refer to them. */
const CONTENT = {
  topics: [TOPIC, { name: 'investment-advice', description: 'Advice on money.' }],
  profiles: [
    {
      name: 'new',
      active: false,
      policy: policy({ name: 'prompt-injection', action: 'block' }, blocking('Stock tips')),
    },
    { name: 'prod', policy: policy(blocking('Stock tips', 'investment-advice')) },
  ],
};

/** Calls `before` before the nth command of a name. */
function interrupting(inner: RunCommand, name: string, before: () => Promise<unknown>): RunCommand {
  let done = false;
  return async (command, args) => {
    if (command === name && !done) {
      done = true;
      await before();
    }
    return inner(command, args);
  };
}

describe('an application', () => {
  test.each([[[]], [['new-profile-id']], [['null-groups', 'no-nulls']], [['null-topics']]])(
    'makes the changes of the file, with the quirks %j, and has no changes afterwards',
    async (quirks) => {
      const tenant = tenancy({ quirks });
      const { steps, seen, ...outcome } = await apply(CONTENT, tenant);
      expect(applicationError({ steps, ...outcome })).toBeUndefined();
      expect(seen).toEqual(steps);
      expect(tenant.writes).toEqual(['topics-create', 'topics-update', 'profiles-create', 'profiles-update']);
      expect(steps.map(({ revision }) => revision)).toEqual([1, 3, 1, 4]);
      const again = await plan(CONTENT, tenant);
      expect(changes(again)).toEqual([
        'unchanged topic Stock tips',
        'unchanged topic investment-advice',
        'unchanged profile new',
        'unchanged profile prod',
      ]);
      // Unstated parts are unchanged.
      const { policy: kept } = await tenant.room.value('!aisec-runtime-profiles-get prod');
      expect(JSON.stringify(kept)).toMatch(/"toxic-content".*"Sensitive Content"/);
    },
  );

  test('keeps texts unchanged: no reference, file or secret is resolved', async () => {
    const tenant = tenancy();
    tenant.room.context = { AiSec: { Topic: 'from the context' } };
    const topic = { name: '${AiSec.Topic}', description: '@file:/etc/passwd `"', examples: ['a, ${AiSec}', '["b"]'] };
    await apply({ topics: [topic] }, tenant);
    const [made] = (await tenant.room.values('!aisec-runtime-topics-list')).slice(-1);
    expect(made).toMatchObject({ topic_name: topic.name, description: topic.description, examples: topic.examples });
  });

  test.each([[[]], [['new-profile-id']], [['empty-deletes']]])(
    'prunes profiles with all their revisions, then topics, with the quirks %j',
    async (quirks) => {
      const tenant = tenancy({ quirks });
      await tenant.room.run('!aisec-runtime-profiles-create old');
      const { id } = await tenant.room.value('!aisec-runtime-profiles-get old');
      await tenant.room.run(`!aisec-runtime-profiles-update profile_id=${id} profile_name=old active=false`);
      const kept = ['prod', 'monitor-only', 'claims', 'code-assistant'].map((name) => ({ name }));
      const content = { topics: [{ name: 'investment-advice' }, { name: 'insurance-claims' }], profiles: kept };
      const { steps } = await apply(content, tenant, PRUNED);
      expect(steps.map(({ change, state }) => `${change.verb} ${change.name}: ${state}`)).toEqual([
        'delete old: done',
        'delete competitor-pricing: done',
      ]);
      const names = (await tenant.room.values('!aisec-runtime-profiles-list')).map(({ name }) => name);
      expect(names).not.toContain('old');
    },
  );
});

describe('a change in between', () => {
  test('a duplicate name is a conflict of the service', async () => {
    const tenant = tenancy();
    const taken = `!aisec-runtime-topics-create topic_name="Stock tips" description=a examples=b,c`;
    const run = interrupting(tenant.run, 'aisec-runtime-topics-create', () => tenant.room.run(taken));
    expect(applicationError(await apply({ topics: [TOPIC] }, { ...tenant, run }))).toBeInstanceOf(ConflictError);
  });
});

describe('a failure', () => {
  const failingAt = (inner: RunCommand, name: string, error: Error) =>
    interrupting(inner, name, async () => {
      throw error;
    });

  test.each([
    { title: 'a lost answer', failure: new NetworkError('Lost.', { sent: true }), state: 'unknown' },
    { title: 'a closed connection', failure: new NetworkError('Closed.', { sent: false }), state: 'failed' },
  ])('later, $title, lists changes made and not made, and a second apply continues', async ({ failure, state }) => {
    const tenant = tenancy();
    const run = failingAt(tenant.run, 'aisec-runtime-profiles-create', failure);
    const error = applicationError(await apply(CONTENT, { ...tenant, run }));
    expect(error).toBeInstanceOf(PartialError);
    expect(error?.exitCode).toBe(10);
    expect(error?.message).toBe(
      `2 of 4 changes were made. The next one failed, create profile new: ${failure.message}`,
    );
    expect(error?.rows).toEqual([
      { change: 'create topic Stock tips', state: 'done' },
      { change: 'update topic investment-advice', state: 'done' },
      { change: 'create profile new', state },
      { change: 'update profile prod', state: 'not made' },
    ]);
    tenant.writes.length = 0;
    expect(applicationError(await apply(CONTENT, tenant))).toBeUndefined();
    expect(tenant.writes).toEqual(['profiles-create', 'profiles-update']);
  });

  test('by an interrupt before anything was sent leaves the change pending', async () => {
    const tenant = tenancy();
    const run = failingAt(tenant.run, 'aisec-runtime-topics-get', new CancelledError('Stopped.'));
    const { seen } = await apply({ topics: [{ name: 'investment-advice', description: 'New.' }] }, { ...tenant, run });
    expect(seen.map(({ state }) => state)).toEqual(['failed']);
  });

  test('to delete is noticed if the service only claims to have deleted', async () => {
    const tenant = tenancy();
    const run: RunCommand = async (name, args) => {
      const output = await tenant.run(name, args);
      return name.endsWith('-delete') ? { ...output, record: { deleted: false } } : output;
    };
    const error = applicationError(
      await apply(
        { topics: [{ name: 'investment-advice' }, { name: 'insurance-claims' }] },
        { ...tenant, run },
        PRUNED,
      ),
    );
    expect(error?.message).toContain('did not confirm that the topic competitor-pricing is deleted');
  });
});

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
});

const record = { kind: 'profile', id: 'new', name: 'p', revision: 3, members: {}, older: ['two', 'one'] } as const;
const PLAN: Plan = {
  changes: [{ kind: 'profile', name: 'p', verb: 'delete', members: [], record }],
  topics: new Map(),
  notes: [],
  tenant: { topics: [], profiles: [record] },
} as unknown as Plan;

/** Applies the plan; the service answers a deletion as in the table, and confirms all other changes. */
async function removed(answers: Readonly<Record<string, () => unknown>>) {
  const deleted: string[] = [];
  const run: RunCommand = async (command, args) => {
    if (command.endsWith('-get') && deleted.includes('new')) throw new NotFoundError('It is gone.');
    const raw = command.endsWith('-get') ? { id: 'new', name: 'p', revision: 3 } : { deleted: true };
    const id = args['profile_id'] ?? '';
    if (command.endsWith('-delete')) deleted.push(id);
    const own = command.endsWith('-delete') ? answers[id]?.() : undefined;
    return { record: (own ?? raw) as typeof raw, records: [], raw, simulated: true };
  };
  const { steps, failure } = await applyPlan(PLAN, alone(run), () => undefined);
  return { deleted, state: steps[0]?.state, failure };
}

const fails = (error: Error) => () => {
  throw error;
};

test('older revisions are deleted with the newest, because an older revision would become active', async () => {
  expect(await removed({})).toEqual({ deleted: ['new', 'two', 'one'], state: 'done', failure: undefined });
});

test.each([
  ['fails', fails(new ServiceError('It is broken.')), 'It is broken.'],
  ['is not confirmed', () => ({ deleted: false }), 'did not confirm'],
])('a deletion of an older revision that %s ends the apply', async (_, answer, message) => {
  const { deleted, state, failure } = await removed({ two: answer });
  expect([deleted, state]).toEqual([['new', 'two'], 'partly made']);
  expect(failure?.message).toContain(message);
});

test('an older revision that no longer exists counts as deleted', async () => {
  const { deleted, state } = await removed({ two: fails(new NotFoundError('There is none.')) });
  expect([deleted, state]).toEqual([['new', 'two', 'one'], 'done']);
});
