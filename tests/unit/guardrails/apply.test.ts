import {
  CancelledError,
  ConflictError,
  NetworkError,
  PartialError,
  RefusedError,
  ServiceError,
} from '../../../lib/core/errors.ts';
import type { RunCommand } from '../../../lib/engine/run-command.ts';
import { errorOf } from '../../../lib/features/guardrails/outcome.ts';
import { apply, blocking, changes, PRUNED, plan, policy, TOPIC, tenancy } from './support.ts';

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

/** Calls `before` in front of the nth command of a name. */
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
      expect(errorOf({ steps, ...outcome })).toBeUndefined();
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
  test.each<{ title: string; content: object; line: string; name: string; message: string }>([
    {
      title: 'of a profile',
      content: { profiles: [{ name: 'prod', active: false }] },
      line: '!aisec-runtime-topics-apply profile_name=prod topic_name=competitor-pricing guardrail_action=allow',
      name: 'aisec-runtime-profiles-get',
      message: 'The profile prod changed after it was compared with the file: revision 3 became 4.',
    },
    {
      title: 'of a topic',
      content: { topics: [{ name: 'competitor-pricing', description: 'Other.' }] },
      line: '!aisec-runtime-topics-update topic_id={id} topic_name=competitor-pricing description=Mine',
      name: 'aisec-runtime-topics-get',
      message: 'The topic competitor-pricing changed after it was compared with the file: revision 1 became 2.',
    },
    {
      title: 'that deletes a topic',
      content: { topics: [{ name: 'competitor-pricing', description: 'Other.' }] },
      line: '!aisec-runtime-topics-delete {id}',
      name: 'aisec-runtime-topics-get',
      message: 'The topic competitor-pricing changed after it was compared with the file: it was deleted or renamed.',
    },
  ])('$title is not overwritten', async ({ content, line, name, message }) => {
    const tenant = tenancy();
    const { topic_id } = await tenant.room.value('!aisec-runtime-topics-get competitor-pricing');
    const run = interrupting(tenant.run, name, () => tenant.room.run(line.replace('{id}', String(topic_id))));
    const outcome = await apply(content, { ...tenant, run });
    const error = errorOf(outcome);
    expect(error).toBeInstanceOf(ConflictError);
    expect(error?.message).toBe(message);
    expect(outcome.steps.map(({ state }) => state)).toEqual(['failed']);
    expect(tenant.writes).toEqual([]);
  });

  test('a duplicate name is a conflict of the service', async () => {
    const tenant = tenancy();
    const taken = `!aisec-runtime-topics-create topic_name="Stock tips" description=a examples=b,c`;
    const run = interrupting(tenant.run, 'aisec-runtime-topics-create', () => tenant.room.run(taken));
    expect(errorOf(await apply({ topics: [TOPIC] }, { ...tenant, run }))).toBeInstanceOf(ConflictError);
  });
});

describe('a failure', () => {
  const failingAt = (inner: RunCommand, name: string, error: Error) =>
    interrupting(inner, name, async () => {
      throw error;
    });

  test('before the first change is reported unchanged', async () => {
    const tenant = tenancy();
    const failure = new RefusedError('No.');
    const outcome = await apply(CONTENT, {
      ...tenant,
      run: failingAt(tenant.run, 'aisec-runtime-topics-create', failure),
    });
    expect(errorOf(outcome)).toBe(failure);
    expect(outcome.seen.map(({ state }) => state)).toEqual(['failed']);
  });

  test.each([
    { title: 'a refusal', failure: new RefusedError('No.', { hint: 'Ask.' }), state: 'failed' },
    { title: 'a lost answer', failure: new NetworkError('Lost.', { sent: true }), state: 'unknown' },
    { title: 'a closed connection', failure: new NetworkError('Closed.', { sent: false }), state: 'failed' },
    { title: 'an error of the service', failure: new ServiceError('Broken.'), state: 'unknown' },
  ])('later, $title, lists changes made and not made, and a second apply continues', async ({ failure, state }) => {
    const tenant = tenancy();
    const run = failingAt(tenant.run, 'aisec-runtime-profiles-create', failure);
    const error = errorOf(await apply(CONTENT, { ...tenant, run }));
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
    expect(errorOf(await apply(CONTENT, tenant))).toBeUndefined();
    expect(tenant.writes).toEqual(['profiles-create', 'profiles-update']);
  });

  test('by an interrupt keeps its exit code', async () => {
    const tenant = tenancy();
    const run = failingAt(tenant.run, 'aisec-runtime-profiles-create', new CancelledError('Stopped.'));
    const outcome = await apply(CONTENT, { ...tenant, run });
    const error = errorOf(outcome);
    expect(error).toBeInstanceOf(CancelledError);
    expect(error?.message).toBe('2 of 4 changes were made.');
    // The request was on its way: the service may have made the change.
    expect(outcome.seen.map(({ state }) => state)).toEqual(['done', 'done', 'unknown']);
  });

  test('by an interrupt before anything was sent leaves the change as it was', async () => {
    const tenant = tenancy();
    const run = failingAt(tenant.run, 'aisec-runtime-topics-get', new CancelledError('Stopped.'));
    const { seen } = await apply({ topics: [{ name: 'investment-advice', description: 'New.' }] }, { ...tenant, run });
    expect(seen.map(({ state }) => state)).toEqual(['failed']);
  });

  test('to delete is a failure if the service only claims to have deleted', async () => {
    const tenant = tenancy();
    const run: RunCommand = async (name, args) => {
      const output = await tenant.run(name, args);
      return name.endsWith('-delete') ? { ...output, record: { deleted: false } } : output;
    };
    const error = errorOf(
      await apply(
        { topics: [{ name: 'investment-advice' }, { name: 'insurance-claims' }] },
        { ...tenant, run },
        PRUNED,
      ),
    );
    expect(error?.message).toContain('did not confirm that the topic competitor-pricing is deleted');
  });

  test('to keep a member is a failure, because the guardrail is not in force', async () => {
    const tenant = tenancy();
    const run: RunCommand = async (name, args) => {
      const { policy: _, ...others } = args;
      return tenant.run(
        name,
        name.endsWith('profiles-create') ? { ...others, policy: JSON.stringify(policy()) } : args,
      );
    };
    const content = { profiles: [{ name: 'new', policy: policy({ name: 'prompt-injection', action: 'block' }) }] };
    const error = errorOf(await apply(content, { ...tenant, run }));
    expect(error).toBeInstanceOf(PartialError);
    expect(error?.rows).toEqual([
      {
        change: 'create profile new',
        member: 'policy.ai-security-profiles.default.model-configuration.model-protection.prompt-injection',
      },
    ]);
  });
});
