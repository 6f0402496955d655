import { DLP } from '../../../support/scripted.ts';
import type { Golden } from '../golden.ts';

const list = 'aisec-runtime-dlp-patterns-list';
const get = 'aisec-runtime-dlp-patterns-get';
const create = 'aisec-runtime-dlp-patterns-create';
const patch = 'aisec-runtime-dlp-patterns-patch';
const replace = 'aisec-runtime-dlp-patterns-replace';
const remove = 'aisec-runtime-dlp-patterns-delete';

export const keys = Object.fromEntries(
  [list, get, create, patch, replace, remove].map((command): [string, string[]] => [command, ['id']]),
);

export const ALL = `${DLP}/data-patterns`;
export const ID = '66b1f0c27d3e9a4851c0b7d1';

const CONFIG = { technique: 'weighted_regex', supported_confidence_levels: ['high', 'low'] };
const MATCHING = {
  proximity_distance: 100,
  proximity_keywords: ['customer'],
  delimiter: ',',
  regexes: [{ regex: 'C-[0-9]{8}', weight: 2 }],
  metadata_criteria: [{ name: 'n', type: 't', value: 'v', comparisonOperatorType: 'equal_to' }],
};
const TAGS = { classification: ['pab'], compliance: ['GDPR'], geography: ['Europe'] };

/** A record as sent by the service. */
export const response = {
  id: ID,
  name: 'Customer Number',
  description: 'A C and digits.',
  tenant_id: '1234567890123456789',
  status: 'active',
  type: 'custom',
  version: 1,
  license_type: 'standard',
  tags: TAGS,
  detection_config: CONFIG,
  matching_rules: MATCHING,
  is_parent_managed: false,
  audit_metadata: {
    created_at: 1_777_000_000_000,
    updated_at: 1_777_100_000_123,
    created_by: 'ana@example.com',
    updated_by: 'ben@example.com',
  },
};

const named = { id: ID, name: 'Customer Number', description: 'A C and digits.', type: 'custom' };
const created = { created_at: 1_777_000_000_000, created_by: 'ana@example.com' };
const updated = { updated_at: 1_777_100_000_123, updated_by: 'ben@example.com' };
const definition = { detection_config: CONFIG, matching_rules: MATCHING, tags: TAGS };
const listed = {
  ...named,
  category: null,
  region_name: null,
  detection_technique: 'weighted_regex',
  detection_sub_technique: null,
  pattern_status: 'active',
  is_parent_managed: false,
  ...created,
  ...updated,
};
const made = { ...named, status: 'active', ...definition, ...created };
const changed = { ...named, status: 'active', version: 1, ...definition, ...updated };

const empty = (value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.keys(value).map((name): [string, null] => [name, null]));

const required = 'name="Customer Number" type=custom detection_technique=weighted_regex';
const optional = `supported_confidence_levels=high,low description="A C and digits." matching_rules=\`${JSON.stringify(MATCHING)}\` tags=\`${JSON.stringify(TAGS)}\``;

const minimum = { name: 'Customer Number', type: 'custom', detection_config: { technique: 'weighted_regex' } };
const everything = {
  name: 'Customer Number',
  type: 'custom',
  detection_config: CONFIG,
  description: 'A C and digits.',
  matching_rules: MATCHING,
  tags: TAGS,
};

export const goldens: readonly Golden[] = [
  {
    command: list,
    what: 'a full record, one that leaves out all it can, and one with flat members',
    args: '',
    script: [
      {
        request: `GET ${ALL}?page=0&size=50`,
        answer: {
          content: [
            response,
            { id: '2', audit_metadata: null, detection_config: null },
            {
              ...response,
              status: undefined,
              detection_config: undefined,
              category: 'Financial',
              region_name: 'India',
              detection_technique: 'ml',
              detection_sub_technique: 'dnn',
              pattern_status: 'silent',
            },
          ],
        },
      },
    ],
    value: [
      listed,
      { ...empty(listed), id: '2' },
      {
        ...listed,
        category: 'Financial',
        region_name: 'India',
        detection_technique: 'ml',
        detection_sub_technique: 'dnn',
        pattern_status: 'silent',
      },
    ],
  },
  {
    command: get,
    what: 'by id',
    args: `pattern_id=${ID}`,
    script: [{ request: `GET ${ALL}/${ID}`, answer: response }],
    value: {
      ...changed,
      ...created,
      license_type: 'standard',
      is_parent_managed: false,
      tenant_id: '1234567890123456789',
    },
  },
  {
    command: create,
    what: 'required arguments, and an answer that leaves out all it can',
    args: required,
    script: [{ request: `POST ${ALL}`, body: minimum, status: 201, answer: { id: ID } }],
    value: { ...empty(made), id: ID },
  },
  {
    command: create,
    what: 'every argument',
    args: `${required} ${optional}`,
    script: [{ request: `POST ${ALL}`, body: everything, answer: response }],
    value: made,
  },
  {
    command: patch,
    what: 'required arguments',
    args: `pattern_id=${ID} ${required}`,
    script: [{ request: `PATCH ${ALL}/${ID}`, body: minimum, answer: response }],
    value: changed,
  },
  {
    command: patch,
    what: 'every argument, set',
    args: `pattern_id=${ID} ${required} ${optional}`,
    script: [{ request: `PATCH ${ALL}/${ID}`, body: everything, answer: response }],
    value: changed,
  },
  {
    command: patch,
    what: 'what can be cleared, cleared',
    args: `pattern_id=${ID} ${required} description=null matching_rules=null tags=null`,
    script: [
      {
        request: `PATCH ${ALL}/${ID}`,
        body: { ...minimum, description: null, matching_rules: null, tags: null },
        answer: { ...response, description: null, matching_rules: null, tags: null },
      },
    ],
    value: { ...changed, description: null, matching_rules: null, tags: null },
  },
  {
    command: replace,
    what: 'required arguments',
    args: `pattern_id=${ID} ${required}`,
    script: [{ request: `PUT ${ALL}/${ID}`, body: minimum, answer: response }],
    value: changed,
  },
  {
    command: replace,
    what: 'every argument',
    args: `pattern_id=${ID} ${required} ${optional}`,
    script: [{ request: `PUT ${ALL}/${ID}`, body: everything, answer: response }],
    value: changed,
  },
  {
    command: remove,
    what: 'answered without a body',
    args: `pattern_id=${ID}`,
    script: [{ request: `DELETE ${ALL}/${ID}`, status: 204 }],
    value: { id: ID, deleted: true, status: 'Successfully archived' },
  },
];
