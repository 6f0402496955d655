import type { ContractFields } from './types.ts';
import { within } from './within.ts';

// Counts and rates without a stated type are Number here, objects Unknown, because a String cannot hold them.

const promptCounts: ContractFields = within('stats', {
  active_prompts: 'Number', // type not stated
  failed_prompts: 'Number', // type not stated
  inactive_prompts: 'Number', // type not stated
  total_prompts: 'Number', // type not stated
  validation_prompts: 'Number', // type not stated
});

export const promptSet: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  active: 'Boolean',
  archive: 'Boolean',
  status: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  description: 'String', // type not stated
  property_names: 'Unknown',
  properties: 'Unknown',
  ...promptCounts,
  created_by_user_id: 'String', // type not stated
  updated_by_user_id: 'String', // type not stated
  version: 'String', // type not stated
};

export const promptSetGet: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  active: 'Boolean',
  archive: 'Boolean',
  status: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  description: 'String', // type not stated
  property_names: 'Unknown',
  properties: 'Unknown',
  ...promptCounts,
  created_by_user_id: 'String', // type not stated
  updated_by_user_id: 'String', // type not stated
  version: 'String', // type not stated
  extra_info: 'Unknown', // type not stated
};

export const promptSetReference: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  status: 'String', // type not stated
  active: 'Boolean',
  version: 'String', // type not stated
  tsg_id: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
};

export const promptSetActive: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  status: 'String', // type not stated
  active: 'Boolean',
  version: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
};

export const promptSetVersionInfo: ContractFields = {
  uuid: 'String', // type not stated
  status: 'String', // type not stated
  is_latest: 'Boolean',
  version: 'String', // type not stated
  snapshot_created_at: 'Date', // type not stated
  'stats.total_prompts': 'Number', // type not stated
  'stats.active_prompts': 'Number', // type not stated
  'stats.inactive_prompts': 'Number', // type not stated
};

export const promptSetUpload: ContractFields = {
  message: 'String', // type not stated
  status: 'Number',
  prompt_set_uuid: 'String', // type not stated
  file_name: 'String', // type not stated
};

export const prompt: ContractFields = {
  uuid: 'String', // type not stated
  prompt: 'String', // type not stated
  user_defined_goal: 'Boolean',
  status: 'String', // type not stated
  active: 'Boolean', // type not stated
  prompt_set_id: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  goal: 'String', // type not stated
  properties: 'Unknown', // type not stated
};

export const promptGet: ContractFields = {
  uuid: 'String', // type not stated
  prompt: 'String', // type not stated
  user_defined_goal: 'Boolean',
  status: 'String', // type not stated
  active: 'Boolean', // type not stated
  prompt_set_id: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  goal: 'String', // type not stated
  properties: 'Unknown', // type not stated
  property_assignments: 'Unknown', // type not stated
  detector_category: 'String', // type not stated
  severity: 'String', // type not stated
  extra_info: 'Unknown', // type not stated
};

export const promptDeleted: ContractFields = {
  prompt_uuid: 'String', // type not stated
  prompt_set_uuid: 'String', // type not stated
  status: 'String', // type not stated
  message: 'String', // type not stated
};

export const propertyNames: ContractFields = {
  '': 'Unknown', // type not stated
};

export const propertyValue: ContractFields = {
  name: 'String', // type not stated
  values: 'Unknown',
};

export const propertyCreate: ContractFields = {
  name: 'String', // type not stated
  message: 'String', // type not stated
  status: 'Number',
};

export const propertyValueCreate: ContractFields = {
  property_name: 'String', // type not stated
  property_value: 'String', // type not stated
  message: 'String', // type not stated
  status: 'Number',
};

export const customReport: ContractFields = {
  job_id: 'String', // type not stated
  total_prompts: 'Number',
  total_attacks: 'Number',
  total_threats: 'Number',
  failed_attacks: 'Number',
  score: 'Number',
  asr: 'Number',
  custom_attack_reports: 'Unknown',
  property_statistics: 'Unknown',
};

export const customReportPromptSet: ContractFields = {
  prompt_set_id: 'String', // type not stated
  prompt_set_name: 'String', // type not stated
  total_prompts: 'Number',
  total_attacks: 'Number',
  total_threats: 'Number',
  failed_attacks: 'Number',
  threat_rate: 'Number', // type not stated
  property_names: 'Unknown', // type not stated
  property_statistics: 'Unknown',
};

export const customReportPrompt: ContractFields = {
  prompt_id: 'String', // type not stated
  prompt_text: 'String', // type not stated
  goal: 'String', // type not stated
  user_defined_goal: 'Boolean', // type not stated
  properties: 'Unknown', // type not stated
  attack_id: 'String', // type not stated
  threat: 'Boolean', // type not stated
  asr: 'Number',
  prompt_set_id: 'String', // type not stated
  prompt_set_name: 'String', // type not stated
};

export const customReportPromptGet: ContractFields = {
  prompt_id: 'String', // type not stated
  prompt_text: 'String', // type not stated
  goal: 'String', // type not stated
  user_defined_goal: 'Boolean', // type not stated
  properties: 'Unknown', // type not stated
  attack_id: 'String', // type not stated
  threat: 'Boolean', // type not stated
  asr: 'Number',
  prompt_set_id: 'String', // type not stated
  prompt_set_name: 'String', // type not stated
  attack_outputs: 'Unknown',
};

export const customAttacks: ContractFields = {
  job_id: 'String', // type not stated
  attacks: 'Unknown',
  'summary.total_attacks': 'Number',
  'summary.total_threats': 'Number',
  'summary.total_items': 'Number',
};

export const customAttackOutput: ContractFields = {
  uuid: 'String', // type not stated
  tsg_id: 'String', // type not stated
  custom_attack_id: 'String', // type not stated
  job_id: 'String', // type not stated
  target_id: 'String', // type not stated
  output: 'String', // type not stated
  threat: 'Boolean', // type not stated
  marked_safe: 'Boolean', // type not stated
};

export const customAttackPropertyStat: ContractFields = {
  property_name: 'String', // type not stated
  ...within('values', {
    value: 'String', // type not stated
    successful_attack_count: 'Number', // type not stated
    total_attack_count: 'Number', // type not stated
    success_rate: 'Number', // type not stated
  }),
};
