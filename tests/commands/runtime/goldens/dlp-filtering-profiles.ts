import { DLP } from '../../../support/scripted.ts';
import type { Golden } from '../golden.ts';

const list = 'aisec-runtime-dlp-filtering-profiles-list';
const get = 'aisec-runtime-dlp-filtering-profiles-get';
const replace = 'aisec-runtime-dlp-filtering-profiles-replace';

export const keys = { [list]: ['id'], [get]: ['id'], [replace]: ['id'] };

export const ALL = `${DLP}/data-filtering-profiles`;

/** Members that no argument sets. */
export const KEPT = {
  criteria_details: [{ dataProfileId: 11995001, fileBased: 'yes', fileTypes: ['csv'], logSeverity: 'HIGH' }],
  exception_rules: [{ id: 'e1', action: 'ALLOW', source_attributes: { user_ids: ['ceo@example.com'] } }],
  exclusions: { app_exclusion_list: [{ app_id: 'a1' }] },
  rule1: { action: 'alert' },
  rule2: { action: 'block' },
};

/** A record as sent by the service. */
export const response = {
  id: '21995001',
  data_profile_id: 11995001,
  name: 'Cards',
  description: 'Uploads of cards.',
  direction: 'UPLOAD',
  log_severity: 'HIGH',
  scan_type: 'include',
  file_based: true,
  non_file_based: false,
  file_type: ['csv', 'xlsx'],
  ...KEPT,
  is_granular_profile: true,
  is_parent_managed: false,
  is_end_user_coaching_enabled: true,
  euc_template_id: 't1',
  version: 5,
  tenant_id: '1234567890123456789',
  type: 'custom',
  audit_metadata: {
    created_at: 1_777_000_000_000,
    updated_at: 1_777_100_000_123,
    created_by: 'ana@example.com',
    updated_by: 'ben@example.com',
  },
};

const audit = {
  created_at: 1_777_000_000_000,
  updated_at: 1_777_100_000_123,
  created_by: 'ana@example.com',
  updated_by: 'ben@example.com',
};
const base = {
  id: '21995001',
  name: 'Cards',
  description: 'Uploads of cards.',
  type: 'custom',
  is_parent_managed: false,
  ...audit,
};
const listed = { ...base, default_action: null };
const replaced = {
  ...base,
  data_profile_id: 11995001,
  direction: 'UPLOAD',
  file_based: true,
  non_file_based: false,
  log_severity: 'HIGH',
  scan_type: 'include',
  is_end_user_coaching_enabled: true,
  is_granular_profile: true,
  version: 5,
  tenant_id: '1234567890123456789',
};

const empty = (value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.keys(value).map((name): [string, null] => [name, null]));

export const goldens: readonly Golden[] = [
  {
    command: list,
    what: 'a full record, and one that leaves out all it can',
    args: '',
    script: [
      {
        request: `GET ${ALL}?page=0&size=50`,
        answer: {
          content: [
            { ...response, default_action: 'alert' },
            { id: '2', audit_metadata: null },
          ],
        },
      },
    ],
    value: [
      { ...listed, default_action: 'alert' },
      { ...empty(listed), id: '2' },
    ],
  },
  {
    command: get,
    what: 'by id',
    args: 'profile_id=21995001',
    script: [{ request: `GET ${ALL}/21995001`, answer: response }],
    value: { ...replaced, euc_template_id: 't1', file_type: ['csv', 'xlsx'] },
  },
  {
    command: replace,
    what: 'required arguments, over a profile with everything',
    args: 'profile_id=21995001 file_based=true non_file_based=false',
    script: [
      { request: `GET ${ALL}/21995001`, answer: response },
      {
        request: `PUT ${ALL}/21995001`,
        body: { ...KEPT, file_based: true, non_file_based: false },
        answer: { id: '21995001', file_based: true, non_file_based: false, version: 6 },
      },
    ],
    value: { ...empty(replaced), id: '21995001', file_based: true, non_file_based: false, version: 6 },
  },
  {
    command: replace,
    what: 'every argument, over a profile with nothing, and an empty answer',
    args: 'profile_id=21995001 file_based=no non_file_based=yes description=d direction=BOTH log_severity=INFORMATIONAL scan_type=exclude data_profile_id=11000001 euc_template_id=t2 is_end_user_coaching_enabled=false is_granular_profile=false file_type="csv, docx"',
    script: [
      { request: `GET ${ALL}/21995001`, answer: { id: '21995001', rule1: null, exclusions: null } },
      {
        request: `PUT ${ALL}/21995001`,
        body: {
          file_based: false,
          non_file_based: true,
          description: 'd',
          direction: 'BOTH',
          log_severity: 'INFORMATIONAL',
          scan_type: 'exclude',
          data_profile_id: 11000001,
          euc_template_id: 't2',
          is_end_user_coaching_enabled: false,
          is_granular_profile: false,
          file_type: ['csv', 'docx'],
        },
      },
    ],
    value: { ...empty(replaced), id: '21995001' },
  },
];
