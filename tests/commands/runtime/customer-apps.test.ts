import { SEED_IDS } from '../../../fixtures/service/tenant.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, MANAGEMENT, scripted, TENANT } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeDeleteBodies, describeTypeChanges, describeWrongRoots } from './answers.ts';
import { describeGoldens } from './golden.ts';
import { goldens, ID, keys } from './goldens/customer-apps.ts';
import { describePages } from './lists.ts';
import { replay } from './replay.ts';

const { supportChat, claimsAssistant, devPlayground } = SEED_IDS.apps;
const UNKNOWN = '11111111-2222-4333-8444-555555555555';

const LIST = '!aisec-runtime-customer-apps-list';
const GET = '!aisec-runtime-customer-apps-get';
const UPDATE = '!aisec-runtime-customer-apps-update';
const CONSUMPTION = '!aisec-runtime-customer-apps-consumption';
const VIOLATIONS = '!aisec-runtime-customer-apps-violations';
const DELETE = '!aisec-runtime-customer-apps-delete';

const updateOf = (id: string, more = 'app_name=chat cloud_provider=cloud_a environment=prod') =>
  `${UPDATE} customer_app_id=${id} ${more}`;
const deleteOf = (name: string) => `${DELETE} app_name=${name} updated_by=ana@example.com`;

const listRequest = (limit: number, tenant = TENANT) =>
  `GET ${MANAGEMENT}/customerapp/tsg/${tenant}?offset=0&limit=${limit}`;

/** A service with one application, which is returned for any name. */
const oneApp = () =>
  answering(({ method, url }) => ({
    answer: method === 'GET' && url.includes('/tsg/') ? { customer_apps: [{ customer_appId: ID }] } : {},
  }));

describe('requests and context', () => {
  describeGoldens({ prefix: 'aisec-runtime-customer-apps', keys, goldens });

  describePages({
    command: 'aisec-runtime-customer-apps-list',
    path: 'customerapp',
    items: 'customer_apps',
    wireId: 'customer_appId',
    id: 'id',
    standard: 50,
    standardClaim: 'limit-defaults-to-50',
  });

  const get = { request: `GET ${MANAGEMENT}/customerapp?app_name=x` };
  const inWindow = `?appid=${ID}&appname=x&time_interval=30&time_unit=days`;
  const consumption = { request: `GET ${MANAGEMENT}/dashboard/v2/apps/application${inWindow}` };
  const violations = { request: `GET ${MANAGEMENT}/dashboard/v2/apps/applicationviolationbreakdown${inWindow}` };
  describeTypeChanges([
    { line: LIST, script: [{ request: listRequest(50), answer: { customer_apps: 3 } }], path: '"customer_apps"' },
    {
      line: LIST,
      script: [{ request: listRequest(50), answer: { customer_apps: [{ cloud_provider: ['aws'] }] } }],
      path: 'AiSec.CustomerApp.cloud_provider',
    },
    { line: `${GET} app_name=x`, script: [{ ...get, answer: { status: true } }], path: 'AiSec.CustomerAppGet.status' },
    {
      line: `${CONSUMPTION} app_id=${ID} app_name=x`,
      script: [{ ...consumption, answer: { session_stats: { violation_breakdown: { total: 'lots' } } } }],
      path: 'AiSec.CustomerAppConsumption.violations_total',
    },
    {
      line: `${VIOLATIONS} app_id=${ID} app_name=x`,
      script: [{ ...violations, answer: { total_violating: [] } }],
      path: 'AiSec.CustomerAppViolations.total_violating',
    },
    {
      line: `${VIOLATIONS} app_id=${ID} app_name=x`,
      script: [{ ...violations, answer: { detection_type_violation_breakdown: 'none' } }],
      path: 'AiSec.CustomerAppViolations.detectors',
    },
    {
      line: `${VIOLATIONS} app_id=${ID} app_name=x`,
      script: [
        {
          ...violations,
          answer: { detection_type_violation_breakdown: [{ violation_breakdown: { total: 'lots' } }] },
        },
      ],
      path: 'AiSec.CustomerAppViolations.detectors',
    },
  ]);

  describeWrongRoots([
    { line: LIST, script: [{ request: listRequest(50) }] },
    { line: `${GET} app_name=x`, script: [get] },
    { line: `${CONSUMPTION} app_id=${ID} app_name=x`, script: [consumption] },
    { line: `${VIOLATIONS} app_id=${ID} app_name=x`, script: [violations] },
  ]);

  describeDeleteBodies([
    {
      line: deleteOf('x'),
      request: `DELETE ${MANAGEMENT}/customerapp?app_name=x&updated_by=ana%40example.com`,
      echo: { app_name: 'x', deleted_by: 'ana@example.com' },
    },
  ]);
});

describe('clouds and environments', () => {
  const clouds = [
    { typed: 'cloud_a', sent: 'aws', recorded: 'cloud_a' },
    { typed: 'cloud_b', sent: 'azure', recorded: 'cloud_b' },
    { typed: 'cloud_c', sent: 'gcp', recorded: 'cloud_c' },
    { typed: 'other', sent: 'other', recorded: 'other' },
    { typed: 'aws', sent: 'aws', recorded: 'cloud_a' },
    { typed: 'azure', sent: 'azure', recorded: 'cloud_b' },
    { typed: 'gcp', sent: 'gcp', recorded: 'cloud_c' },
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

  requirement('neutral-cloud-tokens', 'an unknown cloud is recorded as sent', async () => {
    const answer = { app_name: 'x', cloud_provider: 'moonbase' };
    await scripted([{ request: `GET ${MANAGEMENT}/customerapp?app_name=x`, answer }], async (room) => {
      expect(await room.value(`${GET} app_name=x`)).toMatchObject({ cloud_provider: 'moonbase' });
    });
  });

  requirement.each([
    { typed: 'cloud_d', hint: 'Did you mean "cloud_a"? Choices: cloud_a, cloud_b, cloud_c, other.' },
    { typed: 'AMAZON', hint: 'Choices: cloud_a, cloud_b, cloud_c, other.' },
    { typed: 'others', hint: 'Did you mean "other"? Choices: cloud_a, cloud_b, cloud_c, other.' },
  ])('customer-app-cloud-providers', 'the cloud $typed is refused: $hint', async ({ typed, hint }) => {
    const room = oneApp();
    const error = await room.fail(updateOf(ID, `app_name=chat cloud_provider=${typed} environment=prod`));
    expect(error).toMatchObject({ exitCode: 2, argument: 'cloud_provider', hint });
    expect(error.message).toBe(`cloud_provider does not take "${typed}".`);
    expectNone(room.requests, 'requests');
  });

  requirement.each(['prod', 'staging', 'dev'].map((environment) => ({ environment })))(
    'customer-app-environments',
    'the environment $environment is sent and returned',
    async ({ environment }) => {
      const room = warRoom();
      const more = `app_name=support-chat cloud_provider=cloud_a environment=${environment}`;
      expect(await room.value(updateOf(supportChat, more))).toMatchObject({ environment });
    },
  );

  requirement.each([
    { typed: 'production', hint: 'Choices: prod, staging, dev.' },
    { typed: 'stagin', hint: 'Did you mean "staging"? Choices: prod, staging, dev.' },
    { typed: 'Devs', hint: 'Did you mean "dev"? Choices: prod, staging, dev.' },
  ])('customer-app-environments', 'the environment $typed is refused: $hint', async ({ typed, hint }) => {
    const room = oneApp();
    const error = await room.fail(updateOf(ID, `app_name=chat cloud_provider=cloud_a environment=${typed}`));
    expect(error).toMatchObject({ exitCode: 2, argument: 'environment', hint });
    expect(error.message).toBe(`environment does not take "${typed}".`);
    expectNone(room.requests, 'requests');
  });

  test('all problems of a line are reported together', async () => {
    const error = await oneApp().fail(
      updateOf('app-1', 'cloud_provider=cloud_d environment=test tsg_id=abc colour=red'),
    );
    for (const name of ['customer_app_id', 'app_name', 'cloud_provider', 'environment', 'tsg_id', 'colour']) {
      expect(error.message).toContain(name);
    }
  });
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

  requirement('customer-app-tenant-override', 'looks for the application in the given group', async () => {
    const script = [
      { request: listRequest(100, '0099'), answer: { customer_apps: [{ customer_appId: ID, model_name: 'm' }] } },
      {
        request: `PUT ${MANAGEMENT}/customerapp?customer_app_id=${ID}`,
        body: { app_name: 'chat', cloud_provider: 'aws', environment: 'prod', tsg_id: '0099', model_name: 'm' },
        answer: { customer_appId: ID, tsg_id: '0099' },
      },
    ];
    await scripted(script, async (room) => {
      expect(await room.value(`${updateOf(ID)} tsg_id=0099`)).toMatchObject({ tsg_id: '0099' });
    });
  });

  test('an application on a later page is found', async () => {
    const others = Array.from({ length: 100 }, (_, n) => ({ customer_appId: `o${n}` }));
    const script = [
      { request: listRequest(100), answer: { customer_apps: others, next_offset: 100 } },
      {
        request: listRequest(100).replace('offset=0', 'offset=100'),
        answer: { customer_apps: [{ customer_appId: ID, model_name: 'm', ai_agent_framework: 'f' }] },
      },
      {
        request: `PUT ${MANAGEMENT}/customerapp?customer_app_id=${ID}`,
        body: {
          app_name: 'chat',
          cloud_provider: 'aws',
          environment: 'prod',
          tsg_id: TENANT,
          model_name: 'm',
          ai_agent_framework: 'f',
        },
        answer: {},
      },
    ];
    await scripted(script, async (room) => {
      await room.run(updateOf(ID));
    });
  });

  test('an application that does not exist cannot be updated', async () => {
    const room = warRoom();
    expect(await room.fail(updateOf(UNKNOWN))).toMatchObject({ code: 'not-found', exitCode: 5 });
    expect(room.requests.map(({ method }) => method)).not.toContain('PUT');
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

  requirement.each(cases([{ name: 'Support-Chat' }, { name: 'support chat' }]))(
    'dashboard-literal-app-name',
    '$what finds nothing for "$name", and the table says why',
    async ({ line, name }) => {
      const room = warRoom();
      const known = await room.run(`${line} app_id=${supportChat} app_name=support-chat`);
      expectNone(known.readable.notes, 'notes below the table');
      const { readable } = await room.run(`${line} app_id=${supportChat} app_name="${name}"`);
      expect(readable.notes.join()).toMatch(/match the name in the scans exactly/);
    },
  );

  requirement.each(
    cases([
      { args: '', days: 30 },
      { args: 'time_interval=', days: 30 },
      { args: 'time_interval=7', days: 7 },
      { args: 'time_interval=30', days: 30 },
      { args: 'time_interval=60', days: 60 },
    ]),
  )('dashboard-windows', '$what with "$args" requests $days days', async ({ line, args, days }) => {
    const room = answering(() => ({ answer: {} }));
    await room.run(`${line} app_id=${ID} app_name=x ${args}`);
    const query = new URL(room.requests[0]?.url ?? '').searchParams;
    expect([query.get('time_interval'), query.get('time_unit')]).toEqual([String(days), 'days']);
  });

  requirement('dashboard-windows', 'the recorded window is that of the counts', async () => {
    const sessions = async (days: number) =>
      (await warRoom().value(`${CONSUMPTION} app_id=${supportChat} app_name=support-chat time_interval=${days}`))
        .sessions_total;
    expect([await sessions(7), await sessions(30), await sessions(60)]).toEqual([4310, 18240, 35900]);
  });

  requirement.each(cases(['1', '14', '31', '90', '-7', '7.5', 'week'].map((text) => ({ text }))))(
    'dashboard-windows',
    '$what: a window of $text days is refused',
    async ({ line, text }) => {
      const room = answering(() => ({ answer: {} }));
      const error = await room.fail(`${line} app_id=${ID} app_name=x time_interval=${text}`);
      expect(error).toMatchObject({ exitCode: 2, argument: 'time_interval' });
      expectNone(room.requests, 'requests');
    },
  );

  test.each(cases([{ text: '14' }]))('$what: the error for $text days names the choices', async ({ line, text }) => {
    const error = await answering(() => ({ answer: {} })).fail(`${line} app_id=${ID} app_name=x time_interval=${text}`);
    expect(error.message).toContain('time_interval');
    expect(error.hint).toContain('Choices: 7, 30, 60.');
  });

  requirement.each(cases(['hours', 'day', 'months'].map((unit) => ({ unit }))))(
    'dashboard-unit-days',
    '$what: the unit $unit is refused; days is the only choice',
    async ({ line, unit }) => {
      const room = answering(() => ({ answer: {} }));
      const error = await room.fail(`${line} app_id=${ID} app_name=x time_unit=${unit}`);
      expect(error).toMatchObject({ exitCode: 2, argument: 'time_unit' });
      expect(error.hint).toContain('Choices: days.');
      expectNone(room.requests, 'requests');
    },
  );

  requirement.each(cases([{ args: '' }, { args: 'time_unit=days' }]))(
    'dashboard-unit-days',
    '$what with "$args" sends the unit days',
    async ({ line, args }) => {
      const room = answering(() => ({ answer: {} }));
      await room.run(`${line} app_id=${ID} app_name=x ${args}`);
      expect(new URL(room.requests[0]?.url ?? '').searchParams.get('time_unit')).toBe('days');
    },
  );

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

  test('an application without violations has an empty list and a note', async () => {
    const room = warRoom();
    const { writes, readable } = await room.run(`${VIOLATIONS} app_id=${devPlayground} app_name=dev-playground`);
    expect(writes[0]?.value).toMatchObject({ total_violating: 0, detectors: [] });
    expect(readable.notes.join()).toContain('No violations.');
  });

  requirement.each([
    { sent: '2026-11-20T22:41:09.120Z', kept: '2026-11-20T22:41:09Z' },
    { sent: '2026-11-20T23:41:09+0100', kept: '2026-11-20T22:41:09Z' },
    { sent: 1795214469000, kept: '2026-11-20T22:41:09Z' },
  ])('date-shape', 'the time of the last session $sent is recorded as $kept', async ({ sent, kept }) => {
    const room = answering(() => ({ answer: { session_stats: { most_recent_session_time: sent } } }));
    const value = await room.value(`${CONSUMPTION} app_id=${ID} app_name=x`);
    expect(value).toMatchObject({ most_recent_session_time: kept });
  });

  test('the dashboard uses neutral names for clouds too', async () => {
    const value = await warRoom().value(`${CONSUMPTION} app_id=${devPlayground} app_name=dev-playground`);
    expect(value).toMatchObject({ cloud: 'cloud_c', average_daily_tokens: 640, average_daily_tokens_scale: '' });
  });
});

test("the auth codes of an application's keys are in no field, no table and no raw response", async () => {
  expect(JSON.stringify(await warRoom().run(LIST))).not.toMatch(/D100000\d/);
});

describe('deleting an application', () => {
  requirement('customer-app-delete-revokes-keys', 'revokes exactly the keys of the application', async () => {
    const room = warRoom();
    const scan = '!aisec-runtime-scan profile_name=prod prompt=hello';
    await room.run(scan);
    expect(await room.value(deleteOf('support-chat'))).toMatchObject({ app_name: 'support-chat', deleted: true });
    const revoked = (await room.values('!aisec-runtime-api-keys-list')).map((key) => [key.name, key.revoked]);
    expect(revoked).toEqual([
      ['support-chat-key', true],
      ['claims-assistant-key', false],
      ['retired-pilot-key', true],
    ]);
    expect(await room.fail(scan)).toMatchObject({ exitCode: 4, status: 403 });
    expect(await room.fail(`${GET} app_name=support-chat`)).toMatchObject({ code: 'not-found' });
  });

  requirement('customer-app-delete-unknown', 'an application that does not exist cannot be deleted', async () => {
    const room = warRoom();
    expect(await room.fail(deleteOf('nobody'))).toMatchObject({ code: 'not-found', exitCode: 5, status: 404 });
    expect(room.context).toEqual({});
    expect(await room.values(LIST)).toHaveLength(3);
  });

  test('updated_by is required', async () => {
    const room = warRoom();
    const error = await room.fail(`${DELETE} app_name=support-chat`);
    expect(error).toMatchObject({ exitCode: 2, argument: 'updated_by' });
    expectNone(room.requests, 'requests');
  });
});

describe('identifiers', () => {
  const words = ['tsg', '..', '%2e%2e', `${ID}&app_name=x`, `${ID}/${ID}`];

  scenario.each(
    words.flatMap((word) => [
      { line: updateOf(word), argument: 'customer_app_id' },
      { line: `${CONSUMPTION} app_id=${word} app_name=x`, argument: 'app_id' },
      { line: `${VIOLATIONS} app_id=${word} app_name=x`, argument: 'app_id' },
    ]),
  )('path-words', '$line is refused without a UUID, and nothing is sent', async ({ line, argument }) => {
    const room = answering(() => ({ answer: {} }));
    expect(await room.fail(line)).toMatchObject({ code: 'arguments', exitCode: 2, argument });
    expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
  });

  scenario('path-words', 'a name that looks like a route or a query is one value of the query', async () => {
    const name = 'tsg/1?x=1&updated_by=eve';
    const request = `GET ${MANAGEMENT}/customerapp?app_name=tsg%2F1%3Fx%3D1%26updated_by%3Deve`;
    await scripted([{ request, answer: { app_name: name } }], async (room) => {
      expect(await room.value(`${GET} app_name="${name}"`)).toMatchObject({ name });
    });
  });
});
