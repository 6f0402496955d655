/** Services that answer 200 and keep something other than the sent record; incomplete deletions. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import type { Service } from '../../../fixtures/service/types.ts';
import { type AisecError, CancelledError, NetworkError, RefusedError, ServiceError } from '../../../lib/core/errors.ts';
import type { RunCommand } from '../../../lib/engine/run-command.ts';
import { errorOf } from '../../../lib/features/guardrails/outcome.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { run } from '../report/support.ts';
import { apply, blocking, PRUNED, policy, TOPIC, tenancy } from './support.ts';

type Fields = Record<string, unknown>;

/**
 * A service that answers every write as a sound one would, and keeps something else.
 * @param keep changes the kept body; undefined: the body is dropped
 */
function forgetful(keep: (body: Fields, method: string) => Fields | undefined): Service {
  const sound = createService();
  return {
    ...sound,
    handle(request, clock) {
      const isWrite = /\/mgmt\/(?:topic|profile)\b/.test(request.url) && request.method !== 'GET';
      if (!isWrite) return sound.handle(request, clock);
      const sent = JSON.parse(request.body || '{}') as Fields;
      const kept = keep(sent, request.method);
      if (kept === undefined) {
        const echo = { profile_id: ID, topic_id: ID, revision: 9, ...sent };
        const body = request.method === 'DELETE' ? 'successfully deleted' : echo;
        const { status: _, ...plain } = sound.handle({ ...request, method: 'GET', url: READ_URL }, clock);
        return { ...plain, status: 200, body: JSON.stringify(body) };
      }
      const response = sound.handle({ ...request, body: JSON.stringify(kept) }, clock);
      if (response.status !== 200) return response;
      return { ...response, body: JSON.stringify({ ...JSON.parse(response.body), ...sent }) };
    },
  };
}

const ID = '11111111-2222-4333-8444-555555555555';
const READ_URL = 'http://127.0.0.1/aisec/v1/mgmt/topics/tsg/1000000001?offset=0&limit=100';

const INJECTION = { name: 'prompt-injection', action: 'block' };
const NEW_TOPIC = { topics: [TOPIC] };
const NEW_PROFILE = { profiles: [{ name: 'new', policy: policy(INJECTION) }] };
const UPDATED = { profiles: [{ name: 'prod', policy: policy({ name: 'prompt-injection', action: 'alert' }) }] };

const inPolicy = (change: (text: string) => string) => (body: Fields) =>
  body['policy'] === undefined ? body : { ...body, policy: JSON.parse(change(JSON.stringify(body['policy']))) };
const MODEL = 'policy.ai-security-profiles.default.model-configuration';
const PROTECTION = `${MODEL}.model-protection`;

async function applied(content: object, service: Service, output: string, ...more: string[]) {
  const path = join(temporaryFolder('kept'), 'guardrails.json');
  writeFileSync(path, JSON.stringify({ version: 1, ...content }));
  return run(['apply', path, '--yes', '--output', output, '--quiet', ...more], { service });
}

scenario.each<{
  title: string;
  content: object;
  keep: (body: Fields, method: string) => Fields | undefined;
  change: string;
  members: readonly string[];
}>([
  {
    title: 'nothing of a topic',
    content: NEW_TOPIC,
    keep: () => undefined,
    change: 'create topic Stock tips',
    members: ['name'],
  },
  {
    title: 'nothing of a profile',
    content: NEW_PROFILE,
    keep: () => undefined,
    change: 'create profile new',
    members: ['name'],
  },
  {
    title: 'nothing of an update',
    content: UPDATED,
    keep: () => undefined,
    change: 'update profile prod',
    members: [`${PROTECTION}.prompt-injection.action`, 'revision'],
  },
  {
    title: 'nothing of a new description',
    content: { topics: [{ name: 'investment-advice', description: 'Other.' }] },
    keep: () => undefined,
    change: 'update topic investment-advice',
    members: ['description', 'revision'],
  },
  {
    title: 'a description that is cut',
    content: NEW_TOPIC,
    keep: (body) => ({ ...body, description: String(body['description']).slice(0, 8) }),
    change: 'create topic Stock tips',
    members: ['description'],
  },
  {
    title: 'a name that is cut',
    content: NEW_TOPIC,
    keep: (body) => ({ ...body, topic_name: 'Stock' }),
    change: 'create topic Stock tips',
    members: ['name'],
  },
  {
    title: 'fewer examples',
    content: { topics: [{ ...TOPIC, examples: ['a', 'b', 'c'] }] },
    keep: (body) => ({ ...body, examples: (body['examples'] as string[]).slice(0, 2) }),
    change: 'create topic Stock tips',
    members: ['examples'],
  },
  {
    title: 'a profile without one of its detectors',
    content: NEW_PROFILE,
    keep: inPolicy((text) => text.replace(JSON.stringify(INJECTION), '')),
    change: 'create profile new',
    members: [`${PROTECTION}.prompt-injection`],
  },
  {
    title: 'a profile without a detector that the file does not state',
    content: UPDATED,
    keep: inPolicy((text) => text.replace('{"name":"toxic-content","action":"high:block, moderate:block"},', '')),
    change: 'update profile prod',
    members: [`${PROTECTION}.toxic-content`],
  },
  {
    title: 'an action in other letters',
    content: NEW_PROFILE,
    keep: inPolicy((text) => text.replace('"block"', '"BLOCK"')),
    change: 'create profile new',
    members: [`${PROTECTION}.prompt-injection.action`],
  },
  {
    title: 'an old revision of a topic',
    content: { profiles: [{ name: 'prod', policy: policy(blocking('investment-advice', 'competitor-pricing')) }] },
    keep: inPolicy((text) => text.replace('"revision":2', '"revision":1')),
    change: 'update profile prod',
    members: [`${PROTECTION}.topic-guardrails.topic-list.block.topic.investment-advice.revision`],
  },
  {
    title: 'an inactive profile',
    content: NEW_PROFILE,
    keep: (body) => ({ ...body, active: false }),
    change: 'create profile new',
    members: ['active'],
  },
])(
  'apply-kept',
  'exits with 10 if the service answers 200 and keeps $title',
  async ({ content, keep, change, members }) => {
    const { code, stdout, stderr } = await applied(content, forgetful(keep), 'json');
    expect({ code, error: JSON.parse(stderr).error.code }).toEqual({ code: 10, error: 'partial' });
    const text = await applied(content, forgetful(keep), 'table');
    expect(text.code).toBe(10);
    expect(text.stderr).toContain('the service did not keep all that the file states');
    expect(text.stdout).toContain(`✗ ${change.split(' ').slice(1).join(' ')}: `);
    expect(text.stdout).toContain('but not kept as stated');
    for (const member of members) expect(text.stderr.replace(/\s/g, '')).toContain(member.replace(/\s/g, ''));
    expect(JSON.parse(stdout).changes[0]).toMatchObject({ state: 'done', notKept: members });
  },
);

scenario('apply-kept', 'nothing is deleted after a change was not kept', async () => {
  const tenant = tenancy();
  const inner = tenant.run;
  const forgets: RunCommand = async (name, args) =>
    inner(name, name === 'aisec-runtime-profiles-create' ? { ...args, policy: JSON.stringify(policy()) } : args);
  const outcome = await apply(NEW_PROFILE, { ...tenant, run: forgets }, PRUNED);
  expect(outcome.steps.map(({ state }) => state)).toEqual(['done', 'not made', 'not made', 'not made', 'not made']);
  expect(tenant.writes).toEqual(['profiles-create']);
  const error = errorOf(outcome);
  expect(error).toMatchObject({ code: 'partial', exitCode: 10 });
  expect(error?.message).toBe(
    '1 of 5 changes were made, but the service did not keep all that the file states. Nothing was deleted.',
  );
});

/** Fails the nth run of a command. */
function failingOn(inner: RunCommand, command: string, count: number, failure: Error): RunCommand {
  let seen = 0;
  return async (name, args) => {
    if (name !== command) return inner(name, args);
    seen += 1;
    if (seen === count) throw failure;
    return inner(name, args);
  };
}

describe('a change that cannot be read again', () => {
  scenario.each([
    { command: 'aisec-runtime-topics-get', content: NEW_TOPIC, label: 'create topic Stock tips' },
    { command: 'aisec-runtime-profiles-get', content: NEW_PROFILE, label: 'create profile new' },
  ])('apply-kept', 'is not counted as made: $label', async ({ command, content, label }) => {
    const tenant = tenancy();
    const broken = failingOn(tenant.run, command, 1, new ServiceError('Broken.'));
    const outcome = await apply(content, { ...tenant, run: broken });
    expect(outcome.steps.map(({ state }) => state)).toEqual(['unchecked']);
    const error = errorOf(outcome);
    expect(error).toMatchObject({ code: 'partial', exitCode: 10, rows: [{ change: label, state: 'unchecked' }] });
    expect(error?.message).toBe(`0 of 1 changes were made. The next one is not confirmed, ${label}: Broken.`);
  });

  test('keeps the exit code of an interrupt', async () => {
    const tenant = tenancy();
    const stopped = failingOn(tenant.run, 'aisec-runtime-topics-get', 1, new CancelledError('Stopped.'));
    expect(errorOf(await apply(NEW_TOPIC, { ...tenant, run: stopped }))).toBeInstanceOf(CancelledError);
  });

  test('still lists what an earlier change lost', async () => {
    const tenant = tenancy();
    const shortens: RunCommand = (name, args) =>
      tenant.run(name, name === 'aisec-runtime-topics-create' ? { ...args, description: 'Cut' } : args);
    const broken = failingOn(shortens, 'aisec-runtime-profiles-create', 1, new RefusedError('No.'));
    const error = errorOf(await apply({ ...NEW_TOPIC, ...NEW_PROFILE }, { ...tenant, run: broken }));
    expect(error?.rows).toEqual([
      { change: 'create topic Stock tips', state: 'done, but not kept: description' },
      { change: 'create profile new', state: 'failed' },
    ]);
  });
});

describe('a deletion', () => {
  /** A tenant with a profile of two revisions that have ids of their own. */
  async function withOlder() {
    const tenant = tenancy({ quirks: ['new-profile-id'] });
    await tenant.room.run('!aisec-runtime-profiles-create old');
    const { id } = await tenant.room.value('!aisec-runtime-profiles-get old');
    await tenant.room.run(`!aisec-runtime-profiles-update profile_id=${id} profile_name=old active=false`);
    const kept = ['prod', 'monitor-only', 'claims', 'code-assistant'].map((name) => ({ name }));
    return { tenant, content: { profiles: kept } };
  }

  scenario.each<{ title: string; failure: AisecError }>([
    { title: 'is refused', failure: new RefusedError('No.') },
    { title: 'fails in the service', failure: new ServiceError('Broken.') },
    { title: 'is not answered', failure: new NetworkError('Lost.', { sent: true }) },
    { title: 'is not sent', failure: new NetworkError('Closed.', { sent: false }) },
  ])('apply-kept', 'of an older revision that $title is exit 10', async ({ failure }) => {
    const { tenant, content } = await withOlder();
    const broken = failingOn(tenant.run, 'aisec-runtime-profiles-delete', 2, failure);
    const outcome = await apply(content, { ...tenant, run: broken }, PRUNED);
    expect(outcome.steps.map(({ state }) => state)).toEqual(['partly made']);
    const error = errorOf(outcome);
    expect(error).toMatchObject({ code: 'partial', exitCode: 10 });
    expect(error?.message).toBe(
      '0 of 1 changes were made. The next one deleted the newest revision only, and an older one is in force now, ' +
        `delete profile old: ${failure.message}`,
    );
    expect((await tenant.room.value('!aisec-runtime-profiles-get old'))['revision']).toBe(1);
    expect(errorOf(await apply(content, tenant, PRUNED))).toBeUndefined();
  });

  scenario('apply-kept', 'of an older revision that no longer exists is made', async () => {
    const { tenant, content } = await withOlder();
    const before: RunCommand = async (name, args) => {
      const answer = await tenant.run(name, args);
      const left = (await tenant.room.values('!aisec-runtime-profiles-list')).find((each) => each['name'] === 'old');
      if (name.endsWith('-delete') && left !== undefined) {
        await tenant.room.run(`!aisec-runtime-profiles-delete profile_id=${String(left['id'])}`);
      }
      return answer;
    };
    const outcome = await apply(content, { ...tenant, run: before }, PRUNED);
    expect(errorOf(outcome)).toBeUndefined();
    expect(outcome.steps.map(({ state }) => state)).toEqual(['done']);
  });

  scenario.each([
    {
      kind: 'profile',
      content: { profiles: [{ name: 'claims' }, { name: 'prod' }, { name: 'code-assistant' }] },
      name: 'monitor-only',
    },
    {
      kind: 'topic',
      content: { topics: [{ name: 'investment-advice' }, { name: 'insurance-claims' }] },
      name: 'competitor-pricing',
    },
  ])(
    'apply-kept',
    'that the service confirms but does not make is exit 10: $kind $name',
    async ({ kind, content, name }) => {
      const { code, stderr } = await applied(
        content,
        forgetful(() => undefined),
        'json',
        '--prune',
      );
      expect(code).toBe(10);
      expect(JSON.parse(stderr).error.message).toMatch(
        new RegExp(`The service confirmed the deletion, but the ${kind} ${name} is still there, at revision 1\\.`),
      );
    },
  );
});
