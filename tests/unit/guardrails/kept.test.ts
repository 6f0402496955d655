/** Services that answer 200 and keep something other than the sent record; incomplete deletions. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import type { Service } from '../../../fixtures/service/types.ts';
import {
  type AisecError,
  CancelledError,
  ConflictError,
  NotFoundError,
  RefusedError,
  ServiceError,
} from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import { readBack, type State, type Step } from '../../../lib/features/guardrails/apply.ts';
import { applicationError, labelOf } from '../../../lib/features/guardrails/outcome.ts';
import { type Change, profileRecord, topicRecord, type Verb } from '../../../lib/features/guardrails/tenant.ts';
import type { RunCommand } from '../../../lib/runtime/engine/command-port.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { run } from '../report/support.ts';
import { apply, blocking, PRUNED, pinned, policy, profile, TOPIC, tenancy, topic } from './support.ts';

type Fields = Record<string, unknown>;

/**
 * A service that answers every write as a correct service would, but keeps something else.
 *
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
  members: readonly string[];
}>([
  {
    title: 'nothing of a topic',
    content: NEW_TOPIC,
    keep: () => undefined,
    members: ['name'],
  },
  {
    title: 'a profile without a detector that the file does not state',
    content: UPDATED,
    keep: inPolicy((text) => text.replace('{"name":"toxic-content","action":"high:block, moderate:block"},', '')),
    members: [`${PROTECTION}.toxic-content`],
  },
  {
    title: 'an old revision of a topic',
    content: { profiles: [{ name: 'prod', policy: policy(blocking('investment-advice', 'competitor-pricing')) }] },
    keep: inPolicy((text) => text.replace('"revision":2', '"revision":1')),
    members: [`${PROTECTION}.topic-guardrails.topic-list.block.topic.investment-advice.revision`],
  },
])('apply-kept', 'exits with 10 if the service answers 200 and keeps $title', async ({ content, keep, members }) => {
  const { code, stdout, stderr } = await applied(content, forgetful(keep), 'json');
  expect({ code, error: JSON.parse(stderr).error.code }).toEqual({ code: 10, error: 'partial' });
  expect(JSON.parse(stdout).changes[0]).toMatchObject({ state: 'done', notKept: members });
});

scenario('apply-kept', 'the output for people says which part of which change was not kept', async () => {
  const { code, stdout, stderr } = await applied(
    NEW_TOPIC,
    forgetful(() => undefined),
    'table',
  );
  expect(code).toBe(10);
  expect(stderr).toContain('the service did not keep all that the file states');
  expect(stderr).toMatch(/create topic Stock tips +name/);
  expect(stdout).toContain('✗ topic Stock tips: created, but not kept as stated');
});

scenario('apply-kept', 'nothing is deleted after a change was not kept', async () => {
  const tenant = tenancy();
  const inner = tenant.run;
  const forgets: RunCommand = async (name, args) =>
    inner(name, name === 'aisec-runtime-profiles-create' ? { ...args, policy: JSON.stringify(policy()) } : args);
  const outcome = await apply(NEW_PROFILE, { ...tenant, run: forgets }, PRUNED);
  expect(outcome.steps.map(({ state }) => state)).toEqual(['done', 'not made', 'not made', 'not made', 'not made']);
  expect(tenant.writes).toEqual(['profiles-create']);
  const error = applicationError(outcome);
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
  scenario.each([{ command: 'aisec-runtime-topics-get', content: NEW_TOPIC, label: 'create topic Stock tips' }])(
    'apply-kept',
    'is not counted as made: $label',
    async ({ command, content, label }) => {
      const tenant = tenancy();
      const broken = failingOn(tenant.run, command, 1, new ServiceError('Broken.'));
      const outcome = await apply(content, { ...tenant, run: broken });
      expect(outcome.steps.map(({ state }) => state)).toEqual(['unchecked']);
      const error = applicationError(outcome);
      expect(error).toMatchObject({ code: 'partial', exitCode: 10, rows: [{ change: label, state: 'unchecked' }] });
      expect(error?.message).toBe(`0 of 1 changes were made. The next one is not confirmed, ${label}: Broken.`);
    },
  );
});

describe('a deletion', () => {
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
    'that the service confirms but does not make exits with 10: $kind $name',
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

/** Answers with this record; undefined if the record is gone. */
const keeping =
  (record: JsonObject | undefined, asked: unknown[] = []): RunCommand =>
  async (name, args) => {
    asked.push([name, args]);
    if (record === undefined) throw new NotFoundError('It is gone.');
    return { record, records: [], raw: record, simulated: false };
  };

const created: Change = { kind: 'topic', name: 'a', verb: 'create', members: [] };
const updated: Change = { ...created, verb: 'update', record: topicRecord(topic('a')) };
const sent = { description: topic('a').description, examples: topic('a').examples };

describe('a change that is read again', () => {
  test.each<{ title: string; change: Change; record: JsonObject; id: string; revision: number; lost: object[] }>([
    {
      title: 'is kept at the first revision of a new resource',
      change: created,
      record: topic('a', { revision: 1 }),
      id: 'id of a',
      revision: 1,
      lost: [],
    },
    {
      title: 'is kept at the next revision of an old resource, even with another id',
      change: updated,
      record: topic('a', { revision: 3, topic_id: 'other' }),
      id: 'other',
      revision: 3,
      lost: [],
    },
    {
      title: 'is not kept at the previous revision',
      change: updated,
      record: topic('a', { revision: 2 }),
      id: 'id of a',
      revision: 2,
      lost: [{ path: ['revision'], before: 2, after: 3 }],
    },
    {
      title: 'is not kept without a revision',
      change: created,
      record: topic('a', { revision: 0 }),
      id: 'id of a',
      revision: 0,
      lost: [{ path: ['revision'], before: 0, after: 1 }],
    },
    {
      title: 'is not kept with another member, nor under another name',
      change: updated,
      record: topic('b', { topic_id: 'id of a', revision: 2, description: 'Cut' }),
      id: 'id of a',
      revision: 2,
      lost: [
        { path: ['name'], before: 'b', after: 'a' },
        { path: ['description'], before: 'Cut', after: sent.description },
        { path: ['revision'], before: 2, after: 3 },
      ],
    },
  ])('$title', async ({ change, record, id, revision, lost }) => {
    const asked: unknown[] = [];
    const kept = await readBack(change, sent, { run: keeping(record, asked), records: [] });
    expect(kept).toEqual({ id, revision, notKept: lost });
    expect(asked).toEqual([['aisec-runtime-topics-get', { topic_name: 'a' }]]);
  });

  test.each([
    { change: created, id: undefined, revision: 1 },
    { change: updated, id: 'id of a', revision: 3 },
  ])('is lost if the record is gone: $change.verb', async ({ change, id, revision }) => {
    const kept = await readBack(change, sent, { run: keeping(undefined), records: [] });
    expect(kept).toEqual({ id, revision, notKept: [{ path: ['name'], before: undefined, after: 'a' }] });
  });

  test('of a profile is compared with the current names of its topics', async () => {
    const records = [topicRecord(topic('new', { topic_id: 'id of old' }))];
    const own = profileRecord(profile('p'));
    const change: Change = { kind: 'profile', name: 'p', verb: 'update', members: [], record: own };
    const record = profile('p', { revision: 4, policy: policy(blocking(pinned('old'))) });
    const members = { active: true, policy: policy(blocking({ ...pinned('old'), topic_name: 'new' })) };
    const asked: unknown[] = [];
    const kept = await readBack(change, members, { run: keeping(record, asked), records });
    expect(kept).toEqual({ id: 'id of p', revision: 4, notKept: [] });
    expect(asked).toEqual([['aisec-runtime-profiles-get', { profile_name: 'p' }]]);
  });
});

const GO_ON = 'Apply the file again to continue: finished changes stay.';

const step = (state: State, verb: Verb = 'update', ...notKept: readonly string[]): Step => ({
  change: { kind: 'profile', name: state, verb, members: [] },
  state,
  notKept: notKept.map((member) => ({ path: ['policy', member], before: 1, after: 2 })),
});

describe('a failed apply', () => {
  test.each<{ title: string; steps: readonly Step[]; failure: AisecError; message: string; hint: string }>([
    {
      title: 'after one change names the next, with what is known of the failure',
      steps: [step('done'), step('failed', 'create'), step('not made')],
      failure: new RefusedError('No.', { hint: 'Ask.', rows: [{ id: 7, of: { a: 1 } }, { id: 8 }] }),
      message: '1 of 3 changes was made. The next one failed, create profile failed: No. (id 7, of {"a":1}; id 8)',
      hint: `Ask. ${GO_ON}`,
    },
    {
      title: 'to delete what is in use says what helps with a file',
      steps: [step('done'), step('failed', 'delete')],
      failure: new ConflictError('It is in use.', { hint: 'Repeat with force=true.' }),
      message: '1 of 2 changes was made. The next one failed, delete profile failed: It is in use.',
      hint: `Remove it from the resources that use it. ${GO_ON}`,
    },
    {
      title: 'to update because of a conflict keeps the hint',
      steps: [step('done'), step('failed')],
      failure: new ConflictError('It changed.', { hint: 'Look again.' }),
      message: '1 of 2 changes was made. The next one failed, update profile failed: It changed.',
      hint: `Look again. ${GO_ON}`,
    },
  ])('$title', ({ steps, failure, message, hint }) => {
    const error = applicationError({ steps, failure });
    expect(error).toMatchObject({ code: 'partial', exitCode: 10, message, hint });
    expect(error?.rows).toEqual(steps.map(({ state, change }) => ({ change: labelOf(change), state })));
  });

  test.each<{ states: readonly State[]; whole: boolean }>([
    { states: ['failed'], whole: true },
    { states: ['failed', 'not made', 'not made'], whole: true },
    { states: ['unknown', 'not made'], whole: false },
    { states: ['unchecked'], whole: false },
    { states: ['partly made'], whole: false },
    { states: ['done', 'failed'], whole: false },
  ])('with the steps $states is the failure itself: $whole', ({ states, whole }) => {
    const failure = new RefusedError('No.');
    expect(applicationError({ steps: states.map((state) => step(state)), failure }) === failure).toBe(whole);
  });

  test('keeps command, request and status of the failure', () => {
    const given = { command: 'aisec-runtime-topics-update', requestId: 'r-1', status: 500 };
    const error = applicationError({
      steps: [step('done'), step('failed')],
      failure: new ServiceError('Broken.', given),
    });
    expect(error).toMatchObject(given);
  });

  test('by an interrupt keeps the exit code, and lists the steps', () => {
    const error = applicationError({ steps: [step('done'), step('unknown')], failure: new CancelledError('Stopped.') });
    expect(error).toBeInstanceOf(CancelledError);
    expect(error).toMatchObject({ message: '1 of 2 changes was made.', hint: GO_ON });
    expect(error?.rows.map(({ state }) => state)).toEqual(['done', 'unknown']);
  });

  test('lists the members of earlier changes that the service did not keep', () => {
    const steps = [step('done', 'create', 'a', 'b'), step('failed')];
    const error = applicationError({ steps, failure: new RefusedError('No.') });
    expect(error?.rows[0]).toEqual({ change: 'create profile done', state: 'done, but not kept: policy.a, policy.b' });
  });
});

describe('an apply without a failure', () => {
  test.each([
    {
      steps: [step('done', 'create', 'a'), step('done')],
      message: 'All changes were made, but the service did not keep all that the file states.',
    },
    {
      steps: [step('done'), step('done', 'create', 'a'), step('not made', 'delete')],
      message: '2 of 3 changes were made, but the service did not keep all that the file states. Nothing was deleted.',
    },
  ])('that lost a member ends with 10: $message', ({ steps, message }) => {
    expect(applicationError({ steps })).toMatchObject({
      code: 'partial',
      exitCode: 10,
      message,
      hint: 'Check the names and values of these members, and compare again with --dry-run.',
      rows: [{ change: 'create profile done', member: 'policy.a' }],
    });
  });
});
