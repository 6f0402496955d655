import { boolean, number, record, string, unknown } from '../../lib/runtime/output/record.ts';
import { deleted, statusText } from '../deletion.ts';
import { audit, created_at, created_by, listedAudit, updated_at, updated_by } from './dlp-audit.ts';

const id = string('Identifier of the data pattern.');
const named = {
  id,
  name: string('Name of the data pattern; the name of an archived pattern ends in _archived_ and a time.'),
  description: string('Content that the data pattern finds.'),
};

const is_parent_managed = boolean('Whether a parent tenant manages it.', { heading: 'Parent Managed' });
const version = number('Version of the data pattern.');

const definition = {
  detection_config: unknown('Detection technique and supported confidence levels.', {
    members: {
      technique: string('Detection technique.'),
      supported_confidence_levels: unknown('Confidence levels: low, medium, high.'),
    },
  }),
  matching_rules: unknown('Proximity, delimiter, weighted regular expressions and criteria on metadata.', {
    members: {
      proximity_distance: number('Distance within which a proximity keyword counts, in characters.'),
      proximity_keywords: unknown('Keywords that must be close to a match.'),
      delimiter: string('Delimiter between the parts of a text.'),
      regexes: unknown('Regular expressions, each with its weight.', {
        isList: true,
        members: { regex: string('Regular expression.'), weight: number('Weight of a match.') },
      }),
      metadata_criteria: unknown('Criteria on the metadata of a file.'),
    },
  }),
  tags: unknown('Tags: classification, compliance and geography.', {
    members: {
      classification: unknown('Tags of classification.'),
      compliance: unknown('Tags of compliance.'),
      geography: unknown('Tags of geography.'),
    },
  }),
};

const detail = {
  ...named,
  type: string('Type: predefined, custom or file_property.'),
  status: string('Status: active, disabled, deleted, deprecated or silent.'),
};

const changed = { ...detail, version, ...definition, updated_at, updated_by };

export const DlpPattern = record(
  'AiSec.DlpPattern',
  'DLP Data Patterns',
  'id',
  {
    ...named,
    type: string('Type: predefined or custom.'),
    category: string('Category, if there is one.', { hidden: true }),
    region_name: string('Region, if there is one.', { hidden: true }),
    detection_technique: string('Detection technique.', {
      from: ['detection_config.technique', 'detection_technique'],
    }),
    detection_sub_technique: string('Detection technique in detail, if there is one.', { hidden: true }),
    pattern_status: string('Status of the data pattern.', { from: ['status', 'pattern_status'], heading: 'Status' }),
    is_parent_managed: { ...is_parent_managed, hidden: true },
    ...listedAudit,
  },
  { firstColumns: ['name', 'id', 'type', 'detection_technique', 'pattern_status', 'updated_at'] },
);

export const DlpPatternGet = record('AiSec.DlpPatternGet', 'DLP Data Pattern', 'id', {
  ...detail,
  license_type: string('Licence: standard, enterprise or essentials.', { heading: 'Licence' }),
  version,
  ...definition,
  is_parent_managed,
  tenant_id: string('Tenant of the data pattern.'),
  ...audit,
});

export const DlpPatternCreate = record('AiSec.DlpPatternCreate', 'DLP Data Pattern Created', 'id', {
  ...detail,
  ...definition,
  created_at,
  created_by,
});

export const DlpPatternPatch = record('AiSec.DlpPatternPatch', 'DLP Data Pattern Patched', 'id', changed);

export const DlpPatternReplace = record('AiSec.DlpPatternReplace', 'DLP Data Pattern Replaced', 'id', changed);

export const DlpPatternDelete = record('AiSec.DlpPatternDelete', 'DLP Data Pattern Archived', 'id', {
  id: { ...id, argument: 'pattern_id' },
  deleted,
  status: statusText('Successfully archived'),
});
