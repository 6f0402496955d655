import { MANAGEMENT, TENANT } from '../../../support/scripted.ts';
import type { Golden } from '../golden.ts';

const list = 'aisec-runtime-customer-apps-list';
const get = 'aisec-runtime-customer-apps-get';
const update = 'aisec-runtime-customer-apps-update';
const consumption = 'aisec-runtime-customer-apps-consumption';
const violations = 'aisec-runtime-customer-apps-violations';
const remove = 'aisec-runtime-customer-apps-delete';

export const keys = {
  [list]: ['id'],
  [get]: ['id'],
  [update]: ['id'],
  [consumption]: ['id', 'name'],
  [violations]: ['app_id', 'app_name'],
  [remove]: ['app_name'],
};

export const ID = '1d5e9b37-a8c2-4f60-b3d9-4e07c6f28a51';

const wire = {
  customer_appId: ID,
  tsg_id: TENANT,
  app_name: 'chat & co',
  model_name: 'large-instruct',
  cloud_provider: 'azure',
  environment: 'staging',
  ai_agent_framework: '',
};

const base = {
  id: ID,
  name: 'chat & co',
  model_name: 'large-instruct',
  cloud_provider: 'cloud_b',
  environment: 'staging',
  ai_agent_framework: '',
  tsg_id: TENANT,
};

const nothing = {
  id: null,
  name: null,
  model_name: null,
  cloud_provider: null,
  environment: null,
  ai_agent_framework: null,
  tsg_id: null,
};

const authors = { status: 'completed', created_by: 'ana@example.com', updated_by: 'none' };
const noAuthors = { status: null, created_by: null, updated_by: null };

const read = {
  request: `GET ${MANAGEMENT}/customerapp/tsg/${TENANT}?offset=0&limit=100`,
  answer: { customer_apps: [{ ...wire, customer_appId: '4b93e7d0-26af-4c58-8d1e-f5a07b62c9e3' }, wire] },
};

const put = `PUT ${MANAGEMENT}/customerapp?customer_app_id=${ID}`;
const dashboard = `GET ${MANAGEMENT}/dashboard/v2/apps`;
const inWindow = `appid=${ID}&appname=chat%20%26%20co`;

const counted = {
  violations_critical: 0,
  violations_high: 31,
  violations_medium: 22,
  violations_low: 8,
  violations_total: 61,
};

export const goldens: readonly Golden[] = [
  {
    command: list,
    what: 'a full record, and one that leaves out all it can',
    args: '',
    script: [
      {
        request: `GET ${MANAGEMENT}/customerapp/tsg/${TENANT}?offset=0&limit=50`,
        answer: {
          customer_apps: [
            { ...wire, api_keys_dp_info: [{ api_key_name: 'k', dp_name: 'd', auth_code: 'D1' }] },
            { customer_appId: 'app-2', cloud_provider: 'other' },
          ],
        },
      },
    ],
    value: [base, { ...nothing, id: 'app-2', cloud_provider: 'other' }],
  },
  {
    command: get,
    what: 'a full answer',
    args: 'app_name="chat & co"',
    script: [{ request: `GET ${MANAGEMENT}/customerapp?app_name=chat%20%26%20co`, answer: { ...wire, ...authors } }],
    value: { ...base, ...authors },
  },
  {
    command: get,
    what: 'an answer that leaves out all it can',
    args: 'app_name=x',
    script: [{ request: `GET ${MANAGEMENT}/customerapp?app_name=x`, answer: { app_name: 'x', status: null } }],
    value: { ...nothing, name: 'x', ...noAuthors },
  },
  {
    command: update,
    what: 'what is omitted is read first',
    args: `customer_app_id=${ID} app_name=chat cloud_provider=cloud_c environment=prod`,
    script: [
      read,
      {
        request: put,
        body: {
          app_name: 'chat',
          cloud_provider: 'gcp',
          environment: 'prod',
          tsg_id: TENANT,
          model_name: 'large-instruct',
          ai_agent_framework: '',
        },
        answer: { ...wire, app_name: 'chat', cloud_provider: 'gcp', environment: 'prod', ...authors },
      },
    ],
    value: { ...base, name: 'chat', cloud_provider: 'cloud_c', environment: 'prod', ...authors },
  },
  {
    command: update,
    what: 'every argument, and an answer that leaves out all it can',
    args: [
      `customer_app_id=${ID} app_name=chat cloud_provider=cloud_a environment=dev tsg_id=${TENANT} model_name=small`,
      'ai_agent_framework=langgraph updated_by=ana@example.com',
    ].join(' '),
    script: [
      read,
      {
        request: put,
        body: {
          app_name: 'chat',
          cloud_provider: 'aws',
          environment: 'dev',
          tsg_id: TENANT,
          model_name: 'small',
          ai_agent_framework: 'langgraph',
          updated_by: 'ana@example.com',
        },
        answer: { customer_appId: ID },
      },
    ],
    value: { ...nothing, id: ID, ...noAuthors },
  },
  {
    command: consumption,
    what: 'a full answer',
    args: `app_id=${ID} app_name="chat & co"`,
    script: [
      {
        request: `${dashboard}/application?${inWindow}&time_interval=30&time_unit=days`,
        answer: {
          id: ID,
          name: 'chat & co',
          cloud: 'aws',
          source: 'api',
          created_at: '2026-03-02T09:15:00.5Z',
          updated_at: '2026-11-20 22:41:09',
          profiles: ['prod'],
          token_stats: {
            average_daily_tokens: 590.3,
            average_daily_tokens_scale: 'K',
            monthly_total_tokens: 17.71,
            monthly_total_tokens_scale: 'M',
          },
          session_stats: {
            total: 18240,
            violating: 61,
            last_session_id: 's-4471',
            most_recent_session_time: '2026-11-20T23:41:09+01:00',
            violation_breakdown: { critical: 0, high: 31, medium: 22, low: 8, total: 61 },
          },
        },
      },
    ],
    value: {
      id: ID,
      name: 'chat & co',
      cloud: 'cloud_a',
      source: 'api',
      created_at: '2026-03-02T09:15:00.5Z',
      updated_at: '2026-11-20 22:41:09',
      profiles: ['prod'],
      average_daily_tokens: 590.3,
      average_daily_tokens_scale: 'K',
      monthly_total_tokens: 17.71,
      monthly_total_tokens_scale: 'M',
      sessions_total: 18240,
      sessions_violating: 61,
      last_session_id: 's-4471',
      most_recent_session_time: '2026-11-20T22:41:09Z',
      ...counted,
    },
  },
  {
    command: consumption,
    what: 'a name without traffic',
    args: `app_id=${ID} app_name=x time_interval=7 time_unit=days`,
    script: [
      {
        request: `${dashboard}/application?appid=${ID}&appname=x&time_interval=7&time_unit=days`,
        answer: { id: null, name: null, profiles: null, token_stats: null, session_stats: null },
      },
    ],
    value: {
      id: ID,
      name: 'x',
      cloud: null,
      source: null,
      created_at: null,
      updated_at: null,
      profiles: null,
      average_daily_tokens: null,
      average_daily_tokens_scale: null,
      monthly_total_tokens: null,
      monthly_total_tokens_scale: null,
      sessions_total: null,
      sessions_violating: null,
      last_session_id: null,
      most_recent_session_time: null,
      violations_critical: null,
      violations_high: null,
      violations_medium: null,
      violations_low: null,
      violations_total: null,
    },
  },
  {
    command: violations,
    what: 'detectors with and without counts',
    args: `app_id=${ID} app_name="chat & co" time_interval=60`,
    script: [
      {
        request: `${dashboard}/applicationviolationbreakdown?${inWindow}&time_interval=60&time_unit=days`,
        answer: {
          total_violating: 7,
          detection_type_violation_breakdown: [
            { detection_type: 'uf', violation_breakdown: { low: 1, total: 1 } },
            { detection_type: 'pi', violation_breakdown: { critical: 1, high: 2, medium: 3, low: 0, total: 6 } },
            { detection_type: 'dbs', violation_breakdown: null },
          ],
        },
      },
    ],
    value: {
      app_id: ID,
      app_name: 'chat & co',
      total_violating: 7,
      time_interval: 60,
      time_unit: 'days',
      detectors: [
        { detection_type: 'pi', critical: 1, high: 2, medium: 3, low: 0, total: 6 },
        { detection_type: 'uf', critical: 0, high: 0, medium: 0, low: 1, total: 1 },
        { detection_type: 'dbs', critical: 0, high: 0, medium: 0, low: 0, total: 0 },
      ],
    },
  },
  {
    command: violations,
    what: 'an answer that leaves out all it can',
    args: `app_id=${ID} app_name=x`,
    script: [
      {
        request: `${dashboard}/applicationviolationbreakdown?appid=${ID}&appname=x&time_interval=30&time_unit=days`,
        answer: { detection_type_violation_breakdown: null },
      },
    ],
    value: { app_id: ID, app_name: 'x', total_violating: 0, time_interval: 30, time_unit: 'days', detectors: [] },
  },
  {
    command: remove,
    what: 'by name',
    args: 'app_name="chat & co" updated_by=ana@example.com',
    script: [
      {
        request: `DELETE ${MANAGEMENT}/customerapp?app_name=chat%20%26%20co&updated_by=ana%40example.com`,
        answer: 'customer app and associated keys successfully deleted',
      },
    ],
    value: {
      app_name: 'chat & co',
      deleted_by: 'ana@example.com',
      message: 'customer app and associated keys successfully deleted',
      deleted: true,
    },
  },
];
