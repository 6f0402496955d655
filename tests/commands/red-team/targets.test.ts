import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, answeringWith, scripted } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { answerOf, exchangeOf, goldenFor, idOf, PLANES } from '../goldens.ts';

const MGMT = PLANES['redteam/mgmt'];
const ID = idOf('target');
const detail = answerOf('redteam-targets-get');

const { supportChatbot, legacyKiosk } = RED_TEAM_IDS.targets;

const LIST = '!aisec-redteam-targets-list';
const GET = '!aisec-redteam-targets-get';
const CREATE = '!aisec-redteam-targets-create';
const UPDATE = '!aisec-redteam-targets-update';
const PROBE = '!aisec-redteam-targets-probe';
const UPDATE_PROFILE = '!aisec-redteam-targets-update-profile';
const VALIDATE_AUTH = '!aisec-redteam-targets-validate-auth';
const ERROR_LOGS = '!aisec-redteam-targets-error-logs';

const REST = 'connection_params=`{"api_endpoint": "https://new.example.com/ask", "request_json": {"q": "{INPUT}"}}`';
const DEAD = REST.replace('new.example.com', 'new.example.invalid');

/** Returns the body of the last request. */
const bodyOf = ({ requests }: ReturnType<typeof answeringWith>) => JSON.parse(requests.at(-1)?.body ?? '{}');

describe('creating and updating a target', () => {
  requirement(
    'target-create-validated-first',
    'validate=true makes a reachable target active, and creates no unreachable target',
    async () => {
      const room = warRoom();
      expect(await room.value(`${CREATE} name=good connection_type=REST ${REST} validate=true`)).toMatchObject({
        validated: true,
      });
      const error = await room.fail(`${CREATE} name=bad connection_type=REST ${DEAD} validate=true`);
      expect(error).toMatchObject({ exitCode: 2, status: 400 });
      expect(error.hint).toContain('!aisec-redteam-targets-error-logs');
      const names = (await room.values(LIST)).map(({ name }) => name);
      expect(names).toContain('good');
      expect(names).not.toContain('bad');
    },
  );

  requirement.each([CREATE, `${UPDATE} uuid=${ID}`, PROBE].map((command) => ({ command })))(
    'target-create-connection-json',
    '$command accepts the connection as JSON text, and reports the position of a syntax error',
    async ({ command }) => {
      const room = answeringWith({ uuid: ID, name: 'n' });
      await room.run(`${command} name=n ${REST}`);
      expect(bodyOf(room).connection_params).toEqual({
        api_endpoint: 'https://new.example.com/ask',
        request_json: { q: '{INPUT}' },
      });
      const sent = room.requests.length;
      for (const wrong of ['{"a": }', '[1]', '"text"', '{"__proto__": {}}']) {
        const error = await room.fail(`${command} name=n connection_params=\`${wrong}\``);
        expect(error).toMatchObject({ exitCode: 2, argument: 'connection_params' });
      }
      expect(room.requests).toHaveLength(sent);
    },
  );

  requirement('target-update-by-uuid', 'a uuid without other arguments is accepted, and changes nothing', async () => {
    const script = [
      { request: `GET ${MGMT}/target/${ID}`, answer: detail },
      {
        request: `PUT ${MGMT}/target/${ID}`,
        body: { ...exchangeOf(goldenFor('redteam-targets-update'), 1).body, description: 'Answers.' },
        answer: detail,
      },
    ];
    await scripted(script, async (room) => {
      const { readable } = await room.run(`${UPDATE} uuid=${ID}`);
      expect(readable.notes).toEqual([expect.stringContaining('sent masked, which keeps them')]);
    });
    expect(await answeringWith().fail(`${UPDATE} name=n`)).toMatchObject({ exitCode: 2, argument: 'uuid' });
  });

  test('a target that cannot be read is not replaced', async () => {
    await scripted([{ request: `GET ${MGMT}/target/${ID}`, answer: {} }], async (room) => {
      expect(await room.fail(`${UPDATE} uuid=${ID} name=n`)).toMatchObject({ exitCode: 8, code: 'response' });
    });
  });

  test.each([`${CREATE} name=n validate=true`, `${UPDATE} uuid=${ID} validate=true`, `${PROBE} name=n`])(
    '%s waits longer than the 110 seconds that the service may wait for the target',
    async (line) => {
      const room = answeringWith({ uuid: ID, name: 'n' });
      await room.run(line);
      expect(room.requests.at(-1)?.timeoutMs).toBeGreaterThan(120_000);
    },
  );
});

describe('probing and profiling', () => {
  requirement('target-probe-existing', 'uuid selects the target to probe', async () => {
    const room = warRoom();
    expect(await room.fail(`${PROBE} name=kiosk`)).toMatchObject({ status: 400 });
    const found = await room.value(`${PROBE} name=chat uuid=${supportChatbot}`);
    expect(found).toMatchObject({ uuid: supportChatbot, validated: true, multi_turn_supported: true });
    expect(await room.value(`${GET} uuid=${supportChatbot}`)).toMatchObject({ name: 'support-chatbot' });
    expect(await room.fail(`${PROBE} name=x uuid=${ID}`)).toMatchObject({ code: 'not-found' });
  });

  requirement(
    ['target-failures-logged', 'red-team-error-log-entry'],
    'the log of an unreachable target has entries with type, source, message and a snapshot of the target',
    async () => {
      const room = warRoom();
      const before = await room.values(`${ERROR_LOGS} target_id=${legacyKiosk}`);
      await room.fail(`${PROBE} name=kiosk uuid=${legacyKiosk}`);
      await room.fail(`${UPDATE} uuid=${legacyKiosk} validate=true`);
      const after = await room.values(`${ERROR_LOGS} target_id=${legacyKiosk}`);
      expect(after).toHaveLength(before.length + 2);
      expect(after[0]).toMatchObject({
        target_id: legacyKiosk,
        target_version: 1,
        error_type: 'NETWORK',
        error_source: 'TARGET',
        error_message: expect.stringContaining('no such host'),
        target_object: { name: 'legacy-kiosk' },
      });
    },
  );
});

describe('metadata and templates', () => {
  const room = () => warRoom();

  const bare = ['id', 'name', 'is_custom'];
  const plain = [...bare, 'url', 'request_json', 'response_json'];
  const files = [...plain, 'file_request_json'];
  const streaming = [...files, 'streaming_request_json', 'streaming_response_json'];
  const shapes = { VENDOR_A: files, VENDOR_B: plain, VENDOR_C: plain, VENDOR_D: files, VENDOR_E: bare };
  const others = { REST: files, STREAMING: files, WEBSOCKET: streaming, CUSTOM_TARGET_ADAPTER: bare };

  requirement(
    [
      'red-team-neutral-provider-keys',
      'target-templates-by-provider',
      'target-templates-with-files',
      'target-templates-without-files',
      'target-templates-websocket',
      'target-templates-bare',
    ],
    'each provider has a neutral name, and the fields of its connection',
    async () => {
      const templates = await room().value('!aisec-redteam-targets-templates');
      const names = Object.entries(templates).map(([key, fields]) => [key, Object.keys(Object(fields)).sort()]);
      const wanted = Object.entries({ ...shapes, ...others }).map(([key, fields]) => [key, [...fields].sort()]);
      expect(names).toEqual(wanted);
    },
  );
});

describe('checking authentication', () => {
  const SECRET = 'canary-4711-credential';
  const OAUTH = `auth_type=OAUTH2 auth_config=\`{"oauth2_token_url": "https://login.example.com/t", "oauth2_inject_header": {"Authorization": "Bearer {TOKEN}"}, "oauth2_body_params": {"k": "${SECRET}"}}\``;

  requirement(
    'target-auth-config-json',
    'settings are a JSON object, optionally from an environment variable',
    async () => {
      const answering = answeringWith({ validated: true });
      for (const wrong of ['{}', '[]', 'text', '{"a": 1']) {
        const error = await answering.fail(`${VALIDATE_AUTH} auth_type=HEADERS auth_config=\`${wrong}\``);
        expect(error).toMatchObject({ exitCode: 2, argument: 'auth_config' });
      }
      expectNone(answering.requests, 'requests');
      const secretSource = (kind: string, name: string) =>
        kind === 'env' && name === 'AUTH' ? '{"a": "b"}' : undefined;
      await answering.run(`${VALIDATE_AUTH} auth_type=HEADERS auth_config=@env:AUTH`, { secretSource });
      expect(bodyOf(answering).auth_config).toEqual({ a: 'b' });
    },
  );

  requirement('target-auth-proxied-with-target', "masked settings keep the target's stored values", async () => {
    const room = warRoom();
    const config = 'auth_config=`{"auth_header": {"X-Chat-Key": "**********"}}`';
    expect(await room.fail(`${VALIDATE_AUTH} auth_type=HEADERS ${config}`)).toMatchObject({ status: 400 });
    const line = `${VALIDATE_AUTH} auth_type=HEADERS ${config} target_id=${supportChatbot}`;
    expect(await room.value(line)).toMatchObject({ validated: true });
    const { dataCentre, branchOffice } = RED_TEAM_IDS.channels;
    expect(await room.value(`${line} network_broker_channel_uuid=${dataCentre}`)).toMatchObject({ validated: true });
    expect(await room.fail(`${line} network_broker_channel_uuid=${branchOffice}`)).toMatchObject({ status: 400 });
  });

  requirement.each([
    { sent: 'eyJhbGciOiJSUzI1NiIs', shown: 'eyJh***' },
    { sent: 'tok', shown: 'tok***' },
    { sent: 'eyJhb***', shown: 'eyJhb***' },
    { sent: 'eyJhb...', shown: 'eyJhb...' },
  ])(
    'target-auth-token-masked',
    'masks the token $sent as $shown in the context, and hides it in the raw response',
    async (row) => {
      const room = answeringWith({ validated: true, token_preview: row.sent, expires_in: '3600' });
      const { writes, raw } = await room.run(`${VALIDATE_AUTH} ${OAUTH}`);
      expect(writes[0]?.value).toEqual({ validated: true, token_preview: row.shown, expires_in: 3600 });
      expect(raw).toMatchObject({ token_preview: '(hidden)' });
    },
  );

  const headers = `\`{"auth_header": {"X": "${SECRET}"}}\``;
  const lines = [
    `${CREATE} name=n connection_params=${headers}`,
    `${UPDATE} uuid=${ID} connection_params=${headers}`,
    `${PROBE} name=n uuid=${ID} connection_params=${headers}`,
    `${VALIDATE_AUTH} auth_type=HEADERS auth_config=${headers}`,
  ];

  scenario.each(lines.map((line) => ({ line })))(
    'no-secret-anywhere',
    '$line shows its secret neither in an error that repeats it nor in a dry run',
    async ({ line }) => {
      const refuse = { status: 400, answer: { error: { message: `no: ${SECRET}` } } };
      const room = answering(({ method }) => (method === 'GET' ? { answer: { uuid: ID, name: 'n' } } : refuse));
      const error = await room.fail(line);
      expect(error.message).toContain('no: ***');
      expect(JSON.stringify([error.message, error.hint, error.rows])).not.toContain(SECRET);
      if (line.startsWith(VALIDATE_AUTH)) return;
      expect(JSON.stringify(await room.run(line, { dryRun: true }))).not.toContain(SECRET);
    },
  );

  scenario.each(
    [`${UPDATE} uuid=${ID} name=n`, `${UPDATE_PROFILE} target_uuid=${ID} additional_context={}`].map((line) => ({
      line,
    })),
  )(
    'no-secret-anywhere',
    '$line shows no part of the connection, because its response contains secrets',
    async ({ line }) => {
      const room = answeringWith({
        uuid: ID,
        auth_config: { auth_header: { X: SECRET } },
        connection_params: { request_headers: { X: SECRET } },
        adapter_variable_overrides: [{ key: 'K', type: 'SECRET', value: SECRET }],
      });
      expect(JSON.stringify(await room.run(line))).not.toContain(SECRET);
    },
  );

  test('the hint names both a missing agreement and a missing role, because the service answers both alike', async () => {
    const room = answering(() => ({ status: 403, answer: { error: { message: 'no' } } }));
    const error = await room.fail(`${CREATE} name=n`);
    expect(error).toMatchObject({ exitCode: 4, status: 403 });
    expect(error.hint).toMatch(/!aisec-redteam-eula-status.*role/);
  });
});
