import { SEED_IDS } from '../../../fixtures/service/tenant.ts';
import { markdown } from '../../../lib/runtime/output/markdown.ts';
import { resolveSettings } from '../../../lib/runtime/settings/settings.ts';
import { requirement } from '../../contract/claims.ts';
import { answering, ENVIRONMENT, MANAGEMENT, scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { exchangeOf, goldenFor, idOf } from '../goldens.ts';
import { replay } from './replay.ts';

describe('API keys', () => {
  const CREATE_ARGS = goldenFor('runtime-api-keys-create').args;
  const OLD_ID = idOf('key');
  const SECRET = 'canary-secret-Qm7Zt4Xv9Lr2Kw5H';

  const LIST = '!aisec-runtime-api-keys-list';
  const CREATE = `!aisec-runtime-api-keys-create ${CREATE_ARGS}`;
  const SCAN = '!aisec-runtime-scan profile_name=prod prompt=hello';
  const ROTATION = 'rotation_time_interval=3 rotation_time_unit=months';

  /** A key of the simulated service's sandbox deployment profile. */
  const NEW_KEY = [
    `!aisec-runtime-api-keys-create api_key_name=sandbox-key auth_code=D1000003 cust_app=sandbox-app ${ROTATION}`,
    'created_by=ana@example.com cust_env=staging cust_cloud_provider=cloud_b',
  ].join(' ');

  const regenerateLine = (id: string) => `!aisec-runtime-api-keys-regenerate api_key_id=${id} ${ROTATION}`;

  const { body: createBody } = exchangeOf(goldenFor('runtime-api-keys-create'));
  const createRequest = `POST ${MANAGEMENT}/apikey`;

  /** Scans with a runtime key other than the configured one. */
  const scanWith = (room: WarRoom, key: unknown) => ({
    settings: { ...room.runtime.settings, runtime_api_key: String(key) },
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

    requirement.each(['12a', '../12'].map((text) => ({ text })))(
      'tenant-group-digits',
      'refuses a value with characters other than digits: $text',
      ({ text }) => {
        const resolve = () => resolveSettings({ environment: { ...ENVIRONMENT, AISEC_TSG_ID: text } });
        expect(resolve).toThrow(/Tenant Services Group ID.*must be digits only/);
      },
    );
  });

  describe('timestamps', () => {
    requirement.each([
      { sent: '2026-03-02T09:15:00.482917Z', kept: '2026-03-02T09:15:00Z' },
      { sent: '2026-03-02 09:15:00 +0000 UTC', kept: '2026-03-02T09:15:00Z' },
      { sent: 1772442900000, kept: '2026-03-02T09:15:00Z' },
      { sent: 'soon', kept: 'soon' },
    ])('date-shape', 'the date $sent is recorded as $kept', async ({ sent, kept }) => {
      const room = answering(() => ({ answer: { api_keys: [{ creation_ts: sent, expiration: sent }] } }));
      expect(await room.value(LIST)).toMatchObject([{ created_at: kept, expires_at: kept }]);
    });

    test.each([
      { what: 'creation_ts', wire: { creation_ts: '2026-03-02T09:15:00Z' } },
      { what: 'created_at if there is no creation_ts', wire: { created_at: '2026-03-02T09:15:00Z' } },
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
    for (const { claim, name } of [
      { claim: 'api-key-create-without-environment', name: 'cust_env' },
      { claim: 'api-key-create-without-cloud-provider', name: 'cust_cloud_provider' },
    ]) {
      requirement(claim, `the service refuses a request without ${name}, with its own message`, async () => {
        const room = warRoom();
        await room.run(NEW_KEY);
        const refused = await replay(room, ({ [name]: left, ...body }) => ({ ...body, api_key_name: 'second' }));
        expect(refused).toMatchObject({
          status: 400,
          answer: { error_message: 'Error inserting/updating customer app record' },
        });
      });

      requirement(claim, `shows the service's message, with a hint that names ${name}`, async () => {
        const answer = { error_message: 'Error inserting/updating customer app record' };
        await scripted([{ request: createRequest, body: createBody, status: 400, answer }], async (room) => {
          const error = await room.fail(CREATE);
          expect(error.message).toContain('Error inserting/updating customer app record');
          expect(error.hint).toContain(name);
        });
      });
    }
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
      {
        what: 'an error that repeats the key',
        answer: { status: 500, answer: { api_key: SECRET, message: 'failed' } },
      },
      { what: 'an HTML page that contains the key', answer: { text: `<html>${SECRET}</html>` } },
    ])('no error shows the secret: $what', async ({ answer }) => {
      const room = answering(() => answer);
      const error = await room.fail(CREATE);
      expect(JSON.stringify([error.message, error.hint, error.rows])).not.toContain(SECRET);
    });

    test('the error for a refused line repeats no secret argument', async () => {
      const room = answering(() => ({ answer: wire }));
      const error = await room.fail(CREATE.replace('D1000001', '@env:NOT_SET').replace('=12', '=twelve'));
      expect(error.message).toMatch(/@env: is not available here.*whole number/);
      const second = await room.fail(`${CREATE} auth_code=D1000001-again`);
      expect(`${second.message} ${second.hint}`).not.toContain('D1000001');
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
  });
});

describe('deployment profiles', () => {
  const LIST = '!aisec-runtime-deployment-profiles-list';

  describe('fields', () => {
    requirement('deployment-profile-expiration-text', 'the expiration date is kept as sent', async () => {
      const dates = (await warRoom().values(LIST)).map(({ expiration_date }) => expiration_date);
      expect(dates).toEqual([
        '2027-09-29 23:59:59 +0000 UTC',
        '2027-03-31 23:59:59 +0000 UTC',
        '2027-12-31 23:59:59 +0000 UTC',
      ]);
    });

    requirement(
      'deployment-profile-text-records-null',
      'text records are null if the service sends no count',
      async () => {
        const counts = (await warRoom().values(LIST)).map(({ ave_text_records }) => ave_text_records);
        expect(counts).toEqual([1_200_000, null, 50_000]);
      },
    );

    test('the auth code appears only in the context, not in the table or the raw response', async () => {
      const { writes, readable, raw } = await warRoom().run(LIST);
      expect(writes[0]?.value).toMatchObject([{ auth_code: 'D1000001' }, {}, {}]);
      expect(JSON.stringify([readable, raw])).not.toMatch(/D100000\d/);
      expect(readable.notes.join()).toContain('AiSec.DeploymentProfile.auth_code');
    });
  });
});
