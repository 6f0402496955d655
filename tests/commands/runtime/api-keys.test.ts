import { SEED_IDS } from '../../../fixtures/service/tenant.ts';
import { markdown } from '../../../lib/output/markdown.ts';
import { resolveSettings } from '../../../lib/settings/settings.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, ENVIRONMENT, MANAGEMENT, scripted, TENANT } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeDeleteBodies, describeTypeChanges, describeWrongRoots } from './answers.ts';
import { describeGoldens } from './golden.ts';
import { CREATE_ARGS, goldens, keys, OLD_ID, SECRET } from './goldens/api-keys.ts';
import { describePages } from './lists.ts';
import { replay } from './replay.ts';

const LIST = '!aisec-runtime-api-keys-list';
const CREATE = `!aisec-runtime-api-keys-create ${CREATE_ARGS}`;
const SCAN = '!aisec-runtime-scan profile_name=prod prompt=hello';
const ROTATION = 'rotation_time_interval=3 rotation_time_unit=months';

/** A key of the sandbox deployment profile of the simulated service. */
const NEW_KEY = [
  `!aisec-runtime-api-keys-create api_key_name=sandbox-key auth_code=D1000003 cust_app=sandbox-app ${ROTATION}`,
  'created_by=ana@example.com cust_env=staging cust_cloud_provider=cloud_b',
].join(' ');

const regenerateLine = (id: string) => `!aisec-runtime-api-keys-regenerate api_key_id=${id} ${ROTATION}`;
const deleteLine = (name: string) => `!aisec-runtime-api-keys-delete api_key_name=${name} updated_by=ana@example.com`;

const createBody = goldens.find(({ what }) => what === 'required arguments')?.script[0]?.body;
const createRequest = `POST ${MANAGEMENT}/apikey`;

/** Scans with another runtime key than the configured one. */
const scanWith = (room: WarRoom, key: unknown) => ({
  settings: { ...room.runtime.settings, runtime_api_key: String(key) },
});

describe('requests and context', () => {
  describeGoldens({ prefix: 'aisec-runtime-api-keys', keys, goldens });

  describePages({
    command: 'aisec-runtime-api-keys-list',
    path: 'apikeys',
    items: 'api_keys',
    wireId: 'api_key_id',
    id: 'id',
    standard: 50,
    standardClaim: 'limit-defaults-to-50',
  });

  const listRequest = `GET ${MANAGEMENT}/apikeys/tsg/${TENANT}?offset=0&limit=50`;
  describeTypeChanges([
    { line: LIST, script: [{ request: listRequest, answer: { api_keys: {} } }], path: '"api_keys"' },
    { line: LIST, script: [{ request: listRequest, answer: { api_keys: ['k'] } }], path: '"api_keys"' },
    {
      line: LIST,
      script: [{ request: listRequest, answer: { api_keys: [{ revoked: 'no' }] } }],
      path: 'AiSec.ApiKey.revoked',
    },
    {
      line: CREATE,
      script: [{ request: createRequest, body: createBody, answer: { api_key: [SECRET] } }],
      path: 'AiSec.ApiKeyCreate.api_key',
    },
    {
      line: CREATE,
      script: [{ request: createRequest, body: createBody, answer: { api_key: SECRET, expiration: {} } }],
      path: 'AiSec.ApiKeyCreate.expires_at',
    },
  ]);

  describeWrongRoots([
    { line: LIST, script: [{ request: listRequest }] },
    { line: CREATE, script: [{ request: createRequest, body: createBody }] },
  ]);

  describeDeleteBodies([
    {
      line: '!aisec-runtime-api-keys-delete api_key_name=k updated_by=ana@example.com',
      request: `DELETE ${MANAGEMENT}/apikey/delete/k?updated_by=ana%40example.com`,
      echo: { api_key_name: 'k', deleted_by: 'ana@example.com' },
    },
  ]);
});

describe('the tenant services group', () => {
  requirement.each([{ text: '0012003400' }, { text: '7' }, { text: '18446744073709551617' }])(
    'tenant-group-digits',
    '$text is kept as text, in addresses and in the scope of the token',
    async ({ text }) => {
      const room = answering(() => ({ answer: { api_keys: [] } }));
      const { settings } = resolveSettings({ environment: { ...ENVIRONMENT, AISEC_TSG_ID: text } });
      await room.run(LIST, { settings });
      expect(room.requests[0]?.url).toContain(`/apikeys/tsg/${text}?`);
      expect(new URLSearchParams(room.tokenRequests[0]?.body).get('scope')).toBe(`profile tsg_id:${text}`);
    },
  );

  requirement.each(['12a', '-1', '1.0', 'tsg 12', '../12'].map((text) => ({ text })))(
    'tenant-group-digits',
    'refuses a value with other characters than digits: $text',
    ({ text }) => {
      const resolve = () => resolveSettings({ environment: { ...ENVIRONMENT, AISEC_TSG_ID: text } });
      expect(resolve).toThrow(/Tenant Services Group ID.*must be digits only/);
    },
  );
});

describe('timestamps', () => {
  requirement.each([
    { sent: '2026-03-02T09:15:00Z', kept: '2026-03-02T09:15:00Z' },
    { sent: '2026-03-02T09:15:00.482917Z', kept: '2026-03-02T09:15:00Z' },
    { sent: '2026-03-02T10:15:00+01:00', kept: '2026-03-02T09:15:00Z' },
    { sent: '2026-03-01 23:15:00 -1000', kept: '2026-03-02T09:15:00Z' },
    { sent: '2026-03-02 09:15:00 +0000 UTC', kept: '2026-03-02T09:15:00Z' },
    { sent: 1772442900000, kept: '2026-03-02T09:15:00Z' },
    { sent: 'soon', kept: 'soon' },
    { sent: '', kept: '' },
  ])('date-shape', 'the date $sent is recorded as $kept', async ({ sent, kept }) => {
    const room = answering(() => ({ answer: { api_keys: [{ creation_ts: sent, expiration: sent }] } }));
    expect(await room.value(LIST)).toMatchObject([{ created_at: kept, expires_at: kept }]);
  });

  test.each([
    { what: 'creation_ts', wire: { creation_ts: '2026-03-02T09:15:00Z' } },
    { what: 'created_at, where there is no creation_ts', wire: { created_at: '2026-03-02T09:15:00Z' } },
    { what: 'creation_ts before created_at', wire: { created_at: null, creation_ts: '2026-03-02T09:15:00Z' } },
  ])('created_at comes from $what', async ({ wire }) => {
    const room = answering((request) => ({
      answer: request.method === 'GET' ? { api_keys: [wire] } : { ...wire, api_key: SECRET },
    }));
    expect(await room.value(LIST)).toMatchObject([{ created_at: '2026-03-02T09:15:00Z' }]);
    expect(await room.value(CREATE)).toMatchObject({ created_at: '2026-03-02T09:15:00Z' });
  });

  requirement.each([{ wire: {} }, { wire: { creation_ts: null } }, { wire: { created_at: null } }])(
    'api-key-created-at-null',
    'the creation time of a listed key is null when the service sends $wire',
    async ({ wire }) => {
      const room = answering(() => ({ answer: { api_keys: [{ api_key_id: OLD_ID, ...wire }] } }));
      expect(await room.value(LIST)).toMatchObject([{ id: OLD_ID, created_at: null }]);
    },
  );
});

describe('creating a key', () => {
  requirement('api-key-auth-code-of-deployment-profile', 'accepts the auth code of a deployment profile', async () => {
    const room = warRoom();
    await room.run('!aisec-runtime-deployment-profiles-list unactivated=true');
    const reference = '${AiSec.DeploymentProfile.[0].auth_code}';
    const created = await room.value(NEW_KEY.replace('D1000003', reference));
    expect(created).toMatchObject({ name: 'sandbox-key', auth_code: 'D1000003', cust_app: 'sandbox-app' });
    expectNone(
      await room.values('!aisec-runtime-deployment-profiles-list unactivated=true'),
      'unactivated deployment profiles',
    );
  });

  requirement('api-key-auth-code-of-deployment-profile', 'refuses an unknown auth code', async () => {
    const room = warRoom();
    const error = await room.fail(NEW_KEY.replace('D1000003', 'D9999999'));
    expect(error).toMatchObject({ status: 400, exitCode: 2 });
    expect(error.hint).toContain('auth_code');
    expect(await room.values(LIST)).toHaveLength(3);
  });

  requirement.each([
    { typed: 'cloud_a', sent: 'aws', recorded: 'cloud_a' },
    { typed: 'cloud_b', sent: 'azure', recorded: 'cloud_b' },
    { typed: 'cloud_c', sent: 'gcp', recorded: 'cloud_c' },
    { typed: 'other', sent: 'other', recorded: 'other' },
    { typed: 'aws', sent: 'aws', recorded: 'cloud_a' },
    { typed: 'on-premises', sent: 'on-premises', recorded: 'on-premises' },
  ])('neutral-cloud-tokens', 'the cloud $typed travels as $sent, and the application has $recorded', async (row) => {
    const { typed, sent, recorded } = row;
    const room = warRoom();
    await room.run(NEW_KEY.replace('cloud_b', typed));
    expect(JSON.parse(room.requests.at(-1)?.body ?? '')).toMatchObject({ cust_cloud_provider: sent });
    const app = await room.value('!aisec-runtime-customer-apps-get app_name=sandbox-app');
    expect(app).toMatchObject({ cloud_provider: recorded });
  });

  const withoutPlace = [
    { claim: 'api-key-create-without-environment', name: 'cust_env', typed: 'cust_env=staging' },
    {
      claim: 'api-key-create-without-cloud-provider',
      name: 'cust_cloud_provider',
      typed: 'cust_cloud_provider=cloud_b',
    },
  ];
  for (const { claim, name, typed } of withoutPlace) {
    requirement(claim, `refuses a line without ${name} before a request`, async () => {
      const room = warRoom();
      const error = await room.fail(NEW_KEY.replace(typed, ''));
      expect(error).toMatchObject({ exitCode: 2, argument: name });
      expect(error.message).toContain(`${name} is missing`);
      expectNone(room.requests, 'requests');
    });

    requirement(claim, `the service refuses a request without ${name}, with its own message`, async () => {
      const room = warRoom();
      await room.run(NEW_KEY);
      const refused = await replay(room, ({ [name]: left, ...body }) => ({ ...body, api_key_name: 'second' }));
      expect(refused).toMatchObject({
        status: 400,
        answer: { error_message: 'Error inserting/updating customer app record' },
      });
    });

    requirement(claim, `shows the message of the service, with a hint that names ${name}`, async () => {
      const answer = { error_message: 'Error inserting/updating customer app record' };
      await scripted([{ request: createRequest, body: createBody, status: 400, answer }], async (room) => {
        const error = await room.fail(CREATE);
        expect(error.message).toContain('Error inserting/updating customer app record');
        expect(error.hint).toContain(name);
      });
    });
  }

  test('a duplicate name is a conflict', async () => {
    const error = await warRoom().fail(NEW_KEY.replace('sandbox-key', 'support-chat-key'));
    expect(error).toMatchObject({ code: 'conflict', exitCode: 5, status: 409 });
  });
});

describe('rotation', () => {
  const lines = [
    { what: 'create', line: CREATE.replace('rotation_time_interval=12 rotation_time_unit=months', 'ROTATION') },
    { what: 'regenerate', line: `!aisec-runtime-api-keys-regenerate api_key_id=${OLD_ID} ROTATION` },
  ];
  const cases = <Row extends object>(rows: readonly Row[]) =>
    lines.flatMap((line) => rows.map((row) => ({ ...line, ...row })));

  requirement.each(cases([{ unit: 'hours' }, { unit: 'days' }, { unit: 'months' }]))(
    ['api-key-rotation-units', 'api-key-rotation-interval-number'],
    '$what: 3 $unit are sent as a number and its unit',
    async ({ line, unit }) => {
      const room = answering(() => ({ answer: { api_key: SECRET } }));
      await room.run(line.replace('ROTATION', `rotation_time_interval=3 rotation_time_unit=${unit}`));
      const sent = JSON.parse(room.requests[0]?.body ?? '');
      expect(sent).toMatchObject({ rotation_time_interval: 3, rotation_time_unit: unit });
    },
  );

  requirement.each(
    cases([
      { unit: 'month', meant: 'months' },
      { unit: 'Hour', meant: 'hours' },
      { unit: 'dayz', meant: 'days' },
    ]),
  )('api-key-rotation-units', '$what: the unit $unit is refused, and $meant is suggested', async (row) => {
    const room = answering(() => ({ answer: { api_key: SECRET } }));
    const error = await room.fail(
      row.line.replace('ROTATION', `rotation_time_interval=3 rotation_time_unit=${row.unit}`),
    );
    expect(error).toMatchObject({ exitCode: 2, argument: 'rotation_time_unit' });
    expect(error.message).toBe(`rotation_time_unit does not take "${row.unit}".`);
    expect(error.hint).toBe(`Did you mean "${row.meant}"? Choices: hours, days, months.`);
    expectNone(room.requests, 'requests');
  });

  requirement.each(cases(['0', '-3', '1.5', '1e2', 'three', '0x10', '9007199254740993'].map((text) => ({ text }))))(
    'api-key-rotation-interval-number',
    '$what: the interval $text is refused',
    async ({ line, text }) => {
      const room = answering(() => ({ answer: { api_key: SECRET } }));
      const error = await room.fail(line.replace('ROTATION', `rotation_time_interval=${text} rotation_time_unit=days`));
      expect(error).toMatchObject({ exitCode: 2, argument: 'rotation_time_interval' });
      expectNone(room.requests, 'requests');
    },
  );
});

describe('the secret of a key', () => {
  const commands = [
    { what: 'create', line: CREATE },
    { what: 'regenerate', line: regenerateLine(OLD_ID) },
  ];
  const wire = { api_key_id: 'k-1', api_key: SECRET, api_key_last8: SECRET.slice(-8), auth_code: 'D1000001' };

  test.each(commands)('$what: the secret appears only in its field', async ({ line }) => {
    const room = answering(() => ({ answer: { ...wire, nested: { api_key: SECRET } } }));
    const result = await room.run(`${line} extend-context=Whole=.::Key=api_key`);
    const [own, ...extended] = result.writes;
    expect(own?.value).toMatchObject({ api_key: SECRET });
    expect(JSON.stringify(own).split(SECRET)).toHaveLength(2);
    expect(extended).toHaveLength(2);
    expect(JSON.stringify({ ...result, writes: extended })).not.toContain(SECRET);
    expect(markdown(result.readable)).not.toContain(SECRET);
    expect(result.readable.notes.join(' ')).toMatch(/api_key is shown this one time only.*AiSec\.ApiKey\w+\.api_key/);
  });

  test.each(commands)('$what: the auth code is masked in the table and the raw response', async ({ line }) => {
    const room = answering(() => ({ answer: wire }));
    const { writes, readable, raw } = await room.run(line);
    expect(writes[0]?.value).toMatchObject({ auth_code: 'D1000001' });
    expect(JSON.stringify([readable, raw])).not.toContain('D1000001');
  });

  test('the auth code of a listed key is in no field, no table and no raw response', async () => {
    expect(JSON.stringify(await warRoom().run(LIST))).not.toMatch(/D100000\d/);
  });

  test.each([
    { what: 'an answer of another type', answer: { answer: { ...wire, revoked: 'perhaps' } } },
    { what: 'an error that repeats the key', answer: { status: 500, answer: { api_key: SECRET, message: 'failed' } } },
    { what: 'a page around the key', answer: { text: `<html>${SECRET}</html>` } },
  ])('no error shows the secret: $what', async ({ answer }) => {
    const room = answering(() => answer);
    const error = await room.fail(CREATE);
    expect(JSON.stringify([error.message, error.hint, error.rows])).not.toContain(SECRET);
  });

  test('no error of a refused line repeats a secret argument', async () => {
    const room = answering(() => ({ answer: wire }));
    const error = await room.fail(CREATE.replace('D1000001', '@env:NOT_SET').replace('=12', '=twelve'));
    expect(error.message).toMatch(/@env: is not available here.*whole number/);
    const second = await room.fail(`${CREATE} auth_code=D1000001-again`);
    expect(`${second.message} ${second.hint}`).not.toContain('D1000001');
  });

  test('a secret argument may come from the environment, and a dry run does not show it', async () => {
    const room = answering(() => ({ answer: wire }));
    const line = CREATE.replace('D1000001', '@env:AUTH_CODE');
    const secretSource = (kind: 'env' | 'file', name: string) => (kind === 'env' ? `code of ${name}` : undefined);
    await room.run(line, { secretSource });
    expect(JSON.parse(room.requests[0]?.body ?? '')).toMatchObject({ auth_code: 'code of AUTH_CODE' });
    const plan = await room.run(line, { secretSource, dryRun: true });
    expect(JSON.stringify(plan)).not.toContain('code of AUTH_CODE');
    expect(room.requests).toHaveLength(1);
  });

  requirement('api-key-secret-at-creation-only', 'the secret is returned on create, and in no list', async () => {
    const room = warRoom();
    const { api_key } = await room.value(NEW_KEY);
    expect(api_key).toMatch(/^sim-runtime-key-\w{24}$/);
    const listed = await room.run(LIST);
    expect(JSON.stringify(listed)).toContain('sandbox-key');
    expect(JSON.stringify(listed)).not.toContain(String(api_key));
    expect(room.responses.at(-1)?.body).not.toContain(String(api_key));
  });

  requirement('api-key-regenerate-secret-once', 'the secret is returned on regenerate', async () => {
    const room = warRoom();
    const { api_key } = await room.value(regenerateLine(SEED_IDS.apiKeys.claimsAssistant));
    expect(api_key).toMatch(/^sim-runtime-key-\w{24}$/);
    expect(await room.run(SCAN, scanWith(room, api_key))).toMatchObject({ planned: false });
    const listed = await room.run(LIST);
    expect(JSON.stringify(listed)).not.toContain(String(api_key));
  });

  requirement('api-key-last8', 'the secret ends in last8: on create, on regenerate and in the list', async () => {
    const room = warRoom();
    const created = await room.value(NEW_KEY);
    const again = await room.value(regenerateLine(String(created.id)));
    for (const { api_key, last8 } of [created, again]) {
      expect(last8).toHaveLength(8);
      expect(String(api_key).endsWith(String(last8))).toBe(true);
    }
    expect(again.last8).not.toBe(created.last8);
    expect(await room.values(LIST)).toContainEqual(expect.objectContaining({ id: again.id, last8: again.last8 }));
  });
});

describe('regenerating and deleting', () => {
  requirement('api-key-regenerate-new-id', 'a regenerated key has a new UUID and its old name', async () => {
    const room = warRoom();
    const { id, name } = await room.value(regenerateLine(SEED_IDS.apiKeys.claimsAssistant));
    expect({ id, name }).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: 'claims-assistant-key' });
    expect(id).not.toBe(SEED_IDS.apiKeys.claimsAssistant);
    const ids = (await room.values(LIST)).map((key) => key.id);
    expect(ids).toContain(id);
    expect(ids).not.toContain(SEED_IDS.apiKeys.claimsAssistant);
  });

  requirement('api-key-regenerate-ends-old-key', 'the old key stops working, and the new key works', async () => {
    const room = warRoom();
    await room.run(SCAN);
    const { api_key } = await room.value(regenerateLine(SEED_IDS.apiKeys.supportChat));
    expect(await room.fail(SCAN)).toMatchObject({ exitCode: 4, status: 403 });
    const { writes } = await room.run(SCAN, scanWith(room, api_key));
    expect(writes[0]?.value).toMatchObject({ action: 'allow' });
  });

  requirement('api-key-regenerate-unknown', 'a key that does not exist cannot be regenerated', async () => {
    const room = warRoom();
    const error = await room.fail(regenerateLine('11111111-2222-4333-8444-555555555555'));
    expect(error).toMatchObject({ code: 'not-found', exitCode: 5, status: 404 });
    expect(room.context).toEqual({});
  });

  requirement('api-key-delete-revokes-at-once', 'a deleted key stops working at once', async () => {
    const room = warRoom();
    await room.run(SCAN);
    expect(await room.value(deleteLine('support-chat-key'))).toEqual({
      api_key_name: 'support-chat-key',
      deleted_by: 'ana@example.com',
      message: 'successfully deleted apiKeyName: support-chat-key',
      deleted: true,
    });
    expect(await room.fail(SCAN)).toMatchObject({ exitCode: 4, status: 403 });
    expect((await room.values(LIST)).map(({ name }) => name)).not.toContain('support-chat-key');
  });

  requirement('api-key-delete-unknown', 'a key that does not exist cannot be deleted', async () => {
    const room = warRoom();
    expect(await room.fail(deleteLine('nobody'))).toMatchObject({ code: 'not-found', exitCode: 5, status: 404 });
    expect(room.context).toEqual({});
    expect(await room.values(LIST)).toHaveLength(3);
  });

  test.each(['ana', 'ana@', '@example.com', 'ana bell@example.com'])(
    'refuses updated_by=%s, which is not an e-mail address',
    async (who) => {
      const room = warRoom();
      const error = await room.fail(`!aisec-runtime-api-keys-delete api_key_name=k updated_by="${who}"`);
      expect(error).toMatchObject({ exitCode: 2, argument: 'updated_by' });
      expect(error.message).toBe(`updated_by must be an email address, not "${who}".`);
      expectNone(room.requests, 'requests');
    },
  );
});

describe('paths', () => {
  scenario.each(
    ['delete', 'tsg', '..', '.', '%2e%2e', `${OLD_ID}/..`, `${OLD_ID}?x=1`, `${OLD_ID}#`, `x${OLD_ID}`].map((id) => ({
      id,
    })),
  )('path-words', 'refuses api_key_id=$id, which is not a UUID, and sends nothing', async ({ id }) => {
    const room = answering(() => ({ answer: {} }));
    const error = await room.fail(regenerateLine(id));
    expect(error).toMatchObject({ exitCode: 2, argument: 'api_key_id' });
    expect(error.message).toBe(`api_key_id must be a UUID, not "${id}".`);
    expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
  });

  scenario.each([
    { name: 'a/b', segment: 'a%2Fb' },
    { name: 'a b', segment: 'a%20b' },
    { name: 'regenerate', segment: 'regenerate' },
    { name: '100%?#&=', segment: '100%25%3F%23%26%3D' },
    { name: "it's(1)*!", segment: 'it%27s%281%29%2A%21' },
    { name: 'Schl\u00fcssel \u{1f511}', segment: 'Schl%C3%BCssel%20%F0%9F%94%91' },
  ])('path-words', 'the key name $name is sent as the single segment $segment', async ({ name, segment }) => {
    const request = `DELETE ${MANAGEMENT}/apikey/delete/${segment}?updated_by=ana%40example.com`;
    await scripted([{ request, status: 204 }], async (room) => {
      const value = await room.value(
        `!aisec-runtime-api-keys-delete api_key_name="${name}" updated_by=ana@example.com`,
      );
      expect(value).toMatchObject({ api_key_name: name });
    });
  });

  scenario.each(['..', '.', '%2e%2e', '%252e.'].map((name) => ({ name })))(
    'path-words',
    'refuses the key name $name, which would leave its path segment',
    async ({ name }) => {
      const room = answering(() => ({ answer: {} }));
      expect(await room.fail(deleteLine(name))).toMatchObject({ exitCode: 2 });
      expectNone(room.requests, 'requests');
    },
  );
});
