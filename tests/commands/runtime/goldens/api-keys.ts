import { MANAGEMENT, TENANT } from '../../../support/scripted.ts';
import type { Golden } from '../golden.ts';

const list = 'aisec-runtime-api-keys-list';
const create = 'aisec-runtime-api-keys-create';
const regenerate = 'aisec-runtime-api-keys-regenerate';
const remove = 'aisec-runtime-api-keys-delete';

export const keys = { [list]: ['id'], [create]: ['id'], [regenerate]: ['id'], [remove]: ['api_key_name'] };

export const OLD_ID = '6e0c8d2a-b9f4-4371-a5e8-2d7b3f9160c5';
const NEW_ID = '0f6d2b9c-71ae-4d35-8c60-93b5e1f4a728';
export const SECRET = 'canary-secret-Qm7Zt4Xv9Lr2Kw5H';

/** A key as sent by the service. */
const wire = {
  api_key_id: OLD_ID,
  api_key_name: 'chat key',
  api_key_last8: '9Lr2Kw5H',
  auth_code: 'D1000001',
  expiration: '2027-03-02T09:15:00.000Z',
  revoked: false,
  cust_app: 'chat',
  created_by: 'ana@example.com',
  creation_ts: '2026-03-02T09:15:00.482Z',
  last_modified_ts: '2026-11-21T12:00:00Z',
  csp_id: '200001',
  tsg_id: TENANT,
  rotation_time_interval: 12,
  rotation_time_unit: 'months',
  status: 'active',
};

/** The same in the context. */
const issued = {
  id: OLD_ID,
  name: 'chat key',
  api_key: SECRET,
  last8: '9Lr2Kw5H',
  auth_code: 'D1000001',
  expires_at: '2027-03-02T09:15:00Z',
  revoked: false,
  cust_app: 'chat',
};

const created = { ...issued, created_at: '2026-03-02T09:15:00Z', created_by: 'ana@example.com' };

const required = {
  api_key_name: 'chat key',
  auth_code: 'D1000001',
  cust_app: 'chat',
  rotation_time_interval: 12,
  rotation_time_unit: 'months',
  created_by: 'ana@example.com',
  cust_env: 'production',
  cust_cloud_provider: 'aws',
  revoked: false,
};

export const CREATE_ARGS = [
  'api_key_name="chat key" auth_code=D1000001 cust_app=chat rotation_time_interval=12 rotation_time_unit=months',
  'created_by=ana@example.com cust_env=production cust_cloud_provider=cloud_a',
].join(' ');

export const goldens: readonly Golden[] = [
  {
    command: list,
    what: 'a full record, and one that leaves out all it can',
    args: '',
    script: [
      {
        request: `GET ${MANAGEMENT}/apikeys/tsg/${TENANT}?offset=0&limit=50`,
        answer: { api_keys: [wire, { api_key_id: NEW_ID, revoked: true, expiration: null }] },
      },
    ],
    value: [
      {
        id: OLD_ID,
        name: 'chat key',
        last8: '9Lr2Kw5H',
        created_at: '2026-03-02T09:15:00Z',
        expires_at: '2027-03-02T09:15:00Z',
        revoked: false,
      },
      { id: NEW_ID, name: null, last8: null, created_at: null, expires_at: null, revoked: true },
    ],
  },
  {
    command: create,
    what: 'required arguments',
    args: CREATE_ARGS,
    script: [{ request: `POST ${MANAGEMENT}/apikey`, body: required, answer: { ...wire, api_key: SECRET } }],
    value: created,
  },
  {
    command: create,
    what: 'every argument',
    args: `${CREATE_ARGS} dp_name=prod-dp cust_ai_agent_framework=langgraph`,
    script: [
      {
        request: `POST ${MANAGEMENT}/apikey`,
        body: { ...required, dp_name: 'prod-dp', cust_ai_agent_framework: 'langgraph' },
        answer: { ...wire, api_key: SECRET, dp_name: 'prod-dp' },
      },
    ],
    value: created,
  },
  {
    command: create,
    what: 'an answer with little but the key',
    args: CREATE_ARGS,
    script: [{ request: `POST ${MANAGEMENT}/apikey`, body: required, answer: { api_key: SECRET, auth_code: '' } }],
    value: {
      id: null,
      name: null,
      api_key: SECRET,
      last8: null,
      auth_code: '',
      expires_at: null,
      revoked: null,
      cust_app: null,
      created_at: null,
      created_by: null,
    },
  },
  {
    command: regenerate,
    what: 'required arguments',
    args: `api_key_id=${OLD_ID} rotation_time_interval=30 rotation_time_unit=days`,
    script: [
      {
        request: `POST ${MANAGEMENT}/apikey/regenerate/${OLD_ID}`,
        body: { rotation_time_interval: 30, rotation_time_unit: 'days' },
        answer: { ...wire, api_key_id: NEW_ID, api_key: SECRET, updated_by: 'none' },
      },
    ],
    value: { ...issued, id: NEW_ID, updated_at: '2026-11-21T12:00:00Z', updated_by: 'none' },
  },
  {
    command: regenerate,
    what: 'every argument',
    args: `api_key_id=${OLD_ID} rotation_time_interval=6 rotation_time_unit=hours updated_by=ana@example.com`,
    script: [
      {
        request: `POST ${MANAGEMENT}/apikey/regenerate/${OLD_ID}`,
        body: { rotation_time_interval: 6, rotation_time_unit: 'hours', updated_by: 'ana@example.com' },
        answer: { api_key: SECRET, api_key_id: NEW_ID },
      },
    ],
    value: {
      id: NEW_ID,
      name: null,
      api_key: SECRET,
      last8: null,
      auth_code: null,
      expires_at: null,
      revoked: null,
      cust_app: null,
      updated_at: null,
      updated_by: null,
    },
  },
  {
    command: remove,
    what: 'by name',
    args: 'api_key_name="chat key" updated_by=ana+ops@example.com',
    script: [
      {
        request: `DELETE ${MANAGEMENT}/apikey/delete/chat%20key?updated_by=ana%2Bops%40example.com`,
        answer: 'successfully deleted apiKeyName: chat key',
      },
    ],
    value: {
      api_key_name: 'chat key',
      deleted_by: 'ana+ops@example.com',
      message: 'successfully deleted apiKeyName: chat key',
      deleted: true,
    },
  },
];
