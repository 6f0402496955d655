import { boolean, date, number, record, string, unknown } from '../../lib/runtime/output/record.ts';
import { deleted, message } from '../deletion.ts';
import { policyLines } from './policy-lines.ts';

const base = {
  id: string('Identifier of the security profile.', { from: 'profile_id' }),
  name: string('Name of the security profile.', { from: 'profile_name' }),
  revision: number('Revision; it starts at 1 and increases with each update.'),
  active: boolean('Whether the profile is active.'),
  created_by: string('Who created the profile.'),
  updated_by: string('Who updated the profile last; the text none if no one is recorded.'),
  last_modified_ts: date('When the profile was last changed.', { heading: 'Last Modified' }),
  tsg_id: string('Tenant services group of the profile.'),
};

const detail = {
  ...base,
  csp_id: string('Customer support portal account of the tenant.'),
  policy: unknown('The policy: detectors with their actions, and DLP data profiles.', {
    show: policyLines,
    members: {
      'ai-security-profiles': unknown('Detectors with their actions, by type of model.', {
        isList: true,
        members: {
          'model-type': string('Type of the model, such as default.'),
          // The platform limits paths to five names, and this is the fifth.
          'model-configuration': unknown(
            'Settings: model-protection, app-protection, data-protection, latency, mask-data-in-storage.',
          ),
        },
      }),
      'dlp-data-profiles': unknown('DLP data profiles that the policy uses.'),
    },
  }),
};

export const SecurityProfile = record('AiSec.SecurityProfile', 'Security Profiles', 'id', base, {
  firstColumns: ['id', 'name', 'revision', 'active', 'updated_by', 'last_modified_ts'],
});

export const SecurityProfileGet = record('AiSec.SecurityProfileGet', 'Security Profile', 'id', detail);

export const SecurityProfileCreate = record('AiSec.SecurityProfileCreate', 'Security Profile Created', 'id', detail);

export const SecurityProfileUpdate = record('AiSec.SecurityProfileUpdate', 'Security Profile Updated', 'id', detail);

export const SecurityProfileDeleted = record('AiSec.SecurityProfileDeleted', 'Security Profile Deleted', 'profile_id', {
  profile_id: string('Identifier of the security profile.', { argument: 'profile_id' }),
  message,
  deleted,
  force: boolean('Whether the deletion was forced.', { argument: 'force' }),
});
