import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { objectOf, objectsOf } from '../../../lib/core/json.ts';
import { markdown } from '../../../lib/runtime/output/markdown.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { answerOf, PLANES } from '../goldens.ts';

describe('the tenant', () => {
  const MGMT = PLANES['redteam/mgmt'];
  const instance = answerOf('redteam-instances-get');

  const LAB = RED_TEAM_IDS.tenant;

  const GET = '!aisec-redteam-instances-get';
  const DEVICES_CREATE = `!aisec-redteam-devices-create tenant_id=${LAB}`;
  const DEVICES_UPDATE = `!aisec-redteam-devices-update tenant_id=${LAB}`;
  const DEVICES_DELETE = `!aisec-redteam-devices-delete tenant_id=${LAB}`;
  const STATUS = '!aisec-redteam-eula-status';
  const ACCEPT = '!aisec-redteam-eula-accept';
  const REGISTRY = '!aisec-redteam-registry-credentials-get';

  /** A service that returns the same instance for every id, and answers every change. */
  const anything = (answer: unknown = {}) =>
    answering(({ method }) => ({ answer: method === 'GET' ? instance : answer }));
  const bodyOf = ({ requests }: ReturnType<typeof anything>) => JSON.parse(requests.at(-1)?.body ?? '{}');

  describe('tenant instances', () => {
    scenario(
      'no-secret-anywhere',
      'authorization codes of deployment profiles are in neither the table nor the raw response',
      async () => {
        const { readable, raw } = await warRoom().run(`${GET} tenant_id=${LAB}`);
        expect(JSON.stringify(readable)).toContain('support-production');
        expect(JSON.stringify([readable, raw])).not.toContain('D1000001');
      },
    );
  });

  describe('devices', () => {
    const six = JSON.stringify(Array.from({ length: 6 }, (_, at) => ({ serial_number: `S${at}` })));

    test.each([DEVICES_CREATE, DEVICES_UPDATE])('%s requires exactly one of the two forms', async (line) => {
      const room = anything();
      expect(await room.fail(line)).toMatchObject({ exitCode: 2, argument: 'serial_number' });
      const batch = 'devices=`[{"serial_number": "N1"}]`';
      for (const other of ['serial_number=N2', 'device_name=a', 'support_account_id=7']) {
        const error = await room.fail(`${line} ${batch} ${other}`);
        expect(error).toMatchObject({ exitCode: 2, argument: 'devices' });
        expect(error.hint).toContain(other.split('=')[0]);
      }
      expectNone(room.requests, 'requests');
    });

    requirement.each([
      { line: `${DEVICES_CREATE} devices=\`${six}\``, argument: 'devices' },
      { line: `${DEVICES_UPDATE} devices=\`${six}\``, argument: 'devices' },
      { line: `${DEVICES_DELETE} serial_numbers=a,b,c,d,e,f`, argument: 'serial_numbers' },
    ])('device-at-most-five', '$line is refused before anything is sent', async ({ line, argument }) => {
      const room = anything();
      const error = await room.fail(line);
      expect(error).toMatchObject({ exitCode: 2, argument });
      expect(error.message).toContain('at most 5');
      expectNone(room.requests, 'requests');
      await room.run(line.replace(/,\{"serial_number":"S5"\}/, '').replace(',f', ''));
    });

    requirement.each([
      { args: '', sent: { app_id: 'app', region: 'eu', tsg_id: '0042' }, reads: 1 },
      { args: 'app_id=x tsg_id=1', sent: { app_id: 'x', region: 'eu', tsg_id: '1' }, reads: 1 },
      { args: 'app_id=x tsg_id=1 region=z', sent: { app_id: 'x', region: 'z', tsg_id: '1' }, reads: 0 },
    ])('device-parent-values', '"$args" takes omitted values from the instance', async ({ args, sent, reads }) => {
      for (const line of [DEVICES_CREATE, DEVICES_UPDATE]) {
        const room = anything();
        await room.run(`${line} serial_number=N1 ${args}`);
        expect(bodyOf(room).instance).toEqual({ ...sent, tenant_id: LAB });
        expect(room.requests.filter(({ method }) => method === 'GET').map(({ url }) => url)).toEqual(
          Array(reads).fill(`${MGMT}/instances/${LAB}`),
        );
      }
    });

    const mixed = [
      {
        line: `${DEVICES_CREATE} devices=\`[{"serial_number": "SIM-0001"}, {"serial_number": "N1"}]\``,
        good: 'CREATED',
      },
      {
        line: `${DEVICES_UPDATE} devices=\`[{"serial_number": "NONE"}, {"serial_number": "SIM-0002"}]\``,
        good: 'UPDATED',
      },
      { line: `${DEVICES_DELETE} serial_numbers=NONE,SIM-0002`, good: 'DELETED' },
    ];
    requirement.each(mixed)(
      ['device-entry-each', 'device-status-values'],
      '$line lists each device, and ends with a partial error',
      async ({ line, good }) => {
        const { writes, failure, readable } = await warRoom().run(line);
        expect(writes[0]?.value).toEqual([
          { serial_number: expect.any(String), status: 'FAILED', error: expect.stringContaining('serial number') },
          { serial_number: expect.any(String), status: good, error: null },
        ]);
        expect(failure).toMatchObject({ exitCode: 10, code: 'partial' });
        expect(failure?.message).toMatch(/^1 of 2 devices failed: \S+ \(.*serial number.*\)\.$/);
        expect(readable.tables[0]?.rows[0]).toContain('FAILED');
      },
    );

    test.each([
      { entry: { serial_number: 'N1', status: 'CREATED', error: '' }, failed: false },
      { entry: { serial_number: 'N1', status: 'CREATED', error: 'no licence' }, failed: true },
      { entry: { serial_number: 'N1', status: 'CREATE_FAILED' }, failed: true },
      { entry: { serial_number: 'N1', status: 'PENDING' }, failed: false },
    ])('$entry counts as failed: $failed', async ({ entry, failed }) => {
      const { failure } = await anything({ devices: [entry] }).run(`${DEVICES_CREATE} serial_number=N1`);
      expect(failure !== undefined).toBe(failed);
    });

    requirement('device-entry-each', 'a device that the response omits has an entry too', async () => {
      const room = anything({ devices: [{ serial_number: 'A', status: 'DELETED' }] });
      const { writes, readable, failure } = await room.run(`${DEVICES_DELETE} serial_numbers=A,B,C`);
      expect(writes[0]?.value).toMatchObject([{ status: 'DELETED' }, { status: null }, { serial_number: 'C' }]);
      expect(readable.notes).toEqual(['The service did not report the outcome of B, C.']);
      expect(failure).toBeUndefined();
    });
  });

  describe('the licence agreement', () => {
    requirement.each([
      { typed: '2026-11-01T08:00:00Z', recorded: '2026-11-01T08:00:00Z' },
      { typed: '2026-11-01T08:00:00+02:00', recorded: '2026-11-01T06:00:00Z' },
      { typed: '2026-11-01', recorded: '2026-11-01T00:00:00Z' },
    ])('licence-accepted-at-given', 'the time $typed is recorded', async ({ typed, recorded }) => {
      const room = warRoom();
      expect(await room.value(`${ACCEPT} accepted_at=${typed}`)).toMatchObject({ accepted_at: recorded });
      expect(await room.value(STATUS)).toMatchObject({ accepted_at: recorded });
    });

    test.each(['yesterday', '2026-02-30'])('the time %s is refused', async (typed) => {
      const room = warRoom();
      expect(await room.fail(`${ACCEPT} accepted_at=${typed}`)).toMatchObject({ exitCode: 2, argument: 'accepted_at' });
      expectNone(room.requests, 'requests');
    });

    test.each([{}, { content: '' }, { content: null }])('the text %j cannot be accepted', async (answer) => {
      const room = answering(() => ({ answer }));
      expect(await room.fail(ACCEPT)).toMatchObject({ exitCode: 8, code: 'response' });
      expect(room.requests.map(({ method }) => method)).toEqual(['GET']);
    });

    test('the status says what to do if the agreement is not accepted', async () => {
      const { readable } = await answering(() => ({ answer: { is_accepted: false } })).run(STATUS);
      expect(readable.notes.join()).toContain('!aisec-redteam-eula-accept');
    });
  });

  describe('registry credentials', () => {
    requirement('registry-credentials', 'creates the credentials once, then returns the same', async () => {
      const room = warRoom();
      const first = await room.value(REGISTRY);
      expect(first).toEqual({
        token: expect.stringMatching(/^\S{100,}$/),
        expiry: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      });
      expect(await room.value(REGISTRY)).toEqual(first);
    });

    scenario('no-secret-anywhere', 'the token appears only in the context', async () => {
      const { writes, ...rest } = await warRoom().run(REGISTRY);
      const { token } = Object(writes[0]?.value);
      expect(JSON.stringify(rest)).not.toContain(token);
      expect(rest.readable.notes.join()).toContain('AiSec.RedTeamRegistryCredentials.token');
    });

    scenario('retry-read-by-post', 'retries after 503, because the request creates no second token', async () => {
      let asked = 0;
      const room = answering(() => {
        asked += 1;
        return asked === 1 ? { status: 503 } : { answer: { token: 't' } };
      });
      expect(await room.value(REGISTRY)).toMatchObject({ token: 't' });
      expect(asked).toBe(2);
    });
  });
});

describe('the dashboard', () => {
  const { supportChatbot, legacyKiosk } = RED_TEAM_IDS.targets;

  const trend = 'aisec-redteam-dashboard-score-trend';
  const quota = 'aisec-redteam-metering-quota';

  const details = { allocated: 5, consumed: 0, unlimited: false };

  const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

  describe('score trend', () => {
    requirement(
      'red-team-score-trend-aligned',
      'every series has a value for each bucket, and the table shows them side by side',
      async () => {
        const { writes, readable } = await warRoom().run(`!${trend} target_id=${supportChatbot}`);
        const { labels, series } = objectOf(writes[0]?.value);
        const [buckets, lines] = [listOf(labels), objectsOf(series)];
        expect(buckets.length).toBeGreaterThan(1);
        for (const { data } of lines) expect(data).toHaveLength(buckets.length);
        const scores = listOf(lines[0]?.['data']);
        const at = scores.findIndex((score) => score !== null);
        expect(readable.tables[1]?.columns).toEqual(['Time', ...lines.map(({ label }) => label)]);
        expect(readable.tables[1]?.rows[at]?.slice(0, 2)).toEqual([buckets[at], String(scores[at])]);
      },
    );

    test('without scores the table names the days of the window', async () => {
      const { readable } = await warRoom().run(`!${trend} target_id=${legacyKiosk}`);
      expect(markdown(readable)).toContain('the last seven');
      expect(readable.tables).toHaveLength(1);
    });
  });

  describe('quota and overview', () => {
    scenario('retry-read-by-post', 'the quota is read by an idempotent POST, which a dry run sends', async () => {
      let asked = 0;
      const room = answering(() => {
        asked += 1;
        return asked === 1 ? { status: 503 } : { answer: { static: details } };
      });
      const { planned, writes } = await room.run(`!${quota}`, { dryRun: true });
      expect([asked, planned, writes.length]).toEqual([2, false, 1]);
    });
  });
});

describe('network channels', () => {
  const { laboratory } = RED_TEAM_IDS.channels;

  const GET = '!aisec-redteam-network-channels-get';
  const UPDATE = '!aisec-redteam-network-channels-update';

  describe('creating and updating', () => {
    requirement('channel-update-needs-a-change', 'an update needs a name or a description', async () => {
      const room = warRoom();
      const line = `${UPDATE} channel_id=${laboratory}`;
      const error = await room.fail(line);
      expect(error).toMatchObject({ exitCode: 2, code: 'arguments' });
      expect(error.message).toContain('Give name or description.');
      expectNone(room.requests, 'requests');
      await room.run(`${line} description="Ours."`);
      await room.run(`${line} name=lab`);
      expect(await room.value(`${GET} channel_id=${laboratory}`)).toMatchObject({ name: 'lab', description: 'Ours.' });
      await room.run(`${line} description=null`);
      expect(await room.value(`${GET} channel_id=${laboratory}`)).toMatchObject({ name: 'lab', description: '' });
    });
  });
});
