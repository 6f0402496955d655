import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { objectsOf } from '../../../lib/core/json.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { answerOf, exchangeOf, goldenFor, idOf, PLANES } from '../goldens.ts';

const MGMT = PLANES['redteam/mgmt'];
const BROKER = PLANES['redteam/broker'];
const CHANNEL = idOf('channel');
const ENCODED = 'cHJpbnQoImdyw7zDnyIp';
const ID = idOf('adapter');
const { body: kept } = exchangeOf(goldenFor('redteam-adapters-update'), 2);
const online = { answer: exchangeOf(goldenFor('redteam-adapters-update'), 1).answer };
const read = { request: `GET ${MGMT}/adapters/${ID}`, answer: answerOf('redteam-adapters-get') };

const { hrPortal } = RED_TEAM_IDS.adapters;
const { dataCentre, branchOffice, laboratory } = RED_TEAM_IDS.channels;

const LIST = '!aisec-redteam-adapters-list';
const GET = '!aisec-redteam-adapters-get';
const CREATE = '!aisec-redteam-adapters-create name=new prompt=Hello';
const UPDATE = `!aisec-redteam-adapters-update uuid=${hrPortal} prompt=Hello`;
const VALIDATE = `!aisec-redteam-adapters-validate prompt=Hello network_broker_channel_uuid=${dataCentre}`;

const WORKS = 'script="def answer(prompt):\\n    return prompt\\n"';
const FAILS = 'script="def answer(prompt):\\n    raise ValueError(1)\\n"';
const THROUGH = `network_broker_channel_uuid=${dataCentre}`;
const READS_KEY = 'script="import os\\ndef answer(p):\\n    return os.environ[\'PORTAL_KEY\']"';

const SECRET = 'canary-0815-secret';

/** Lines that take a script, complete except for the script. */
const TAKERS = [
  { line: CREATE },
  { line: `!aisec-redteam-adapters-update uuid=${ID} prompt=Hello` },
  { line: `!aisec-redteam-adapters-validate prompt=Hello network_broker_channel_uuid=${CHANNEL}` },
];

/** A service on which every channel is online, and which returns the same adapter for every id. */
const anything = (answer: unknown = read.answer) =>
  answering(({ url }) => (url.startsWith(BROKER) ? online : { answer }));
const bodyOf = ({ requests }: Pick<WarRoom, 'requests'>) => JSON.parse(requests.at(-1)?.body ?? '{}');

describe('listing and reading adapters', () => {
  requirement(
    ['adapter-get-adds-script', 'adapter-secrets-redacted'],
    'a single adapter adds script, channel and variables, with secret variables redacted',
    async () => {
      const room = warRoom();
      const { writes, raw } = await room.run(`${GET} uuid=${hrPortal}`);
      expect(writes[0]?.value).toMatchObject({
        description: 'Signs in to the portal and asks its assistant.',
        tsg_id: '1000000001',
        network_broker_channel_uuid: dataCentre,
        script_b64: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
        variables: [
          { key: 'PORTAL_URL', value: 'https://hr.example.com/assistant', type: 'VAR' },
          { key: 'PORTAL_KEY', value: null, type: 'SECRET' },
        ],
      });
      expect(JSON.stringify(raw)).not.toContain('sim-portal-key');
      // Fields that were read are merged into the listed record, and kept when the list is read again.
      await room.run(LIST);
      expect(room.context['AiSec']).toMatchObject({ RedTeamAdapter: [{ uuid: hrPortal, tsg_id: '1000000001' }, {}] });
    },
  );

  requirement.each([{ redacted: false }, { redacted: undefined }])(
    'adapter-secrets-redacted',
    'a secret that the service fails to redact (is_redacted $redacted) is not shown',
    async ({ redacted }) => {
      const variables = [
        { key: 'KEY', type: 'SECRET', value: SECRET, is_redacted: redacted },
        { key: 'ODD', type: 'FUTURE', value: SECRET },
        { key: 'URL', type: 'VAR', value: 'u' },
      ];
      for (const line of [`${GET} uuid=${ID}`, `${CREATE} script=x`, `${TAKERS[1]?.line} validate=false`]) {
        expect(JSON.stringify(await anything({ ...read.answer, variables }).run(line))).not.toContain(SECRET);
      }
    },
  );
});

describe('the script', () => {
  const scripts = [
    { script: 'print("gr\u00fc\u00df")', sent: ENCODED },
    { script: '\u2713 \ud83d\ude00', sent: '4pyTIPCfmIA=' },
    { script: '??>>', sent: 'Pz8+Pg==' },
  ];
  requirement.each(TAKERS.flatMap((taker) => scripts.map((one) => ({ ...taker, ...one }))))(
    'adapter-script-encoded',
    '$line encodes $script',
    async ({ line, script, sent }) => {
      const room = anything();
      await room.run(`${line} script=\`${script}\``);
      expect(bodyOf(room)).toMatchObject({ script_b64: sent });
      expect(bodyOf(room)).not.toHaveProperty('script');
      expect(Buffer.from(sent, 'base64').toString('utf8')).toBe(script);
    },
  );

  const wrong = ['print(1)', 'eA=', 'e_-=', 'eA==eA=='];
  test.each(TAKERS.flatMap(({ line }) => wrong.map((text) => ({ line, text }))))(
    '$line refuses script_b64="$text", which is not base64',
    async ({ line, text }) => {
      const room = anything();
      const error = await room.fail(`${line} script_b64="${text}"`);
      expect(error).toMatchObject({ exitCode: 2, argument: 'script_b64' });
      expect(error.message).not.toContain('print');
      expectNone(room.requests, 'requests');
    },
  );

  requirement(
    'adapter-create-needs-script',
    'create and validate require the script in one of its two forms',
    async () => {
      const room = anything();
      for (const line of [CREATE, TAKERS[2]?.line ?? '']) {
        expect((await room.fail(line)).message).toContain('Give script or script_b64.');
      }
      expectNone(room.requests, 'requests');
    },
  );

  test.each(TAKERS)('$line refuses both forms together', async ({ line }) => {
    const room = anything();
    const error = await room.fail(`${line} script=x script_b64=eA==`);
    expect(error).toMatchObject({ exitCode: 2, argument: 'script' });
    expectNone(room.requests, 'requests');
  });

  requirement(
    ['adapter-prompt-not-stored', 'adapter-update-needs-prompt'],
    'the prompt is required each time, and is not recorded',
    async () => {
      const room = warRoom();
      const { uuid } = await room.value(`${CREATE.replace('Hello', 'Sesame')} ${WORKS} ${THROUGH}`);
      expect(bodyOf(room)).toMatchObject({ prompt: 'Sesame' });
      expect(JSON.stringify(await room.run(`${GET} uuid=${uuid}`))).not.toContain('Sesame');
      expect(await room.fail(`!aisec-redteam-adapters-update uuid=${uuid} name=other`)).toMatchObject({
        exitCode: 2,
        argument: 'prompt',
      });
    },
  );
});

describe('variables', () => {
  const VALID = [
    { key: 'A', value: '', type: 'VAR' },
    { key: 'B', value: 'b', type: 'SECRET' },
  ];
  requirement.each(TAKERS)(
    'adapter-variable-entry',
    '$line takes variables of key, value and type',
    async ({ line }) => {
      const room = anything();
      await room.run(`${line} script=x variables=\`${JSON.stringify(VALID)}\``);
      expect(bodyOf(room).variables).toEqual(VALID);
      const sent = room.requests.length;
      for (const wrong of [
        '{}',
        '["A"]',
        '[{"key": "A", "value": "a"}]',
        '[{"value": "a", "type": "VAR"}]',
        '[{"key": "A", "value": 1, "type": "VAR"}]',
        '[{"key": "A", "value": "a", "type": "var"}]',
        '[{"key": "", "value": "a", "type": "VAR"}]',
        '[{"key": "A", "value": "a", "type": "VAR", "colour": "red"}]',
      ]) {
        const error = await room.fail(`${line} script=x variables=\`${wrong}\``);
        expect(error).toMatchObject({ exitCode: 2, argument: 'variables' });
      }
      expect(room.requests).toHaveLength(sent);
    },
  );

  requirement.each(TAKERS)('red-team-target-credentials-separate', '$line sends secrets as given', async ({ line }) => {
    const room = anything();
    await room.run(`${line} script=x variables=\`[{"key": "K", "value": "${SECRET}", "type": "SECRET"}]\``);
    expect(bodyOf(room).variables).toEqual([{ key: 'K', value: SECRET, type: 'SECRET' }]);
    const others = [...room.tokenRequests, ...room.requests.map(({ url, headers }) => ({ url, headers }))];
    expect(JSON.stringify(others)).not.toContain(SECRET);
  });

  scenario.each(TAKERS)('no-secret-anywhere', '$line shows no secret in a dry run or an error', async ({ line }) => {
    const args = `script=x variables=\`[{"key": "K", "value": "${SECRET}", "type": "SECRET"}]\``;
    expect(JSON.stringify(await anything().run(`${line} ${args}`, { dryRun: true }))).not.toContain(SECRET);
    const refusing = answering(({ method, url }) => {
      if (method !== 'GET') return { status: 400, answer: { error: { message: `no: ${SECRET}` } } };
      return url.startsWith(BROKER) ? online : read;
    });
    const error = await refusing.fail(`${line} ${args}`);
    expect(error.message).toContain('no: ***');
  });

  requirement('adapter-variables-complete-set', 'missing keys are deleted, and a dry run lists them', async () => {
    const room = warRoom();
    const line = `${UPDATE} validate=false variables=\`[{"key": "PORTAL_URL", "value": "https://new.example.com", "type": "VAR"}]\``;
    const { readable } = await room.run(line, { dryRun: true });
    expect(readable.tables.at(-1)).toEqual({
      title: 'Variables that are deleted',
      columns: ['Key'],
      rows: [['PORTAL_KEY']],
    });
    await room.run(line);
    expect(await room.value(`${GET} uuid=${hrPortal}`)).toMatchObject({
      variables: [{ key: 'PORTAL_URL', value: 'https://new.example.com' }],
    });
    await room.run(`${UPDATE} validate=false variables=[]`);
    expect(await room.value(`${GET} uuid=${hrPortal}`)).toMatchObject({ variables: [] });
  });

  const KEEPING = [
    { what: 'null', entry: '{"key": "PORTAL_KEY", "value": null, "type": "SECRET"}' },
    { what: 'what was read', entry: '{"key": "PORTAL_KEY", "value": "***", "type": "SECRET", "is_redacted": true}' },
    { what: 'no value', entry: '{"key": "PORTAL_KEY", "type": "SECRET"}' },
  ];
  requirement.each(KEEPING)(
    'adapter-variable-null-keeps-secret',
    '$what keeps the stored secret',
    async ({ entry }) => {
      const room = warRoom();
      await room.run(`${UPDATE} validate=false variables=\`[${entry}]\``);
      expect(objectsOf(bodyOf(room).variables).map(({ value }) => value ?? null)).toEqual([null]);
      // The script needs the key, so a working script shows that the key's value is still there.
      expect(await room.value(`${UPDATE} ${READS_KEY}`)).toMatchObject({ status: 'ACTIVE' });
    },
  );
});

describe('creating and updating an adapter', () => {
  requirement.each([
    { claim: 'adapter-validated-is-active', args: `${WORKS} ${THROUGH}`, status: 'ACTIVE', notes: 0 },
    { claim: 'adapter-failed-is-draft', args: `${FAILS} ${THROUGH}`, status: 'DRAFT', notes: 1 },
    { claim: 'adapter-unvalidated-is-draft', args: `${WORKS} ${THROUGH} validate=false`, status: 'DRAFT', notes: 0 },
  ])(
    [
      'adapter-validated-is-active',
      'adapter-failed-is-draft',
      'adapter-unvalidated-is-draft',
      'adapter-channel-to-activate',
    ],
    '$claim: $args gives the status $status, on create and update',
    async ({ args, status, notes }) => {
      for (const line of [CREATE, UPDATE]) {
        const room = warRoom();
        const { writes, readable } = await room.run(`${line} ${args}`);
        expect(writes[0]?.value).toMatchObject({ status });
        expect(readable.notes).toHaveLength(notes);
        if (notes > 0) expect(readable.notes[0]).toContain('!aisec-redteam-adapters-validate');
      }
    },
  );

  requirement('adapter-channel-to-activate', 'a draft needs no channel; activation requires one', async () => {
    const room = warRoom();
    const draft = await room.value(`${CREATE} ${WORKS} validate=false`);
    expect(draft).toMatchObject({ status: 'DRAFT', network_broker_channel_uuid: null });
    const error = await room.fail(`!aisec-redteam-adapters-update uuid=${draft['uuid']} prompt=Hello`);
    expect(error).toMatchObject({ status: 400 });
    expect(error.hint).toMatch(/network_broker_channel_uuid.*validate=false/);
  });

  const OFF = [
    { id: branchOffice, status: 'OFFLINE' },
    { id: laboratory, status: 'DRAFT' },
  ];
  requirement.each(OFF)(
    'adapter-channel-online',
    'no script runs through a channel that is $status',
    async (channel) => {
      for (const line of [`${CREATE} ${WORKS}`, UPDATE, VALIDATE.replace(/ network_broker\S+/, ` ${WORKS}`)]) {
        const room = warRoom();
        const error = await room.fail(`${line} network_broker_channel_uuid=${channel.id}`);
        expect(error).toMatchObject({ exitCode: 5, code: 'precondition', argument: 'network_broker_channel_uuid' });
        expect(error.message).toContain(`is ${channel.status}, not ONLINE`);
        expect(error.hint).toContain('!aisec-redteam-network-channels-get');
        expect(room.requests.map(({ method, url }) => (url.includes('token') ? '' : method))).not.toContain('PUT');
        expectNone(
          room.requests.filter(({ url }) => url.includes('/adapters') && !url.includes(hrPortal)),
          'requests for another adapter',
        );
      }
    },
  );

  test('a channel that cannot be read is a warning, not an error', async () => {
    const forbidden = { status: 403, answer: { code: 'forbidden', message: 'no role' } };
    const room = answering(({ method }) => (method === 'GET' ? forbidden : { answer: {} }));
    const { readable } = await room.run(`${CREATE} script=x network_broker_channel_uuid=${CHANNEL}`);
    expect(readable.notes).toEqual([expect.stringMatching(/could not be read.*no role/)]);
    expect(room.requests.at(-1)).toMatchObject({ method: 'POST' });
  });

  test('checks the stored channel, or the new channel that replaces it', async () => {
    const other = '2f9b6c04-8d71-4e3a-b5c9-60a1e7d4f832';
    const put = { request: `PUT ${MGMT}/adapters/${ID}?validate=true` };
    for (const [args, id] of [
      ['', CHANNEL],
      [`network_broker_channel_uuid=${other}`, other],
    ] as const) {
      const script = [
        read,
        { ...online, request: `GET ${BROKER}/channels/${id}` },
        { ...put, body: { ...kept, network_broker_channel_uuid: id, prompt: 'p' }, answer: {} },
      ];
      await scripted(script, async (room) => {
        await room.run(`!aisec-redteam-adapters-update uuid=${ID} prompt=p ${args}`);
      });
    }
  });

  test.each(TAKERS)('$line waits longer than the 110 seconds that a script may run', async ({ line }) => {
    const room = anything();
    await room.run(`${line} script=x`);
    expect(room.requests.at(-1)?.timeoutMs).toBeGreaterThan(120_000);
  });
});
