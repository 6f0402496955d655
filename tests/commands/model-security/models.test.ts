import { registry } from '../../../commands/index.ts';
import { MODEL_SEED_IDS } from '../../../fixtures/service/model-security/seed.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { describeTypeChanges, describeWrongRoots } from '../runtime/answers.ts';
import { describeGoldens } from '../runtime/golden.ts';
import { DATA, ID } from './goldens/addresses.ts';
import { goldens, keys } from './goldens/models.ts';
import { HUB, scanned } from './rooms.ts';

const LIST = '!aisec-model-security-models-list';
const GET = '!aisec-model-security-models-get';
const VERSIONS = '!aisec-model-security-models-versions';
const VERSION = '!aisec-model-security-models-version-get';
const FILES = '!aisec-model-security-models-files';

const namesOf = async (room: WarRoom, args = '') => (await room.values(`${LIST} ${args}`)).map(({ name }) => name);

/** The seeded model of this name. */
async function modelOf(room: WarRoom, name: string): Promise<Record<string, unknown>> {
  const [model] = await room.values(`${LIST} search_query=${name}`);
  if (model === undefined) throw new Error(`there is no model ${name}`);
  return model;
}

/** Runs a line. @returns the query of its request */
async function queryOf(line: string): Promise<URLSearchParams> {
  const room = answering(() => ({ answer: { models: [], model_versions: [], pagination: { total_items: 0 } } }));
  await room.run(line);
  return new URL(room.requests[0]?.url ?? '').searchParams;
}

describe('requests and context', () => {
  describeGoldens({ prefix: 'aisec-model-security-models', keys, goldens });

  const list = { request: `GET ${DATA}/models?skip=0&limit=50` };
  const get = { request: `GET ${DATA}/models/${ID}` };
  describeTypeChanges([
    { line: LIST, script: [{ ...list, answer: { models: 'none' } }], path: '"models"' },
    { line: `${GET} uuid=${ID}`, script: [{ ...get, answer: { name: {} } }], path: 'AiSec.ModelSecurityModel.name' },
  ]);
  describeWrongRoots([
    { line: LIST, script: [list] },
    { line: `${GET} uuid=${ID}`, script: [get] },
  ]);

  requirement('model-catalog-read-only', 'no command of the catalogue changes anything', async () => {
    const names = Object.keys(registry).filter((name) => name.startsWith('aisec-model-security-models-'));
    const effects = await Promise.all(names.map(async (name) => (await registry[name]?.())?.effect));
    expect(effects).toEqual(Array(5).fill('read'));
    const room = warRoom();
    await room.run(LIST, { dryRun: true });
    expect(room.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });
});

describe('the catalogue', () => {
  requirement(
    ['model-catalog-scanned-versions', 'model-versions-of-model'],
    'lists models, and each has the versions that were scanned',
    async () => {
      const room = warRoom();
      expect(await namesOf(room)).toEqual([
        'acme/summarizer',
        'unknown-org/chat-pickle-unlicensed',
        'keras-classifier',
        'fraud-detector',
      ]);
      const { uuid, latest_version_uuid } = await modelOf(room, 'summarizer');
      const versions = await room.values(`${VERSIONS} model_uuid=${String(uuid)}`);
      expect(versions.map(({ revision }) => String(revision).slice(0, 4))).toEqual(['9a8b', '4f1d']);
      expect(versions[0]).toMatchObject({ uuid: latest_version_uuid, model_uuid: uuid });
    },
  );

  requirement(
    ['model-get-adds-fingerprint', 'model-scan-time-date'],
    'a single model has the fields of the list, its fingerprint and its hub commit, and its scan time is a Date',
    async () => {
      const room = warRoom();
      const listed = await modelOf(room, 'summarizer');
      const model = await room.value(`${GET} uuid=${String(listed['uuid'])}`);
      expect(model).toEqual({
        ...listed,
        latest_version_fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        latest_version_hub_commit_sha: listed['latest_version_revision'],
      });
      expect(model['latest_version_scan_time']).toBe('2026-11-15T08:00:04Z');
      expect(model['updated_at']).toBe('2026-11-15T08:00:04.684131Z');
    },
  );

  requirement(
    ['model-version-get-adds-commit', 'model-version-file-count', 'model-hub-neutral-names'],
    'a single version adds fingerprint, commit and times, under neutral names',
    async () => {
      const room = warRoom();
      const { uuid } = await modelOf(room, 'summarizer');
      const [listed] = await room.values(`${VERSIONS} model_uuid=${String(uuid)}`);
      const version = await room.value(`${VERSION} uuid=${String(listed?.['uuid'])}`);
      expect(version).toEqual({
        ...listed,
        fingerprint: expect.any(String),
        hub_commit_sha: listed?.['revision'],
        hub_commit_title: 'Revision 9a8b7c6',
        created_at: expect.any(String),
        updated_at: expect.any(String),
      });
      expect(version).toMatchObject({ hub_model_name: 'summarizer', hub_organization: 'acme', file_count: 4 });
      expectNone(
        Object.keys(version).filter((name) => name.startsWith('hf_')),
        "fields with the hub's own name",
      );
    },
  );

  requirement('model-files-of-version', 'lists the files of the version as of its latest scan', async () => {
    const room = warRoom();
    const { latest_version_uuid } = await modelOf(room, 'chat-pickle');
    const files = await room.values(`${FILES} model_version_uuid=${String(latest_version_uuid)}`);
    expect(files.map(({ path, result }) => [path, result])).toEqual([
      ['/weights', 'FAILED'],
      ['/README.md', 'SKIPPED'],
      ['/config.json', 'SUCCESS'],
      ['/weights/model-001.safetensors', 'SUCCESS'],
      ['/weights/model-002.safetensors', 'SUCCESS'],
      ['/weights/model.pkl', 'FAILED'],
    ]);
    const ids = new Set(files.map(({ model_version_uuid, scan_uuid }) => `${model_version_uuid} ${scan_uuid}`));
    expect([...ids]).toEqual([`${String(latest_version_uuid)} ${MODEL_SEED_IDS.scans.chat}`]);
  });

  requirement.each(['FILE', 'DIRECTORY', 'SYMLINK'].map((type) => ({ type })))(
    'model-file-type-open',
    'the file type $type is recorded as sent',
    async ({ type }) => {
      const room = answering(() => ({ answer: { files: [{ type }], pagination: {} } }));
      expect(await room.value(`${FILES} model_version_uuid=${ID}`)).toMatchObject([{ type }]);
    },
  );
});

describe('filters of the list', () => {
  requirement(
    'model-search-by-uuid-or-name',
    'a search finds a model by its UUID or by a part of its name',
    async () => {
      const room = warRoom();
      const { uuid } = await modelOf(room, 'summ');
      expect(await namesOf(room, `search_query=${String(uuid)}`)).toEqual(['acme/summarizer']);
      expect(await namesOf(room, 'search_query=ACME/')).toEqual(['acme/summarizer']);
      expectNone(await namesOf(room, 'search_query=nothing'), 'models for search_query=nothing');
    },
  );

  requirement.each([
    { args: 'latest_version_outcomes=BLOCKED', found: ['unknown-org/chat-pickle-unlicensed', 'keras-classifier'] },
    { args: 'latest_version_outcomes=FAILED', found: ['unknown-org/chat-pickle-unlicensed', 'keras-classifier'] },
    { args: 'latest_version_outcomes=PASSED', found: ['acme/summarizer', 'fraud-detector'] },
    { args: 'latest_version_formats=keras,gguf', found: ['keras-classifier'] },
    {
      args: 'latest_version_formats=`["keras", "pickle"]`',
      found: ['unknown-org/chat-pickle-unlicensed', 'keras-classifier'],
    },
    { args: 'latest_version_source_types=LOCAL,STORE_A', found: ['keras-classifier', 'fraud-detector'] },
    { args: 'latest_version_source_types=S3', found: ['keras-classifier'] },
  ])(['model-list-filters', 'model-source-tokens'], '$args returns $found', async ({ args, found }) => {
    expect(await namesOf(warRoom(), args)).toEqual(found);
  });

  requirement.each([
    { typed: 'PASSED', sent: ['ALLOWED'] },
    { typed: 'FAILED,ERROR', sent: ['BLOCKED', 'ERROR'] },
    { typed: 'ALLOWED,BLOCKED,PENDING', sent: ['ALLOWED', 'BLOCKED', 'PENDING'] },
    { typed: 'SOMETHING_NEW', sent: ['SOMETHING_NEW'] },
  ])('model-outcomes-open', 'outcomes typed as $typed are sent as $sent', async ({ typed, sent }) => {
    expect((await queryOf(`${LIST} latest_version_outcomes=${typed}`)).getAll('latest_version_outcomes')).toEqual(sent);
  });

  requirement.each(['PASSED', 'ALLOWED', 'ERROR', 'SOMETHING_NEW'].map((outcome) => ({ outcome })))(
    'model-outcomes-open',
    'the outcome $outcome of a model or a version is recorded as sent',
    async ({ outcome }) => {
      const wire = { latest_version_outcome: outcome, last_eval_outcome: outcome };
      const room = answering(() => ({ answer: { ...wire, models: [wire], model_versions: [wire], pagination: {} } }));
      expect(await room.value(LIST)).toMatchObject([{ latest_version_outcome: outcome }]);
      expect(await room.value(`${GET} uuid=${ID}`)).toMatchObject({ latest_version_outcome: outcome });
      expect(await room.value(`${VERSIONS} model_uuid=${ID}`)).toMatchObject([{ last_eval_outcome: outcome }]);
      expect(await room.value(`${VERSION} uuid=${ID}`)).toMatchObject({ last_eval_outcome: outcome });
    },
  );

  requirement.each(['created_at', 'updated_at'].flatMap((field) => ['asc', 'desc'].map((order) => ({ field, order }))))(
    'model-list-sorted',
    'models are sorted by $field $order',
    async ({ field, order }) => {
      const rows = await warRoom().values(`${LIST} sort_field=${field} sort_order=${order}`);
      const times = rows.map((row) => String(row[field]));
      expect(times).toEqual(order === 'asc' ? [...times].sort() : [...times].sort().reverse());
      expect(rows[0]?.['name']).toBe(
        order === 'asc' ? (field === 'created_at' ? 'acme/summarizer' : 'fraud-detector') : rows[0]?.['name'],
      );
    },
  );

  requirement.each([
    { order: 'asc', first: '4f1d' },
    { order: 'desc', first: '9a8b' },
  ])('model-versions-sorted', 'versions in the order $order begin with $first', async ({ order, first }) => {
    const room = warRoom();
    const { uuid } = await modelOf(room, 'summarizer');
    const [version] = await room.values(`${VERSIONS} model_uuid=${String(uuid)} sort_order=${order}`);
    expect(String(version?.['revision'])).toMatch(new RegExp(`^${first}`));
  });

  test.each([
    { line: `${LIST} sort_field=name`, argument: 'sort_field', choices: 'created_at, updated_at' },
    { line: `${LIST} sort_order=up`, argument: 'sort_order', choices: 'asc, desc' },
    { line: `${VERSIONS} model_uuid=${ID} sort_order=DOWN`, argument: 'sort_order', choices: 'asc, desc' },
  ])('$line is refused with the choices', async ({ line, argument, choices }) => {
    const room = answering(() => ({ answer: {} }));
    const error = await room.fail(line);
    expect(error).toMatchObject({ exitCode: 2, argument });
    expect(error.hint).toContain(`Choices: ${choices}.`);
    expectNone(room.requests, 'requests');
  });
});

describe('times', () => {
  requirement.each([
    { typed: '2026-11-01T10:00:00Z', sent: '2026-11-01T10:00:00Z' },
    { typed: '2026-11-01T10:00:00.123456Z', sent: '2026-11-01T10:00:00Z' },
    { typed: '2026-11-01T10:00:00+02:00', sent: '2026-11-01T08:00:00Z' },
    { typed: '"2026-11-01 10:00"', sent: '2026-11-01T10:00:00Z' },
    { typed: '2026-11-01', sent: '2026-11-01T00:00:00Z' },
    { typed: '"7 days"', sent: '2026-11-14T12:00:00Z' },
    { typed: '"7 days ago"', sent: '2026-11-14T12:00:00Z' },
    { typed: '7days', sent: '2026-11-14T12:00:00Z' },
    { typed: '"1 week"', sent: '2026-11-14T12:00:00Z' },
    { typed: '"36 hours"', sent: '2026-11-20T00:00:00Z' },
    { typed: '"90 minutes"', sent: '2026-11-21T10:30:00Z' },
    { typed: 'now', sent: '2026-11-21T12:00:00Z' },
  ])(['model-list-start-time', 'model-list-end-time'], '$typed is sent as $sent', async ({ typed, sent }) => {
    expect((await queryOf(`${LIST} start_time=${typed}`)).get('start_time')).toBe(sent);
    const end = (await queryOf(`${LIST} end_time=${typed}`)).get('end_time');
    expect(end).toBe(typed === '2026-11-01' ? '2026-11-01T23:59:59.999999Z' : sent);
  });

  requirement.each([
    {
      args: 'start_time=2026-10-06',
      found: ['unknown-org/chat-pickle-unlicensed', 'keras-classifier', 'fraud-detector'],
    },
    { args: 'start_time=2026-10-06T08:00:05Z', found: ['unknown-org/chat-pickle-unlicensed', 'keras-classifier'] },
    { args: 'start_time="20 days"', found: ['unknown-org/chat-pickle-unlicensed'] },
  ])('model-list-start-time', '$args keeps records created at that time or later', async ({ args, found }) => {
    expect(await namesOf(warRoom(), args)).toEqual(found);
  });

  requirement.each([
    { args: 'end_time=2026-10-06', found: ['acme/summarizer', 'fraud-detector'] },
    { args: 'end_time=2026-10-06T08:00:00Z', found: ['acme/summarizer'] },
    { args: 'start_time=2026-10-01 end_time=2026-10-31', found: ['keras-classifier', 'fraud-detector'] },
  ])('model-list-end-time', '$args keeps records created at that time or earlier', async ({ args, found }) => {
    expect(await namesOf(warRoom(), args)).toEqual(found);
  });

  test.each([
    'yesterday',
    '7 fortnights',
    '-7 days',
    '11/21/2026',
    '2026-02-31',
    '2026-02-31T10:00:00Z',
    '2026-11-21T25:00:00Z',
    '1795214469',
  ])('the time %s is refused before anything is sent', async (typed) => {
    for (const argument of ['start_time', 'end_time']) {
      const room = answering(() => ({ answer: {} }));
      const error = await room.fail(`${LIST} ${argument}="${typed}"`);
      expect(error).toMatchObject({ exitCode: 2, argument });
      expect(error.message).toContain(typed);
      expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
    }
  });

  test('a new model is listed as soon as its scan has ended', async () => {
    const room = warRoom();
    await scanned(room, `${HUB}/acme/brand-new`);
    expect(await namesOf(room, 'start_time="1 hour"')).toEqual(['acme/brand-new']);
  });
});
