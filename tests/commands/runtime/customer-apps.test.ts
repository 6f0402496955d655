import { SEED_IDS } from '../../../fixtures/service/tenant.ts';
import { requirement } from '../../contract/claims.ts';
import { answering, MANAGEMENT, scripted, TENANT } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { idOf } from '../goldens.ts';
import { replay } from './replay.ts';

const ID = idOf('app');

const { supportChat, claimsAssistant } = SEED_IDS.apps;

const LIST = '!aisec-runtime-customer-apps-list';
const GET = '!aisec-runtime-customer-apps-get';
const UPDATE = '!aisec-runtime-customer-apps-update';
const CONSUMPTION = '!aisec-runtime-customer-apps-consumption';
const VIOLATIONS = '!aisec-runtime-customer-apps-violations';

const updateOf = (id: string, more = 'app_name=chat cloud_provider=cloud_a environment=prod') =>
  `${UPDATE} customer_app_id=${id} ${more}`;

/** A service with one application, which it returns for any name. */
const oneApp = () =>
  answering(({ method, url }) => ({
    answer: method === 'GET' && url.includes('/tsg/') ? { customer_apps: [{ customer_appId: ID }] } : {},
  }));

describe('clouds and environments', () => {
  const clouds = [
    { typed: 'cloud_a', sent: 'aws', recorded: 'cloud_a' },
    { typed: 'other', sent: 'other', recorded: 'other' },
    { typed: 'aws', sent: 'aws', recorded: 'cloud_a' },
  ];

  requirement.each(clouds)(
    ['neutral-cloud-tokens', 'customer-app-cloud-providers'],
    '$typed is sent as $sent and recorded as $recorded: by update, get and list',
    async ({ typed, sent, recorded }) => {
      const room = warRoom();
      const more = `app_name=claims-assistant cloud_provider=${typed} environment=dev`;
      const updated = await room.value(updateOf(claimsAssistant, more));
      expect(JSON.parse(room.requests.at(-1)?.body ?? '')).toMatchObject({ cloud_provider: sent });
      const got = await room.value(`${GET} app_name=claims-assistant`);
      const listed = (await room.values(LIST)).find(({ id }) => id === claimsAssistant);
      expect([updated, got, listed].map((app) => app?.cloud_provider)).toEqual([recorded, recorded, recorded]);
    },
  );
});

describe('updating an application', () => {
  test('omitted fields are kept, although the service resets them', async () => {
    const room = warRoom();
    const more = 'app_name=claims-assistant cloud_provider=cloud_b environment=staging';
    await room.run(updateOf(claimsAssistant, `${more} model_name=large-instruct`));
    const updated = await room.value(updateOf(claimsAssistant, more));
    expect(updated).toMatchObject({ model_name: 'large-instruct', ai_agent_framework: 'langgraph' });
    const { answer } = await replay(room, ({ model_name, ai_agent_framework, ...body }) => body);
    expect(answer).toMatchObject({ model_name: 'default', ai_agent_framework: '' });
  });

  requirement('customer-app-tenant-override', 'sends the configured tenant group by default', async () => {
    for (const [args, tsg_id] of [
      ['', TENANT],
      ['tsg_id=0099', '0099'],
    ] as const) {
      const room = oneApp();
      await room.run(`${updateOf(ID)} ${args}`);
      expect(JSON.parse(room.requests.at(-1)?.body ?? '')).toMatchObject({ tsg_id });
    }
  });
});

describe('the dashboard', () => {
  const both = [
    { what: 'consumption', line: CONSUMPTION, path: 'application' },
    { what: 'violations', line: VIOLATIONS, path: 'applicationviolationbreakdown' },
  ];
  const cases = <Row extends object>(rows: readonly Row[]) =>
    both.flatMap((one) => rows.map((row) => ({ ...one, ...row })));

  requirement.each(
    cases([
      { name: 'Support Chat', sent: 'Support%20Chat' },
      { name: 'a/b?c&d=e#f', sent: 'a%2Fb%3Fc%26d%3De%23f' },
      { name: 'Caf\u00e9+', sent: 'Caf%C3%A9%2B' },
    ]),
  )('dashboard-literal-app-name', '$what requests "$name" unchanged', async ({ line, path, name, sent }) => {
    const query = `appid=${ID}&appname=${sent}&time_interval=30&time_unit=days`;
    await scripted([{ request: `GET ${MANAGEMENT}/dashboard/v2/apps/${path}?${query}`, answer: {} }], async (room) => {
      await room.run(`${line} app_id=${ID} app_name="${name}"`);
    });
  });

  requirement(
    'violations-by-detector',
    'each detector has its counts by severity, the most frequent first',
    async () => {
      const room = warRoom();
      const { writes, readable } = await room.run(
        `${VIOLATIONS} app_id=${supportChat} app_name=support-chat time_interval=7`,
      );
      const detectors = [
        { detection_type: 'pi', critical: 2, high: 9, medium: 5, low: 1, total: 17 },
        { detection_type: 'dlp', critical: 1, high: 6, medium: 3, low: 0, total: 10 },
        { detection_type: 'uf', critical: 0, high: 2, medium: 0, low: 0, total: 2 },
      ];
      expect(writes[0]?.value).toMatchObject({ total_violating: 29, detectors });
      expect(readable.tables[1]?.rows).toEqual(detectors.map((row) => Object.values(row).map(String)));
    },
  );

  requirement.each([
    { sent: '2026-11-20T22:41:09.120Z', kept: '2026-11-20T22:41:09Z' },
    { sent: '2026-11-20T23:41:09+0100', kept: '2026-11-20T22:41:09Z' },
    { sent: 1795214469000, kept: '2026-11-20T22:41:09Z' },
  ])('date-shape', 'the time of the last session $sent is recorded as $kept', async ({ sent, kept }) => {
    const room = answering(() => ({ answer: { session_stats: { most_recent_session_time: sent } } }));
    const value = await room.value(`${CONSUMPTION} app_id=${ID} app_name=x`);
    expect(value).toMatchObject({ most_recent_session_time: kept });
  });
});

test("the auth codes of an application's keys are in no field, no table and no raw response", async () => {
  expect(JSON.stringify(await warRoom().run(LIST))).not.toMatch(/D100000\d/);
});
