import { jobId, limit, paging, search, skip, uuid } from './red-team-arguments.ts';
import * as fields from './red-team-prompts-fields.ts';
import type { ContractCommand } from './types.ts';

const promptSets: readonly ContractCommand[] = [
  {
    command: 'aisec-redteam-prompt-sets-create',
    arguments: [{ name: 'name', required: true }, { name: 'description' }, { name: 'property_names', kind: 'list' }],
    context: 'AiSec.RedTeamPromptSetCreate',
    outputs: fields.promptSet,
  },
  {
    command: 'aisec-redteam-prompt-sets-list',
    arguments: [
      ...paging,
      { name: 'status' },
      { name: 'active', kind: 'boolean' },
      { name: 'archive', kind: 'boolean' },
    ],
    context: 'AiSec.RedTeamPromptSets',
    outputs: fields.promptSet,
  },
  {
    command: 'aisec-redteam-prompt-sets-get',
    arguments: [uuid],
    context: 'AiSec.RedTeamPromptSetGet',
    outputs: fields.promptSetGet,
  },
  {
    command: 'aisec-redteam-prompt-sets-update',
    arguments: [
      uuid,
      { name: 'name' },
      { name: 'description' },
      { name: 'property_names', kind: 'list' },
      { name: 'archive', kind: 'boolean' },
    ],
    context: 'AiSec.RedTeamPromptSetUpdate',
    outputs: fields.promptSet,
  },
  {
    command: 'aisec-redteam-prompt-sets-archive',
    arguments: [uuid, { name: 'archive', required: true, kind: 'boolean' }],
    context: 'AiSec.RedTeamPromptSetArchive',
    outputs: fields.promptSet,
  },
  {
    command: 'aisec-redteam-prompt-sets-download',
    arguments: [uuid],
    context: '',
    outputs: {},
  },
  {
    command: 'aisec-redteam-prompt-sets-upload',
    arguments: [uuid, { name: 'entryID', required: true, kind: 'file' }],
    context: 'AiSec.RedTeamPromptSetUpload',
    outputs: fields.promptSetUpload,
  },
  {
    command: 'aisec-redteam-prompt-sets-reference',
    arguments: [uuid],
    context: 'AiSec.RedTeamPromptSetReference',
    outputs: fields.promptSetReference,
  },
  {
    command: 'aisec-redteam-prompt-sets-version-info',
    arguments: [uuid, { name: 'version' }],
    context: 'AiSec.RedTeamPromptSetVersionInfo',
    outputs: fields.promptSetVersionInfo,
  },
  {
    command: 'aisec-redteam-prompt-sets-active-list',
    arguments: [],
    context: 'AiSec.RedTeamPromptSetActive',
    outputs: fields.promptSetActive,
  },
];

const prompts: readonly ContractCommand[] = [
  {
    command: 'aisec-redteam-prompts-create',
    arguments: [
      { name: 'prompt_set_uuid', required: true },
      { name: 'prompt', required: true },
      { name: 'goal' },
      { name: 'properties', kind: 'json' },
    ],
    context: 'AiSec.RedTeamPromptCreate',
    outputs: fields.prompt,
  },
  {
    command: 'aisec-redteam-prompts-list',
    arguments: [
      { name: 'prompt_set_uuid', required: true },
      ...paging,
      { name: 'status' },
      { name: 'active', kind: 'boolean' },
    ],
    context: 'AiSec.RedTeamPrompts',
    outputs: fields.prompt,
  },
  {
    command: 'aisec-redteam-prompts-get',
    arguments: [
      { name: 'prompt_set_uuid', required: true },
      { name: 'prompt_uuid', required: true },
    ],
    context: 'AiSec.RedTeamPromptGet',
    outputs: fields.promptGet,
  },
  {
    command: 'aisec-redteam-prompts-update',
    arguments: [
      { name: 'prompt_set_uuid', required: true },
      { name: 'prompt_uuid', required: true },
      { name: 'prompt' },
      { name: 'goal' },
      { name: 'properties', kind: 'json' },
    ],
    context: 'AiSec.RedTeamPromptUpdate',
    outputs: fields.prompt,
  },
  {
    command: 'aisec-redteam-prompts-delete',
    arguments: [
      { name: 'prompt_set_uuid', required: true },
      { name: 'prompt_uuid', required: true },
    ],
    context: 'AiSec.RedTeamPromptDeleted',
    outputs: fields.promptDeleted,
  },
];

const properties: readonly ContractCommand[] = [
  {
    command: 'aisec-redteam-properties-list',
    arguments: [],
    context: 'AiSec.RedTeamProperty',
    outputs: fields.propertyNames,
  },
  {
    command: 'aisec-redteam-properties-values',
    arguments: [{ name: 'property_name' }, { name: 'property_names', kind: 'list' }],
    context: 'AiSec.RedTeamPropertyValue',
    outputs: fields.propertyValue,
  },
  {
    command: 'aisec-redteam-properties-create',
    arguments: [{ name: 'name', required: true }],
    context: 'AiSec.RedTeamPropertyCreate',
    outputs: fields.propertyCreate,
  },
  {
    command: 'aisec-redteam-properties-add-value',
    arguments: [
      { name: 'property_name', required: true },
      { name: 'property_value', required: true },
    ],
    context: 'AiSec.RedTeamPropertyValueCreate',
    outputs: fields.propertyValueCreate,
  },
];

const customAttacks: readonly ContractCommand[] = [
  {
    command: 'aisec-redteam-custom-attack-report-get',
    arguments: [jobId],
    context: 'AiSec.RedTeamCustomAttackReport',
    outputs: fields.customReport,
  },
  {
    command: 'aisec-redteam-custom-attack-report-prompt-sets',
    arguments: [jobId],
    context: 'AiSec.RedTeamCustomAttackReportPromptSet',
    outputs: fields.customReportPromptSet,
  },
  {
    command: 'aisec-redteam-custom-attack-report-prompts',
    arguments: [
      jobId,
      { name: 'prompt_set_id', required: true },
      { name: 'is_threat', kind: 'boolean' },
      skip,
      limit,
      search,
    ],
    context: 'AiSec.RedTeamCustomAttackPrompt',
    outputs: fields.customReportPrompt,
  },
  {
    command: 'aisec-redteam-custom-attack-report-prompt-get',
    arguments: [jobId, { name: 'prompt_id', required: true }],
    context: 'AiSec.RedTeamCustomAttackPrompt',
    outputs: fields.customReportPromptGet,
  },
  {
    command: 'aisec-redteam-custom-attacks-list',
    arguments: [
      jobId,
      { name: 'threat', kind: 'boolean' },
      { name: 'prompt_set_id' },
      { name: 'property_value' },
      skip,
      limit,
      search,
    ],
    context: 'AiSec.RedTeamCustomAttack',
    outputs: fields.customAttacks,
  },
  {
    command: 'aisec-redteam-custom-attack-outputs',
    arguments: [jobId, { name: 'attack_id', required: true }],
    context: 'AiSec.RedTeamCustomAttackOutput',
    outputs: fields.customAttackOutput,
  },
  {
    command: 'aisec-redteam-custom-attack-property-stats',
    arguments: [jobId],
    context: 'AiSec.RedTeamCustomAttackPropertyStat',
    outputs: fields.customAttackPropertyStat,
  },
];

/** Prompts and prompt sets, and custom-attack properties and reports: 15 and 11 commands. */
export const promptCommands: readonly ContractCommand[] = [...promptSets, ...prompts, ...properties, ...customAttacks];
