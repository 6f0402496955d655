import { DLP } from '../../../support/scripted.ts';
import type { Golden } from '../golden.ts';

const list = 'aisec-runtime-dlp-profiles-list';
const get = 'aisec-runtime-dlp-profiles-get';
const create = 'aisec-runtime-dlp-profiles-create';
const patch = 'aisec-runtime-dlp-profiles-patch';
const replace = 'aisec-runtime-dlp-profiles-replace';
const remove = 'aisec-runtime-dlp-profiles-delete';

export const keys = Object.fromEntries(
  [list, get, create, patch, replace, remove].map((command): [string, string[]] => [command, ['id']]),
);

export const ALL = `${DLP}/data-profiles`;

export const RULES = [
  {
    rule_type: 'expression_tree',
    expression_tree: { operator_type: 'or', rule_item: { detection_technique: 'regex', name: 'Card Number' } },
  },
  { rule_type: 'multi_profile', multi_profile: { data_profile_ids: [11000001], operator_type: 'and' } },
];

/** A record as sent by the service. */
export const response = {
  id: '11995001',
  name: 'Cards',
  description: 'Card numbers.',
  version: 3,
  tenant_id: '1234567890123456789',
  profile_type: 'advanced',
  profile_status: 'active',
  type: 'custom',
  detection_rules: RULES,
  is_parent_managed: false,
  is_granular_data_profile: true,
  audit_metadata: {
    created_at: 1_777_000_000_000,
    updated_at: 1_777_100_000_123,
    created_by: 'ana@example.com',
    updated_by: 'ben@example.com',
  },
};

const base = {
  id: '11995001',
  name: 'Cards',
  description: 'Card numbers.',
  type: 'custom',
  profile_status: 'active',
  profile_type: 'advanced',
  version: 3,
};
const created = { created_at: 1_777_000_000_000, created_by: 'ana@example.com' };
const updated = { updated_at: 1_777_100_000_123, updated_by: 'ben@example.com' };
const flags = { is_granular_data_profile: true, is_parent_managed: false };
const listed = { ...base, ...flags, tenant_id: '1234567890123456789', ...created, ...updated };
const changed = { ...base, detection_rules: RULES, ...updated };

const empty = (value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.keys(value).map((name): [string, null] => [name, null]));

const rules = `\`${JSON.stringify(RULES)}\``;

export const goldens: readonly Golden[] = [
  {
    command: list,
    what: 'a full record, and one that leaves out all it can',
    args: '',
    script: [
      { request: `GET ${ALL}?page=0&size=50`, answer: { content: [response, { id: '2', audit_metadata: null }] } },
    ],
    value: [listed, { ...empty(listed), id: '2' }],
  },
  {
    command: get,
    what: 'with its rules',
    args: 'profile_id=11995001',
    script: [{ request: `GET ${ALL}/11995001`, answer: response }],
    value: { ...listed, detection_rules: RULES },
  },
  {
    command: create,
    what: 'required arguments',
    args: `name=Cards detection_rules=${rules}`,
    script: [
      { request: `POST ${ALL}`, body: { name: 'Cards', detection_rules: RULES }, status: 201, answer: response },
    ],
    value: { ...base, is_granular_data_profile: true, detection_rules: RULES, ...created },
  },
  {
    command: create,
    what: 'every argument, and an answer that leaves out all it can',
    args: `name="Cards, and more" detection_rules=[] description="" is_granular_data_profile=false`,
    script: [
      {
        request: `POST ${ALL}`,
        body: { name: 'Cards, and more', detection_rules: [], is_granular_data_profile: false },
        answer: { id: 7 },
      },
    ],
    value: {
      ...empty({ ...base, is_granular_data_profile: true, detection_rules: RULES, ...created }),
      id: '7',
    },
  },
  {
    command: patch,
    what: 'required arguments',
    args: 'profile_id=11995001 name=Cards profile_type=advanced',
    script: [{ request: `PATCH ${ALL}/11995001`, body: { name: 'Cards', profile_type: 'advanced' }, answer: response }],
    value: changed,
  },
  {
    command: patch,
    what: 'every argument, cleared',
    args: 'profile_id=11995001 name=Cards profile_type=basic description=null detection_rules=null',
    script: [
      {
        request: `PATCH ${ALL}/11995001`,
        body: { name: 'Cards', profile_type: 'basic', description: null, detection_rules: null },
        answer: { ...response, description: null, detection_rules: null, audit_metadata: undefined },
      },
    ],
    value: { ...changed, description: null, detection_rules: null, updated_at: null, updated_by: null },
  },
  {
    command: patch,
    what: 'every argument, set',
    args: `profile_id=11995001 name=Cards profile_type=basic description="Numbers." detection_rules=${rules}`,
    script: [
      {
        request: `PATCH ${ALL}/11995001`,
        body: { name: 'Cards', profile_type: 'basic', description: 'Numbers.', detection_rules: RULES },
        answer: response,
      },
    ],
    value: changed,
  },
  {
    command: replace,
    what: 'required arguments',
    args: `profile_id=11995001 name=Cards detection_rules=${rules}`,
    script: [{ request: `PUT ${ALL}/11995001`, body: { name: 'Cards', detection_rules: RULES }, answer: response }],
    value: changed,
  },
  {
    command: replace,
    what: 'every argument',
    args: `profile_id=11995001 name=Cards detection_rules=${rules} description=d is_granular_data_profile=yes`,
    script: [
      {
        request: `PUT ${ALL}/11995001`,
        body: { name: 'Cards', detection_rules: RULES, description: 'd', is_granular_data_profile: true },
        answer: response,
      },
    ],
    value: changed,
  },
  {
    command: remove,
    what: 'by a patch of what was read',
    args: 'profile_id=11995001',
    script: [
      { request: `GET ${ALL}/11995001`, answer: response },
      {
        request: `PATCH ${ALL}/11995001`,
        body: { name: 'Cards', profile_type: 'advanced', profile_status: 'deleted' },
        answer: { ...response, profile_status: 'deleted' },
      },
    ],
    value: {
      id: '11995001',
      name: 'Cards',
      profile_status: 'deleted',
      deleted: true,
      status: 'Successfully soft-deleted',
    },
  },
];
