import type { ContractFields } from './types.ts';
import { within } from './within.ts';

export const scanCreate: ContractFields = {
  uuid: 'String', // type not stated
  tsg_id: 'String', // type not stated
  name: 'String', // type not stated
  job_type: 'String', // type not stated
  status: 'String', // type not stated
  target_id: 'String', // type not stated
  target_type: 'String', // type not stated
  total: 'Number',
  completed: 'Number',
  score: 'Number',
  asr: 'Number',
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  version: 'Number',
  job_metadata: 'Unknown',
};

export const scan: ContractFields = {
  uuid: 'String', // type not stated
  tsg_id: 'String', // type not stated
  job_type: 'String', // type not stated
  status: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  target_uuid: 'String', // type not stated
  target_name: 'String', // type not stated
  started_at: 'Date', // type not stated
  completed_at: 'Date', // type not stated
  progress: 'Number',
  total_prompts: 'Number',
  completed_prompts: 'Number',
  failed_prompts: 'Number',
  error_message: 'String', // type not stated
};

export const scanGet: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  job_type: 'String', // type not stated
  status: 'String', // type not stated
  target_id: 'String', // type not stated
  target_name: 'String', // type not stated
  total: 'Number',
  completed: 'Number',
  score: 'Number',
  asr: 'Number',
  progress: 'String',
  progress_percentage: 'Number',
  created_at: 'Date', // type not stated
  started_at: 'Date', // type not stated
  completed_at: 'Date', // type not stated
};

export const scanAbort: ContractFields = {
  job_id: 'String', // type not stated
  message: 'String', // type not stated
};

export const category: ContractFields = {
  id: 'String', // type not stated
  display_name: 'String', // type not stated
  description: 'String', // type not stated
  preselect: 'Boolean',
  sub_category_count: 'Number',
  ...within('sub_categories', {
    id: 'String', // type not stated
    display_name: 'String', // type not stated
    description: 'String', // type not stated
    active: 'Boolean',
    preselect: 'Boolean',
  }),
};

export const report: ContractFields = {
  job_id: 'String', // type not stated
  job_type: 'String', // type not stated
  score: 'Number',
  asr: 'Number',
  total_attacks: 'Number',
  successful_attacks: 'Number',
  failed_attacks: 'Number',
  severity_breakdown: 'Unknown',
  category_reports: 'Unknown',
  report_summary: 'String',
  total_goals: 'Number',
  goals_achieved: 'Number',
  total_threats: 'Number',
};

export const attack: ContractFields = {
  uuid: 'String', // type not stated
  job_id: 'String', // type not stated
  target_id: 'String', // type not stated
  prompt: 'String', // type not stated
  category: 'String', // type not stated
  sub_category: 'String', // type not stated
  category_display_name: 'String', // type not stated
  sub_category_display_name: 'String', // type not stated
  status: 'String', // type not stated
  threat: 'Boolean',
  attack_type: 'String', // type not stated
  multi_turn: 'Boolean',
  severity: 'String', // type not stated
  asr: 'Number',
  marked_safe: 'Boolean',
};

export const attackGet: ContractFields = {
  uuid: 'String', // type not stated
  job_id: 'String', // type not stated
  target_id: 'String', // type not stated
  prompt: 'String', // type not stated
  category: 'String', // type not stated
  sub_category: 'String', // type not stated
  category_display_name: 'String', // type not stated
  sub_category_display_name: 'String', // type not stated
  status: 'String', // type not stated
  threat: 'Boolean',
  attack_type: 'String', // type not stated
  multi_turn: 'Boolean',
  severity: 'String', // type not stated
  asr: 'Number',
  marked_safe: 'Boolean',
  goal: 'String',
  compliance_frameworks: 'Unknown',
  outputs: 'Unknown',
};

export const remediation: ContractFields = {
  job_id: 'String', // type not stated
  job_type: 'String', // type not stated
  ...within('remediations', {
    remediation: 'String', // type not stated
    description: 'String', // type not stated
    priority_level: 'String', // type not stated
    effectiveness_level: 'String', // type not stated
    ease_of_implementation_level: 'String', // type not stated
    resource_links: 'Unknown',
  }),
};

export const runtimePolicy: ContractFields = {
  job_id: 'String', // type not stated
  job_type: 'String', // type not stated
  ...within('runtime_security_profile', {
    policy_id: 'String', // type not stated
    display_name: 'String', // type not stated
    config: 'Unknown',
  }),
};

export const goal: ContractFields = {
  uuid: 'String', // type not stated
  tsg_id: 'String', // type not stated
  job_id: 'String', // type not stated
  goal: 'String', // type not stated
  goal_to_show: 'String', // type not stated
  goal_type: 'String', // type not stated
  custom_goal: 'Boolean',
  threat: 'Boolean',
  version: 'Number',
  safe_response: 'String', // type not stated
  jailbroken_response: 'String', // type not stated
};

export const stream: ContractFields = {
  uuid: 'String', // type not stated
  tsg_id: 'String', // type not stated
  job_id: 'String', // type not stated
  target_id: 'String', // type not stated
  goal_id: 'String', // type not stated
  stream_idx: 'Number',
  iteration: 'Number',
  stream_type: 'String', // type not stated
  marked_safe: 'Boolean',
  threat: 'Boolean',
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
};

export const streamGet: ContractFields = {
  uuid: 'String', // type not stated
  tsg_id: 'String', // type not stated
  job_id: 'String', // type not stated
  target_id: 'String', // type not stated
  goal_id: 'String', // type not stated
  stream_idx: 'Number',
  iteration: 'Number',
  stream_type: 'String', // type not stated
  marked_safe: 'Boolean',
  threat: 'Boolean',
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  first_threat_iteration: 'Unknown',
  iterations: 'Unknown',
};

export const download: ContractFields = {
  Name: 'String', // type not stated
  EntryID: 'String', // type not stated
  Size: 'Number', // type not stated
  Type: 'String', // type not stated
  Extension: 'String', // type not stated
  Info: 'String', // type not stated
};

export const partialReport: ContractFields = {
  job_id: 'String', // type not stated
  status: 'String', // type not stated
  'report_stats.partial_report_unlocked': 'Boolean',
  'report_stats.partial_report_unlocked_at': 'Date',
  'report_stats.output_completion_percentage': 'Number',
};

export const sentiment: ContractFields = {
  job_id: 'String', // type not stated
  up_vote: 'Boolean',
  down_vote: 'Boolean',
};
