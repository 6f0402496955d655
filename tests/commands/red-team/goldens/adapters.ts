import { BROKER, type Golden, MGMT } from '../golden.ts';

const list = 'aisec-redteam-adapters-list';
const get = 'aisec-redteam-adapters-get';
const create = 'aisec-redteam-adapters-create';
const update = 'aisec-redteam-adapters-update';
const remove = 'aisec-redteam-adapters-delete';
const validate = 'aisec-redteam-adapters-validate';

export const keys = {
  [list]: ['uuid'],
  [get]: ['uuid'],
  [create]: ['uuid'],
  [update]: ['uuid'],
  [remove]: ['uuid'],
  [validate]: [],
};

export const ID = '7b31e9d4-05ac-4f86-92d7-c8e0416fa5b3';
export const CHANNEL = 'e40a7c92-d63b-4815-8f0e-29b5d7c1a684';
const AT = '2026-11-20T10:15:30.123456Z';

/** `print("grüß")` in base64 of its UTF-8 bytes. */
export const ENCODED = 'cHJpbnQoImdyw7zDnyIp';

const wire = {
  uuid: ID,
  tsg_id: '0012003400',
  name: 'portal',
  description: 'Signs in.',
  status: 'ACTIVE',
  script_b64: ENCODED,
  network_broker_channel_uuid: CHANNEL,
  variables: [
    { key: 'URL', value: 'https://p.example.com', type: 'VAR', is_redacted: false },
    { key: 'KEY', value: '**********', type: 'SECRET', is_redacted: true },
    { key: 'OLD', value: null, type: 'SECRET', is_redacted: true },
  ],
  target_count: 0,
  created_at: AT,
  updated_at: AT,
  created_by_user_id: 'u-1',
};

/** Members that a replacement repeats; null keeps the stored secret. */
export const kept = {
  name: 'portal',
  description: 'Signs in.',
  script_b64: ENCODED,
  network_broker_channel_uuid: CHANNEL,
  variables: [
    { key: 'URL', value: 'https://p.example.com', type: 'VAR' },
    { key: 'KEY', value: null, type: 'SECRET' },
    { key: 'OLD', value: null, type: 'SECRET' },
  ],
};

const row = { uuid: ID, name: 'portal', status: 'ACTIVE', created_at: AT, updated_at: AT };

export const read = { request: `GET ${MGMT}/adapters/${ID}`, answer: wire };
export const online = { request: `GET ${BROKER}/channels/${CHANNEL}`, answer: { uuid: CHANNEL, status: 'ONLINE' } };

const saved = {
  uuid: ID,
  name: 'portal',
  status: 'ACTIVE',
  network_broker_channel_uuid: CHANNEL,
  target_count: 0,
  created_at: AT,
};

const empty = {
  uuid: null,
  name: null,
  status: null,
  network_broker_channel_uuid: null,
  target_count: null,
  created_at: null,
};

const given = [
  { key: 'URL', value: '', type: 'VAR' },
  { key: 'KEY', value: 'hush-hush', type: 'SECRET' },
];
const typed = `variables=\`${JSON.stringify(given)}\``;

export const goldens: readonly Golden[] = [
  {
    command: list,
    what: 'counted, and a row that leaves out all it can',
    args: 'search=por skip=3 limit=5 include_target_count=true',
    script: [
      {
        request: `GET ${MGMT}/adapters?search=por&include_target_count=true&skip=3&limit=5`,
        answer: {
          pagination: { total_items: 5 },
          data: [
            { ...row, target_count: 0 },
            { uuid: 'a-2', status: 'MELTED' },
          ],
        },
      },
    ],
    value: [
      { ...row, target_count: 0 },
      { uuid: 'a-2', name: null, status: 'MELTED', target_count: null, created_at: null, updated_at: null },
    ],
  },
  {
    command: get,
    what: 'a full answer',
    args: `uuid=${ID}`,
    script: [read],
    value: {
      uuid: ID,
      name: 'portal',
      status: 'ACTIVE',
      target_count: 0,
      created_at: AT,
      updated_at: AT,
      description: 'Signs in.',
      tsg_id: '0012003400',
      network_broker_channel_uuid: CHANNEL,
      script_b64: ENCODED,
      variables: wire.variables,
    },
  },
  {
    command: create,
    what: 'a script in plain text, validated',
    args: `name=portal prompt=Hello script='print("grüß")' network_broker_channel_uuid=${CHANNEL}`,
    script: [
      online,
      {
        request: `POST ${MGMT}/adapters?validate=true`,
        body: { name: 'portal', prompt: 'Hello', script_b64: ENCODED, network_broker_channel_uuid: CHANNEL },
        status: 201,
        answer: wire,
      },
    ],
    value: saved,
  },
  {
    command: create,
    what: 'every other argument, as a draft',
    args: `name=portal prompt=Hello script_b64=${ENCODED} description=d ${typed} validate=false`,
    script: [
      {
        request: `POST ${MGMT}/adapters?validate=false`,
        body: { name: 'portal', prompt: 'Hello', script_b64: ENCODED, description: 'd', variables: given },
        status: 201,
        answer: {},
      },
    ],
    value: empty,
    planned: { name: 'portal', prompt: 'Hello', script_b64: ENCODED, description: 'd', variables: '(hidden)' },
  },
  {
    command: update,
    what: 'what is omitted is read first',
    args: `uuid=${ID} prompt=Again`,
    script: [
      read,
      online,
      { request: `PUT ${MGMT}/adapters/${ID}?validate=true`, body: { ...kept, prompt: 'Again' }, answer: wire },
    ],
    value: { ...saved, updated_at: AT },
  },
  {
    command: update,
    what: 'every argument',
    args: `uuid=${ID} prompt=p name=n script=x description=null network_broker_channel_uuid=null variables=[] validate=false`,
    script: [
      read,
      {
        request: `PUT ${MGMT}/adapters/${ID}?validate=false`,
        body: {
          name: 'n',
          description: null,
          script_b64: 'eA==',
          network_broker_channel_uuid: null,
          variables: [],
          prompt: 'p',
        },
        answer: {},
      },
    ],
    value: { ...empty, updated_at: null },
    planned: {
      name: 'n',
      description: null,
      script_b64: 'eA==',
      network_broker_channel_uuid: null,
      variables: '(hidden)',
      prompt: 'p',
    },
  },
  {
    command: remove,
    what: 'an answer without a body',
    args: `uuid=${ID}`,
    script: [{ request: `DELETE ${MGMT}/adapters/${ID}`, status: 204 }],
    value: { uuid: ID, is_success: true },
  },
  {
    command: remove,
    what: 'an answer that denies it',
    args: `uuid=${ID}`,
    script: [{ request: `DELETE ${MGMT}/adapters/${ID}`, answer: { is_success: false } }],
    value: { uuid: ID, is_success: false },
  },
  {
    command: validate,
    what: 'a script that ran',
    args: `network_broker_channel_uuid=${CHANNEL} prompt=Hello script=x ${typed} adapter_uuid=${ID}`,
    script: [
      online,
      {
        request: `POST ${MGMT}/adapters/validate`,
        body: {
          network_broker_channel_uuid: CHANNEL,
          prompt: 'Hello',
          script_b64: 'eA==',
          variables: given,
          adapter_uuid: ID,
        },
        answer: { validated: true, stdout: 'hi\n', stderr: '', traceback: null },
      },
    ],
    value: { validated: true, stdout: 'hi\n', stderr: '', traceback: null },
    planned: {
      network_broker_channel_uuid: CHANNEL,
      prompt: 'Hello',
      script_b64: 'eA==',
      variables: '(hidden)',
      adapter_uuid: ID,
    },
  },
  {
    command: validate,
    what: 'a script that failed',
    args: `network_broker_channel_uuid=${CHANNEL} prompt=Hello script_b64=${ENCODED}`,
    script: [
      online,
      {
        request: `POST ${MGMT}/adapters/validate`,
        body: { network_broker_channel_uuid: CHANNEL, prompt: 'Hello', script_b64: ENCODED },
        answer: { validated: false },
      },
    ],
    value: { validated: false, stdout: null, stderr: null, traceback: null },
  },
];
