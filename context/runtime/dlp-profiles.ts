import { boolean, number, record, string, unknown } from '../../lib/runtime/output/record.ts';
import { audit, created_at, created_by, listedAudit, updated_at, updated_by } from './dlp-audit.ts';
import { ruleLines } from './dlp-rule-lines.ts';

const base = {
  id: string('Identifier of the data profile.'),
  name: string('Name of the data profile.'),
  description: string('Purpose of the data profile.'),
  type: string('Type: custom or predefined.'),
  profile_status: string('Status: active, disabled or deleted.', { heading: 'Status' }),
  profile_type: string('Kind of the rules: basic or advanced.'),
};

const is_granular_data_profile = boolean('Whether the data profile is granular.', { heading: 'Granular' });
const is_parent_managed = boolean('Whether a parent tenant manages it.', { heading: 'Parent Managed' });
const tenant_id = string('Tenant of the data profile.');
const version = number('Version of the data profile.');
const detection_rules = unknown('Detection rules, each with its rule_type and the structure of that type.', {
  show: ruleLines,
  isList: true,
  members: { rule_type: string('Type of the rule: expression_tree or multi_profile.') },
});

const changed = { ...base, version, detection_rules, updated_at, updated_by };

export const DlpProfile = record(
  'AiSec.DlpProfile',
  'DLP Data Profiles',
  'id',
  {
    ...base,
    version,
    tenant_id: { ...tenant_id, hidden: true },
    is_granular_data_profile: { ...is_granular_data_profile, hidden: true },
    is_parent_managed: { ...is_parent_managed, hidden: true },
    ...listedAudit,
  },
  { firstColumns: ['name', 'id', 'type', 'profile_status', 'version', 'updated_at'] },
);

export const DlpProfileGet = record('AiSec.DlpProfileGet', 'DLP Data Profile', 'id', {
  ...base,
  version,
  detection_rules,
  is_granular_data_profile,
  is_parent_managed,
  tenant_id,
  ...audit,
});

export const DlpProfileCreate = record('AiSec.DlpProfileCreate', 'DLP Data Profile Created', 'id', {
  ...base,
  version,
  detection_rules,
  is_granular_data_profile,
  created_at,
  created_by,
});

export const DlpProfilePatch = record('AiSec.DlpProfilePatch', 'DLP Data Profile Patched', 'id', changed);

export const DlpProfileReplace = record('AiSec.DlpProfileReplace', 'DLP Data Profile Replaced', 'id', changed);

export const DlpProfileDelete = record('AiSec.DlpProfileDelete', 'DLP Data Profile Deleted', 'id', {
  id: string('Identifier of the data profile.', { argument: 'profile_id' }),
  name: string('Name of the data profile.'),
  profile_status: string('Status of the data profile after the deletion.'),
  deleted: boolean('Whether the status is deleted.', { derive: isDeleted }),
  status: string('Result of the deletion.', {
    derive: (wire) => (isDeleted(wire) ? 'Successfully soft-deleted' : 'The service did not confirm the deletion'),
  }),
});

/** Reports whether the profile is deleted: the service only sets its status. */
function isDeleted({ profile_status }: Readonly<Record<string, unknown>>): boolean {
  return profile_status === 'deleted';
}
