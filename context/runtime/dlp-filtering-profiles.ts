import { boolean, number, record, string, unknown } from '../../lib/runtime/output/record.ts';
import { audit, listedAudit } from './dlp-audit.ts';

const base = {
  id: string('Identifier of the filtering profile.'),
  name: string('Name of the filtering profile.'),
  description: string('Purpose of the filtering profile.'),
  type: string('Type of the filtering profile.'),
};

const is_parent_managed = boolean('Whether a parent tenant manages it.', { heading: 'Parent Managed' });

const detail = {
  ...base,
  data_profile_id: number('Identifier of the data profile that it applies.'),
  direction: string('Direction of the traffic: BOTH, UPLOAD or DOWNLOAD.'),
  file_based: boolean('Whether files are inspected.'),
  non_file_based: boolean('Whether traffic other than files is inspected.'),
  log_severity: string('Severity of its log entries.'),
  scan_type: string('Whether the file types are the ones to include or to exclude.'),
  is_end_user_coaching_enabled: boolean('Whether end users are notified of findings.', { heading: 'User Coaching' }),
  is_granular_profile: boolean('Whether the filtering profile is granular.', { heading: 'Granular' }),
  is_parent_managed,
  version: number('Version of the filtering profile.'),
  tenant_id: string('Tenant of the filtering profile.'),
  ...audit,
};

export const DlpFilteringProfile = record(
  'AiSec.DlpFilteringProfile',
  'DLP Filtering Profiles',
  'id',
  {
    ...base,
    default_action: string('Default action, if the service reports it.'),
    is_parent_managed: { ...is_parent_managed, hidden: true },
    ...listedAudit,
  },
  { firstColumns: ['name', 'id', 'type', 'default_action', 'updated_at'] },
);

export const DlpFilteringProfileGet = record('AiSec.DlpFilteringProfileGet', 'DLP Filtering Profile', 'id', {
  ...detail,
  euc_template_id: string('Identifier of the template that end users see.'),
  file_type: unknown('File types to include or exclude.'),
});

export const DlpFilteringProfileReplace = record(
  'AiSec.DlpFilteringProfileReplace',
  'DLP Filtering Profile Replaced',
  'id',
  { ...detail, id: { ...base.id, from: 'id', argument: 'profile_id' } },
);
