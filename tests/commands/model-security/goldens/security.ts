import { TENANT } from '../../../support/scripted.ts';
import type { Golden } from '../../runtime/golden.ts';
import { GROUP, ID, MGMT, OTHER, TIME } from './addresses.ts';

const command = (rest: string) => `aisec-model-security-${rest}`;

export const groupKeys = {
  [command('groups-list')]: ['uuid'],
  [command('groups-get')]: ['uuid'],
  [command('groups-create')]: ['uuid'],
  [command('groups-update')]: ['uuid'],
  [command('groups-delete')]: ['uuid'],
};
export const ruleKeys = { [command('rules-list')]: ['uuid'], [command('rules-get')]: ['uuid'] };
export const instanceKeys = {
  [command('rule-instances-list')]: ['security_group_uuid'],
  [command('rule-instances-get')]: ['uuid'],
  [command('rule-instances-update')]: ['uuid'],
};

const group = {
  uuid: GROUP,
  name: 'Production models',
  description: 'What may go live.\n',
  state: 'ACTIVE',
  is_tombstone: false,
  created_at: TIME,
  updated_at: TIME,
  tsg_id: TENANT,
};
const groupWire = { ...group, source_type: 'AZURE' };
const groupRow = { ...group, source_type: 'STORE_C' };

export const groups: readonly Golden[] = [
  {
    command: command('groups-list'),
    what: 'two rows, one of them empty',
    args: '',
    script: [
      {
        request: `GET ${MGMT}/security-groups?skip=0&limit=50`,
        answer: { security_groups: [{ ...groupWire, enabled_rule_count: 3 }, {}], pagination: { total_items: 2 } },
      },
    ],
    value: [groupRow, Object.fromEntries(Object.keys(groupRow).map((name) => [name, null]))],
  },
  {
    command: command('groups-get'),
    what: 'one that was deleted',
    args: `uuid=${GROUP}`,
    script: [{ request: `GET ${MGMT}/security-groups/${GROUP}`, answer: { ...groupWire, is_tombstone: true } }],
    value: { ...groupRow, is_tombstone: true },
  },
  {
    command: command('groups-create'),
    what: 'all arguments',
    args: 'name="Production models" source_type=STORE_C description="What may go live."',
    script: [
      {
        request: `POST ${MGMT}/security-groups`,
        body: { name: 'Production models', source_type: 'AZURE', description: 'What may go live.' },
        status: 201,
        answer: { ...groupWire, state: 'PENDING' },
      },
    ],
    value: { ...groupRow, state: 'PENDING' },
  },
  {
    command: command('groups-update'),
    what: 'the name alone',
    args: `uuid=${GROUP} name=New`,
    script: [
      {
        request: `PUT ${MGMT}/security-groups/${GROUP}`,
        body: { name: 'New' },
        answer: { ...groupWire, name: 'New' },
      },
    ],
    value: { ...groupRow, name: 'New' },
  },
  {
    command: command('groups-delete'),
    what: 'without a response body',
    args: `uuid=${GROUP}`,
    script: [{ request: `DELETE ${MGMT}/security-groups/${GROUP}`, status: 204 }],
    value: { uuid: GROUP, deleted: true },
  },
];

const rule = {
  uuid: ID,
  name: 'Approved file formats',
  description: 'Weights must be in an approved format.',
  rule_type: 'ARTIFACT',
  default_state: 'ALLOWING',
};
const fields = [{ attribute_name: 'approved_formats', type: 'list', display_name: 'Formats', display_type: 'LIST' }];
const ruleWire = {
  ...rule,
  compatible_sources: ['ALL', 'HUGGING_FACE', 'S3'],
  remediation: {
    description: 'Convert it.',
    steps: ['Convert the weights.', 'Scan again.'],
    url: 'https://docs.example.com',
  },
  editable_fields: fields,
  constant_values: { severity: 'high' },
  default_values: { approved_formats: ['safetensors'] },
};
const ruleRow = { ...rule, compatible_sources: ['ALL', 'MODEL_HUB', 'STORE_A'] };

export const rules: readonly Golden[] = [
  {
    command: command('rules-list'),
    what: 'one of them',
    args: '',
    script: [
      {
        request: `GET ${MGMT}/security-rules?skip=0&limit=50`,
        answer: { rules: [{ ...ruleWire, enabled_security_group_count: 2 }], pagination: { total_items: 1 } },
      },
    ],
    value: [ruleRow],
  },
  {
    command: command('rules-get'),
    what: 'all fields',
    args: `uuid=${ID}`,
    script: [{ request: `GET ${MGMT}/security-rules/${ID}`, answer: ruleWire }],
    value: {
      ...ruleRow,
      remediation_description: 'Convert it.',
      remediation_steps: ['Convert the weights.', 'Scan again.'],
      remediation_url: 'https://docs.example.com',
      editable_fields: fields,
      constant_values: { severity: 'high' },
      default_values: { approved_formats: ['safetensors'] },
    },
  },
];

const instance = {
  uuid: OTHER,
  security_group_uuid: GROUP,
  state: 'BLOCKING',
  created_at: TIME,
  updated_at: null,
  tsg_id: TENANT,
};
const managed = { ...instance, security_rule_uuid: ID, field_values: { approved_formats: ['safetensors'] } };
export const managedWire = { ...managed, rule: ruleWire, custom_rule: null };
const managedRow = {
  ...managed,
  rule_name: 'Approved file formats',
  rule_type: 'ARTIFACT',
  rule_description: 'Weights must be in an approved format.',
};
const custom = { uuid: ID, name: 'Not in quarantine', description: 'A rule of our own.' };
export const customWire = {
  ...instance,
  security_rule_uuid: null,
  rule: null,
  custom_rule: custom,
  custom_rule_uuid: ID,
};
const customRow = {
  ...instance,
  security_rule_uuid: null,
  rule_name: 'Not in quarantine',
  rule_type: null,
  rule_description: 'A rule of our own.',
  field_values: null,
};

const all = `${MGMT}/security-groups/${GROUP}/rule-instances`;
const ids = `security_group_uuid=${GROUP} rule_instance_uuid=${OTHER}`;

export const instances: readonly Golden[] = [
  {
    command: command('rule-instances-list'),
    what: 'a rule of the service and a custom one',
    args: `security_group_uuid=${GROUP}`,
    script: [
      {
        request: `GET ${all}?skip=0&limit=50`,
        answer: { rule_instances: [managedWire, customWire], pagination: { total_items: 2 } },
      },
    ],
    value: {
      security_group_uuid: GROUP,
      rule_instances: [managedRow, customRow],
      total_items: 2,
      limit: 50,
      offset: 0,
    },
  },
  {
    command: command('rule-instances-list'),
    what: 'all arguments',
    args: `security_group_uuid=${GROUP} limit=5 offset=5 security_rule_uuid=${ID} state=DISABLED`,
    script: [
      {
        request: `GET ${all}?security_rule_uuid=${ID}&state=DISABLED&skip=5&limit=5`,
        answer: { rule_instances: [], pagination: { total_items: 0 } },
      },
    ],
    value: { security_group_uuid: GROUP, rule_instances: [], total_items: 0, limit: 5, offset: 5 },
  },
  {
    command: command('rule-instances-get'),
    what: 'a rule of the service',
    args: ids,
    script: [{ request: `GET ${all}/${OTHER}`, answer: managedWire }],
    value: managedRow,
  },
  {
    command: command('rule-instances-get'),
    what: 'a custom rule',
    args: ids,
    script: [{ request: `GET ${all}/${OTHER}`, answer: customWire }],
    value: customRow,
  },
  {
    command: command('rule-instances-update'),
    what: 'the state alone',
    args: `${ids} state=BLOCKING`,
    script: [
      {
        request: `PUT ${all}/${OTHER}`,
        body: { security_group_uuid: GROUP, state: 'BLOCKING' },
        answer: customWire,
      },
    ],
    value: customRow,
  },
  {
    command: command('rule-instances-update'),
    what: 'values beside those that are there',
    args: `${ids} state=ALLOWING field_values=\`{"deny_orgs": ["evil"]}\``,
    script: [
      { request: `GET ${all}/${OTHER}`, answer: managedWire },
      {
        request: `PUT ${all}/${OTHER}`,
        body: {
          security_group_uuid: GROUP,
          state: 'ALLOWING',
          field_values: { approved_formats: ['safetensors'], deny_orgs: ['evil'] },
        },
        answer: { ...managedWire, state: 'ALLOWING' },
      },
    ],
    value: { ...managedRow, state: 'ALLOWING' },
  },
];
