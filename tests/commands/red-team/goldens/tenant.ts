import { DATA, type Golden, MGMT } from '../golden.ts';

const instances = {
  create: 'aisec-redteam-instances-create',
  get: 'aisec-redteam-instances-get',
  update: 'aisec-redteam-instances-update',
  remove: 'aisec-redteam-instances-delete',
};
const devices = {
  create: 'aisec-redteam-devices-create',
  update: 'aisec-redteam-devices-update',
  remove: 'aisec-redteam-devices-delete',
};
const languages = 'aisec-redteam-languages-list';
const eula = {
  status: 'aisec-redteam-eula-status',
  content: 'aisec-redteam-eula-content',
  accept: 'aisec-redteam-eula-accept',
};
const registry = 'aisec-redteam-registry-credentials-get';

export const keys = {
  ...Object.fromEntries(Object.values(instances).map((name) => [name, ['tenant_id']])),
  ...Object.fromEntries(Object.values(devices).map((name) => [name, ['serial_number']])),
  [languages]: ['plane'],
  ...Object.fromEntries(Object.values(eula).map((name) => [name, []])),
  [registry]: [],
};

/** A tenant whose name has to be encoded in a path. */
const PLACE = `${MGMT}/instances/lab%2Feu%20%231`;
const TENANT_ID = 'tenant_id="lab/eu #1"';

const ids = { tenant_id: 'lab/eu #1', tsg_id: '0042', app_id: 'app' };
const done = { ...ids, is_success: true };

export const instance = {
  ...ids,
  region: 'eu',
  tenant_instance_name: 'Lab',
  support_account_id: '7',
  support_account_name: 'Ours',
  created_by: 'ana@example.com',
  internal: false,
  deployment_profiles: [{ dp_name: 'p', auth_code: 'D1' }],
};

const readInstance = { request: `GET ${PLACE}`, answer: instance };

const details = {
  tenant_instance_name: 'Lab',
  support_account_id: '7',
  support_account_name: 'Ours',
  created_by: 'ana@example.com',
  internal: false,
};
const further = { iam_controlled: true, platform_region: 'eu-1', csp_tenant_id: '9', extra: { a: [1] } };
const typed =
  'tenant_instance_name=Lab support_account_id=7 support_account_name=Ours created_by=ana@example.com internal=false iam_controlled=true platform_region=eu-1 csp_tenant_id=9 extra=`{"a": [1]}`';

const ofInstances: readonly Golden[] = [
  {
    command: instances.create,
    what: 'what is required',
    args: `tsg_id=0042 ${TENANT_ID} app_id=app region=eu`,
    script: [{ request: `POST ${MGMT}/instances`, body: { ...ids, region: 'eu' }, answer: done }],
    value: done,
  },
  {
    command: instances.create,
    what: 'every argument, and an answer without a body',
    args: `tsg_id=0042 ${TENANT_ID} app_id=app region=eu ${typed}`,
    script: [{ request: `POST ${MGMT}/instances`, body: { ...ids, region: 'eu', ...details, ...further } }],
    value: { tenant_id: 'lab/eu #1', tsg_id: null, app_id: null, is_success: null },
  },
  {
    command: instances.get,
    what: 'a full answer',
    args: TENANT_ID,
    script: [readInstance],
    value: instance,
  },
  {
    command: instances.get,
    what: 'an answer that leaves out all it can',
    args: TENANT_ID,
    script: [{ request: `GET ${PLACE}`, answer: { tenant_id: 'other' } }],
    value: { ...Object.fromEntries(Object.keys(instance).map((name) => [name, null])), tenant_id: 'other' },
  },
  {
    command: instances.update,
    what: 'what is omitted is read first',
    args: `${TENANT_ID} region=us`,
    script: [
      readInstance,
      {
        request: `PUT ${PLACE}`,
        body: { ...ids, region: 'us', ...details, extra: { deployment_profiles: instance.deployment_profiles } },
        answer: { ...done, is_success: false },
      },
    ],
    value: { ...done, is_success: false },
    planned: {
      ...ids,
      region: 'us',
      ...details,
      extra: { deployment_profiles: [{ dp_name: 'p', auth_code: '(hidden)' }] },
    },
  },
  {
    command: instances.update,
    what: 'every argument',
    args: `${TENANT_ID} tsg_id=1 app_id=b region=us ${typed}`,
    script: [
      { request: `GET ${PLACE}`, answer: { tenant_id: 'lab/eu #1', internal: true } },
      {
        request: `PUT ${PLACE}`,
        body: { tenant_id: 'lab/eu #1', tsg_id: '1', app_id: 'b', region: 'us', ...details, ...further },
        answer: {},
      },
    ],
    value: { tenant_id: 'lab/eu #1', tsg_id: null, app_id: null, is_success: null },
  },
  {
    command: instances.remove,
    what: 'a full answer',
    args: TENANT_ID,
    script: [{ request: `DELETE ${PLACE}`, answer: done }],
    value: done,
  },
  {
    command: instances.remove,
    what: 'an answer without a body',
    args: TENANT_ID,
    script: [{ request: `DELETE ${PLACE}`, status: 204 }],
    value: { tenant_id: 'lab/eu #1', tsg_id: null, app_id: null, is_success: true },
  },
];

const parent = { app_id: 'app', region: 'eu', tenant_id: 'lab/eu #1', tsg_id: '0042' };
const device = {
  serial_number: 'S1',
  device_name: 'n',
  model: 'm',
  sku: 'k',
  device_type: 'VM',
  asset_type: 'a',
  support_account_id: '7',
};
const single = Object.entries(device)
  .map(([name, value]) => `${name}=${value}`)
  .join(' ');
const batch = [
  { serial_number: 'S1', licenses: [{ id: 1 }] },
  { serial_number: 'S2', tsg_id: '5' },
];

const ofDevices: readonly Golden[] = [
  {
    command: devices.create,
    what: 'one device, of an instance that is read first',
    args: `${TENANT_ID} ${single} created_by=ana`,
    script: [
      readInstance,
      {
        request: `POST ${PLACE}/devices`,
        body: { instance: parent, created_by: 'ana', devices: [device] },
        answer: { status: 'SUCCESS', devices: [{ serial_number: 'S1', status: 'CREATED' }] },
      },
    ],
    value: [{ serial_number: 'S1', status: 'CREATED', error: null }],
  },
  {
    command: devices.create,
    what: 'several devices, of an instance that is named in full',
    args: `${TENANT_ID} app_id=x region=y tsg_id=7 devices=\`${JSON.stringify(batch)}\``,
    script: [
      {
        request: `POST ${PLACE}/devices`,
        body: { instance: { app_id: 'x', region: 'y', tenant_id: 'lab/eu #1', tsg_id: '7' }, devices: batch },
        answer: { devices: batch.map(({ serial_number }) => ({ serial_number, status: 'CREATED', error: '' })) },
      },
    ],
    value: batch.map(({ serial_number }) => ({ serial_number, status: 'CREATED', error: '' })),
  },
  {
    command: devices.update,
    what: 'one device, of an instance that is named in part; an answer without a body',
    args: `${TENANT_ID} serial_number=S1 region=y`,
    script: [
      readInstance,
      {
        request: `PATCH ${PLACE}/devices`,
        body: { instance: { ...parent, region: 'y' }, devices: [{ serial_number: 'S1' }] },
      },
    ],
    value: [{ serial_number: 'S1', status: null, error: null }],
  },
  {
    command: devices.remove,
    what: 'several devices, in one parameter',
    args: `${TENANT_ID} serial_numbers="S1, S2"`,
    script: [
      {
        request: `DELETE ${PLACE}/devices?serial_numbers=S1%2CS2`,
        answer: {
          devices: [
            { serial_number: 'S1', status: 'DELETED' },
            { serial_number: 'S2', status: 'DELETED' },
          ],
        },
      },
    ],
    value: [
      { serial_number: 'S1', status: 'DELETED', error: null },
      { serial_number: 'S2', status: 'DELETED', error: null },
    ],
  },
];

const spoken = {
  multilingual_enabled: false,
  supported_job_types: ['STATIC'],
  languages: [{ code: 'de', name: 'German' }],
};
const accepted = { uuid: 'e-1', is_accepted: true, accepted_by_user_id: 'u-1' };
const content = { request: `GET ${MGMT}/eula/content`, answer: { content: '# Terms\n\ud83d\ude00 & more' } };

const ofTenant: readonly Golden[] = [
  {
    command: languages,
    what: 'the data plane',
    args: '',
    script: [{ request: `GET ${DATA}/languages`, answer: spoken }],
    value: { ...spoken, plane: 'data' },
  },
  {
    command: languages,
    what: 'the management plane, and an answer that leaves out all it can',
    args: 'use_management=true',
    script: [{ request: `GET ${MGMT}/languages`, answer: { languages: [{ code: 'xx' }] } }],
    value: {
      multilingual_enabled: null,
      supported_job_types: null,
      languages: [{ code: 'xx', name: null }],
      plane: 'management',
    },
  },
  {
    command: eula.status,
    what: 'accepted',
    args: '',
    script: [
      { request: `GET ${MGMT}/eula/status`, answer: { ...accepted, accepted_at: '2026-05-11T10:00:00.5+02:00' } },
    ],
    value: { ...accepted, accepted_at: '2026-05-11T08:00:00Z' },
  },
  {
    command: eula.status,
    what: 'not accepted',
    args: '',
    script: [{ request: `GET ${MGMT}/eula/status`, answer: { uuid: null, is_accepted: false } }],
    value: { uuid: null, is_accepted: false, accepted_at: null, accepted_by_user_id: null },
  },
  {
    command: eula.content,
    what: 'a text with a character of two halves',
    args: '',
    script: [content],
    value: { content: '# Terms\n\ud83d\ude00 & more', content_length: 16 },
  },
  {
    command: eula.accept,
    what: 'the text is sent back',
    args: '',
    script: [
      content,
      {
        request: `POST ${MGMT}/eula/accept`,
        body: { eula_content: '# Terms\n\ud83d\ude00 & more' },
        answer: { ...accepted, accepted_at: '2026-11-21T12:00:00Z' },
      },
    ],
    value: { ...accepted, accepted_at: '2026-11-21T12:00:00Z' },
  },
  {
    command: eula.accept,
    what: 'at a time that is given',
    args: 'accepted_at=2026-11-20T10:15:30Z',
    script: [
      content,
      {
        request: `POST ${MGMT}/eula/accept`,
        body: { eula_content: '# Terms\n\ud83d\ude00 & more', accepted_at: '2026-11-20T10:15:30Z' },
        answer: {},
      },
    ],
    value: { uuid: null, is_accepted: null, accepted_at: null, accepted_by_user_id: null },
  },
  {
    command: registry,
    what: 'a token',
    args: '',
    script: [
      {
        request: `POST ${MGMT}/registry-credentials`,
        answer: { token: 'aaa.bbb.ccc', expiry: '2026-11-22 00:00:00 +0000 UTC' },
      },
    ],
    value: { token: 'aaa.bbb.ccc', expiry: '2026-11-22T00:00:00Z' },
  },
];

export const goldens: readonly Golden[] = [...ofInstances, ...ofDevices, ...ofTenant];
