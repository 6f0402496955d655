import { asText, isObject } from '../../lib/core/json.ts';
import { boolean, number, record, string, timestamp, unknown } from '../../lib/runtime/output/record.ts';
import { messageOr } from '../message.ts';
import { ReportFile } from './reports.ts';

const uuid = string('Identifier of the prompt set.');
const name = string('Name of the prompt set.');
const status = string('Status of the prompt set, such as PENDING, READY or VALIDATED.');
const active = boolean('Whether scans can use the prompt set.');
const version = string('Identifier of the current version; empty until the prompt set has prompts.');
const created_at = timestamp('When the prompt set was created.');
const updated_at = timestamp('When the prompt set was last changed.');

const hidden = true;

const promptSet = {
  uuid,
  name,
  status,
  active,
  archive: boolean('Whether the prompt set is archived.', { heading: 'Archived' }),
  description: string('Purpose of the prompt set.'),
  property_names: unknown('Names of the properties that its prompts may have.'),
  stats: unknown(
    'Prompt counts: total_prompts, active_prompts, inactive_prompts, failed_prompts, validation_prompts.',
    {
      heading: 'Prompts',
      show: counts,
      members: {
        active_prompts: number('Number of active prompts.'),
        failed_prompts: number('Number of prompts that failed validation.'),
        inactive_prompts: number('Number of inactive prompts.'),
        total_prompts: number('Number of prompts.'),
        validation_prompts: number('Number of prompts that are being validated.'),
      },
    },
  ),
  version,
  properties: unknown('Definitions of the properties.'),
  created_at,
  updated_at,
  created_by_user_id: string('Identifier of the user who created the prompt set.'),
  updated_by_user_id: string('Identifier of the user who changed the prompt set last.'),
};

/** Formats one line per count, without the common suffix: `active: 5`. */
function counts(stats: unknown): unknown {
  if (!isObject(stats)) return stats;
  return Object.entries(stats).map(([name, count]) => `${name.replace(/_prompts$/, '')}: ${asText(count)}`);
}

export const PromptSet = record(
  'AiSec.RedTeamPromptSets',
  'Prompt Sets',
  'uuid',
  {
    ...promptSet,
    description: { ...promptSet.description, hidden },
    version: { ...version, hidden },
    properties: { ...promptSet.properties, hidden },
    created_at: { ...created_at, hidden },
    created_by_user_id: { ...promptSet.created_by_user_id, hidden },
    updated_by_user_id: { ...promptSet.updated_by_user_id, hidden },
  },
  { firstColumns: ['uuid', 'name', 'status', 'active', 'archive', 'updated_at'] },
);

export const PromptSetGet = record('AiSec.RedTeamPromptSetGet', 'Prompt Set', 'uuid', {
  ...promptSet,
  extra_info: unknown('Further details.'),
});

export const PromptSetCreate = record('AiSec.RedTeamPromptSetCreate', 'Prompt Set Created', 'uuid', promptSet);

export const PromptSetUpdate = record('AiSec.RedTeamPromptSetUpdate', 'Prompt Set Updated', 'uuid', promptSet);

export const PromptSetArchive = record('AiSec.RedTeamPromptSetArchive', 'Prompt Set Archive', 'uuid', promptSet);

const reference = { uuid, name, status, active, version, created_at, updated_at };

export const PromptSetReference = record('AiSec.RedTeamPromptSetReference', 'Prompt Set Reference', 'uuid', {
  ...reference,
  tsg_id: string('Tenant services group of the prompt set.'),
});

export const PromptSetActive = record('AiSec.RedTeamPromptSetActive', 'Active Prompt Sets', 'uuid', reference, {
  firstColumns: ['uuid', 'name', 'active', 'status', 'created_at'],
});

export const PromptSetVersionInfo = record(
  'AiSec.RedTeamPromptSetVersionInfo',
  'Prompt Set Version',
  ['uuid', 'version'],
  {
    uuid: { ...uuid, from: 'uuid', argument: 'uuid' },
    version: string('Identifier of the version.'),
    is_latest: boolean('Whether it is the latest version.'),
    status: string('Status of the prompt set when the version was created.'),
    'stats.total_prompts': number('Number of prompts in the version.', { heading: 'Prompts' }),
    'stats.active_prompts': number('Number of active prompts in the version.', { heading: 'Active Prompts' }),
    'stats.inactive_prompts': number('Number of inactive prompts in the version.', { heading: 'Inactive Prompts' }),
    snapshot_created_at: timestamp('When the version was created.'),
  },
);

export const PromptSetTemplate = { ...ReportFile, title: 'Prompt Template' };

export const PromptSetUpload = record('AiSec.RedTeamPromptSetUpload', 'Prompts Uploaded', 'prompt_set_uuid', {
  prompt_set_uuid: { ...uuid, argument: 'uuid' },
  file_name: string('Name of the file that was uploaded.'),
  message: messageOr('The prompts are uploaded.'),
  status: number('HTTP status of the response.', { httpStatus: true }),
});
