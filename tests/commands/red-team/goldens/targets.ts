import { DATA, type Golden, MGMT } from '../golden.ts';

const list = 'aisec-redteam-targets-list';
const create = 'aisec-redteam-targets-create';
const get = 'aisec-redteam-targets-get';
const update = 'aisec-redteam-targets-update';
const remove = 'aisec-redteam-targets-delete';
const probe = 'aisec-redteam-targets-probe';
const profile = 'aisec-redteam-targets-profile';
const updateProfile = 'aisec-redteam-targets-update-profile';
const metadata = 'aisec-redteam-targets-metadata';
const validateAuth = 'aisec-redteam-targets-validate-auth';
const templates = 'aisec-redteam-targets-templates';
const errorLogs = 'aisec-redteam-targets-error-logs';

export const keys = {
  [list]: ['uuid'],
  [create]: ['uuid'],
  [get]: ['uuid'],
  [update]: ['uuid'],
  [remove]: ['uuid'],
  [probe]: ['uuid'],
  [profile]: ['target_id'],
  [updateProfile]: ['uuid'],
  [metadata]: [],
  [validateAuth]: [],
  [templates]: [],
  [errorLogs]: ['created_at', 'target_id', 'error_message'],
};

export const ID = '5d2f8c1a-9b47-4e03-a6d8-71c0e94b3f52';
const CHANNEL = 'b7e1940c-2f6d-4a83-95be-0c8d3a7f1e64';
const ADAPTER = '8a0c6e2f-51d9-4b37-b4f8-e92d7c5a1063';
const AT = '2026-11-20T10:15:30.123456Z';

/** Members of a target in a list. */
const row = {
  uuid: ID,
  tsg_id: '0012003400',
  name: 'chat',
  description: 'Answers.',
  target_type: 'APPLICATION',
  connection_type: 'REST',
  api_endpoint_type: 'PUBLIC',
  response_mode: 'STREAMING',
  auth_type: 'HEADERS',
  session_supported: false,
  status: 'ACTIVE',
  active: true,
  validated: true,
  created_by_user_id: 'u-1',
  updated_by_user_id: 'u-2',
  created_at: AT,
  updated_at: AT,
};

const nothing = {
  tsg_id: null,
  description: null,
  target_type: null,
  connection_type: null,
  api_endpoint_type: null,
  response_mode: null,
  auth_type: null,
  session_supported: null,
  created_by_user_id: null,
  updated_by_user_id: null,
  updated_at: null,
};

const connection = {
  api_endpoint: 'https://chat.example.com/ask',
  request_headers: { authorization: '**********' },
  request_json: { question: '{INPUT}' },
  response_json: { answer: '{RESPONSE}' },
};

const background = { industry: 'Insurance', competitors: ['Northern'] };
const context = { base_model: 'small', languages_supported: [] };
const found = { multi_turn: true, rate_limit_enabled: false, content_filter_enabled: true, request_timeout: 110 };

/** All members of a target. */
export const detail = {
  ...row,
  auth_config: { auth_header: { 'X-Key': '**********' } },
  connection_params: connection,
  network_broker_channel_uuid: CHANNEL,
  adapter_uuid: ADAPTER,
  adapter_variable_overrides: [
    { key: 'URL', value: 'https://a.example.com', type: 'VAR', is_redacted: false },
    { key: 'KEY', value: '**********', type: 'SECRET', is_redacted: true },
  ],
  target_metadata: found,
  target_background: background,
  additional_context: context,
  extra_info: { owner: 'ana' },
  canonical_id: 'c-1',
  profiling_status: 'COMPLETED',
  profiling_progress: 100,
  version: 3,
  secret_version: '3',
};

/** Members of it that a replacement repeats. */
export const kept = {
  name: 'chat',
  description: 'Answers.',
  target_type: 'APPLICATION',
  connection_type: 'REST',
  api_endpoint_type: 'PUBLIC',
  response_mode: 'STREAMING',
  session_supported: false,
  auth_type: 'HEADERS',
  auth_config: { auth_header: { 'X-Key': '**********' } },
  connection_params: connection,
  network_broker_channel_uuid: CHANNEL,
  adapter_uuid: ADAPTER,
  adapter_variable_overrides: [
    { key: 'URL', value: 'https://a.example.com', type: 'VAR' },
    { key: 'KEY', value: null, type: 'SECRET' },
  ],
  target_metadata: found,
  target_background: background,
  additional_context: context,
  extra_info: { owner: 'ana' },
  canonical_id: 'c-1',
};

const read = { request: `GET ${MGMT}/target/${ID}`, answer: detail };
const given = { api_endpoint: 'https://new.example.com', request_json: { q: '{INPUT}' } };
const typed = `connection_params=\`${JSON.stringify(given)}\``;

const entry = {
  created_at: AT,
  updated_at: AT,
  job_id: 'j-1',
  target_id: ID,
  target_version: 0,
  attack_id: 'a-1',
  error_type: 'NETWORK',
  error_source: 'TARGET',
  error_message: 'no such host',
  target_object: { name: 'chat' },
  extra_info: { tries: 2 },
  version: 1,
};

const listing: readonly Golden[] = [
  {
    command: list,
    what: 'a full record, and one that leaves out all it can',
    args: 'target_type=AGENT status=ACTIVE',
    script: [
      {
        request: `GET ${MGMT}/target?target_type=AGENT&status=ACTIVE&skip=0&limit=50`,
        answer: {
          pagination: { total_items: null },
          data: [
            { ...row, connection_type: 'BEDROCK', extra_info: {}, version: 2 },
            { uuid: 't-2', name: '', status: 'MELTED', active: false, validated: false, created_at: '' },
          ],
        },
      },
    ],
    value: [
      { ...row, connection_type: 'VENDOR_D' },
      { ...nothing, uuid: 't-2', name: '', status: 'MELTED', active: false, validated: false, created_at: '' },
    ],
  },
  {
    command: get,
    what: 'a full answer',
    args: `uuid=${ID}`,
    script: [read],
    value: {
      uuid: ID,
      name: 'chat',
      tsg_id: '0012003400',
      status: 'ACTIVE',
      active: true,
      validated: true,
      target_type: 'APPLICATION',
      connection_type: 'REST',
      profiling_status: 'COMPLETED',
      target_metadata: found,
      target_background: background,
      additional_context: context,
    },
  },
  {
    command: profile,
    what: 'a full answer',
    args: `target_uuid=${ID}`,
    script: [
      {
        request: `GET ${MGMT}/target/${ID}/profile`,
        answer: {
          target_id: ID,
          target_version: 3,
          status: 'ACTIVE',
          profiling_status: 'COMPLETED',
          profiling_progress: 100,
          target_background: background,
          additional_context: null,
          ai_generated_fields: ['base_model'],
          other_details: { items: { tone: 'friendly' } },
        },
      },
    ],
    value: {
      target_id: ID,
      target_version: 3,
      status: 'ACTIVE',
      profiling_status: 'COMPLETED',
      target_background: background,
      additional_context: null,
      ai_generated_fields: ['base_model'],
      other_details: { items: { tone: 'friendly' } },
    },
  },
  {
    command: metadata,
    what: 'a dictionary',
    args: '',
    script: [
      {
        request: `GET ${MGMT}/template/target-metadata`,
        answer: { name: { type: 'string', required: true }, request_timeout: { default: 110, max: null } },
      },
    ],
    value: { name: { type: 'string', required: true }, request_timeout: { default: 110, max: null } },
  },
  {
    command: templates,
    what: 'providers with neutral names, and others',
    args: '',
    script: [
      {
        request: `GET ${MGMT}/template/target-templates`,
        answer: {
          OPENAI: { id: 'a', name: 'A', is_custom: false, url: '' },
          HUGGING_FACE: { id: 'b' },
          DATABRICKS: { id: 'c' },
          BEDROCK: { id: 'd' },
          MS_COPILOT_STUDIO: { id: 'e' },
          REST: { id: 'r', OPENAI: 'stays' },
          TOMORROW: null,
        },
      },
    ],
    value: {
      VENDOR_A: { id: 'a', name: 'A', is_custom: false, url: '' },
      VENDOR_B: { id: 'b' },
      VENDOR_C: { id: 'c' },
      VENDOR_D: { id: 'd' },
      VENDOR_E: { id: 'e' },
      REST: { id: 'r', OPENAI: 'stays' },
      TOMORROW: null,
    },
  },
  {
    command: errorLogs,
    what: 'a full entry, and one that leaves out all it can',
    args: `target_id=${ID} search=host skip=2 limit=7`,
    script: [
      {
        request: `GET ${DATA}/error-log/target-profile/${ID}?search=host&skip=2&limit=7`,
        answer: { pagination: { total_items: 4 }, data: [entry, { created_at: AT, updated_at: AT }] },
      },
    ],
    value: [
      entry,
      {
        ...Object.fromEntries(Object.keys(entry).map((name) => [name, null])),
        created_at: AT,
        updated_at: AT,
      },
    ],
  },
];

const writing: readonly Golden[] = [
  {
    command: create,
    what: 'a name alone',
    args: 'name=chat',
    script: [
      {
        request: `POST ${MGMT}/target?validate=false`,
        body: { name: 'chat' },
        status: 201,
        answer: { ...row, status: 'DRAFT', active: false, validated: false },
      },
    ],
    value: { uuid: ID, name: 'chat', status: 'DRAFT', active: false, validated: false, created_at: AT },
  },
  {
    command: create,
    what: 'every argument',
    args: `name=chat description=d target_type=MODEL connection_type=VENDOR_B api_endpoint_type=PRIVATE response_mode=REST session_supported=true ${typed} validate=true`,
    script: [
      {
        request: `POST ${MGMT}/target?validate=true`,
        body: {
          name: 'chat',
          description: 'd',
          target_type: 'MODEL',
          connection_type: 'HUGGING_FACE',
          api_endpoint_type: 'PRIVATE',
          response_mode: 'REST',
          session_supported: true,
          connection_params: given,
        },
        answer: { uuid: ID, connection_params: null },
      },
    ],
    value: { uuid: ID, name: null, status: null, active: null, validated: null, created_at: null },
    planned: {
      name: 'chat',
      description: 'd',
      target_type: 'MODEL',
      connection_type: 'HUGGING_FACE',
      api_endpoint_type: 'PRIVATE',
      response_mode: 'REST',
      session_supported: true,
      connection_params: '(hidden)',
    },
  },
  {
    command: update,
    what: 'what is omitted is read first',
    args: `uuid=${ID} description="New."`,
    script: [
      read,
      {
        request: `PUT ${MGMT}/target/${ID}`,
        body: { ...kept, description: 'New.' },
        answer: { ...detail, description: 'New.' },
      },
    ],
    value: { uuid: ID, name: 'chat', status: 'ACTIVE', updated_at: AT },
  },
  {
    command: update,
    what: 'every argument, of a target that has little',
    args: `uuid=${ID} name=n description=null target_type=AGENT connection_type=REST ${typed} validate=false`,
    script: [
      { ...read, answer: { uuid: ID, name: 'chat', description: 'd', session_supported: true, auth_type: null } },
      {
        request: `PUT ${MGMT}/target/${ID}?validate=false`,
        body: {
          name: 'n',
          description: null,
          session_supported: true,
          target_type: 'AGENT',
          connection_type: 'REST',
          connection_params: given,
        },
        answer: {},
      },
    ],
    value: { uuid: null, name: null, status: null, updated_at: null },
    planned: {
      name: 'n',
      description: null,
      session_supported: true,
      target_type: 'AGENT',
      connection_type: 'REST',
      connection_params: '(hidden)',
    },
  },
  {
    command: remove,
    what: 'an answer without a body',
    args: `uuid=${ID}`,
    script: [{ request: `DELETE ${MGMT}/target/${ID}`, status: 204 }],
    value: { uuid: ID, message: 'The target is deleted.', status: 204 },
  },
  {
    command: remove,
    what: 'an answer in words',
    args: `uuid=${ID}`,
    script: [{ request: `DELETE ${MGMT}/target/${ID}`, answer: { message: 'Gone.', status: 200 } }],
    value: { uuid: ID, message: 'Gone.', status: 200 },
  },
  {
    command: updateProfile,
    what: 'one of the two parts',
    args: `target_uuid=${ID} target_background=\`{"industry": "Travel"}\``,
    script: [
      {
        request: `PUT ${MGMT}/target/${ID}/profile`,
        body: { target_background: { industry: 'Travel' } },
        answer: { ...detail, target_background: { industry: 'Travel' } },
      },
    ],
    value: {
      uuid: ID,
      name: 'chat',
      status: 'ACTIVE',
      active: true,
      validated: true,
      updated_at: AT,
      target_background: { industry: 'Travel' },
      additional_context: context,
    },
  },
];

const probed = {
  uuid: ID,
  name: 'chat',
  status: 'ACTIVE',
  validated: true,
  profiling_status: 'COMPLETED',
  multi_turn_supported: true,
  rate_limit_enabled: false,
  content_filter_enabled: true,
  target_metadata: found,
};

const trying: readonly Golden[] = [
  {
    command: probe,
    what: 'a target that is not there yet',
    args: `name=chat description=d target_type=MODEL connection_type=OPENAI ${typed} probe_fields="multi_turn, rate_limit"`,
    script: [
      {
        request: `POST ${MGMT}/target/probe`,
        body: {
          name: 'chat',
          description: 'd',
          target_type: 'MODEL',
          connection_type: 'OPENAI',
          connection_params: given,
          probe_fields: ['multi_turn', 'rate_limit'],
        },
        answer: detail,
      },
    ],
    value: probed,
    planned: {
      name: 'chat',
      description: 'd',
      target_type: 'MODEL',
      connection_type: 'OPENAI',
      connection_params: '(hidden)',
      probe_fields: ['multi_turn', 'rate_limit'],
    },
  },
  {
    command: probe,
    what: 'an existing target, which is read first',
    args: `name=other uuid=${ID} probe_fields=content_filter`,
    script: [
      read,
      {
        request: `POST ${MGMT}/target/probe`,
        body: { ...kept, name: 'other', uuid: ID, probe_fields: ['content_filter'] },
        answer: { uuid: ID, target_metadata: null },
      },
    ],
    value: {
      uuid: ID,
      name: null,
      status: null,
      validated: null,
      profiling_status: null,
      multi_turn_supported: null,
      rate_limit_enabled: null,
      content_filter_enabled: null,
      target_metadata: null,
    },
  },
  {
    command: validateAuth,
    what: 'every argument',
    args: `auth_type=OAUTH2 auth_config=\`{"oauth2_token_url": "https://t.example.com"}\` target_id=${ID} network_broker_channel_uuid=${CHANNEL}`,
    script: [
      {
        request: `POST ${MGMT}/target/validate-auth`,
        body: {
          auth_type: 'OAUTH2',
          auth_config: { oauth2_token_url: 'https://t.example.com' },
          target_id: ID,
          network_broker_channel_uuid: CHANNEL,
        },
        answer: { validated: true, token_preview: 'abcdefghijklmnopqrst', expires_in: 3600 },
      },
    ],
    value: { validated: true, token_preview: 'abcd***', expires_in: 3600 },
    planned: null,
  },
  {
    command: validateAuth,
    what: 'an answer that leaves out all it can',
    args: 'auth_type=OTHER auth_config=`{"headers": {"a": "b"}}`',
    script: [
      {
        request: `POST ${MGMT}/target/validate-auth`,
        body: { auth_type: 'OTHER', auth_config: { headers: { a: 'b' } } },
        answer: { validated: false, token_preview: null },
      },
    ],
    value: { validated: false, token_preview: null, expires_in: null },
    planned: null,
  },
];

export const goldens: readonly Golden[] = [...listing, ...writing, ...trying];
