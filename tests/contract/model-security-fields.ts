import type { ContractFields } from './types.ts';
import { within } from './within.ts';

// `total_items`, `limit` and `offset` are typed once, for violations, and are Numbers in every paged result. A field of a
// resource that has a type in one list keeps it in the others: the rule counts of a scan are Numbers throughout.

const label: ContractFields = { key: 'String', value: 'String' };

export const scan: ContractFields = {
  uuid: 'String', // type not stated
  model_uri: 'String', // type not stated
  eval_outcome: 'String', // type not stated
  source_type: 'String', // type not stated
  security_group_uuid: 'String', // type not stated
  security_group_name: 'String', // type not stated
  scan_origin: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  created_by: 'String', // type not stated
};

export const scanCreate: ContractFields = {
  uuid: 'String', // type not stated
  ...within('labels', label),
  model_uri: 'String', // type not stated
  security_group_uuid: 'String', // type not stated
  security_group_name: 'String', // type not stated
  scan_origin: 'String', // type not stated
  eval_outcome: 'String', // type not stated
  source_type: 'String', // type not stated
  owner: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  tsg_id: 'String', // type not stated
  rules_passed: 'Number',
  rules_failed: 'Number',
  total_rules: 'Number',
};

export const scanGet: ContractFields = {
  uuid: 'String', // type not stated
  model_uri: 'String', // type not stated
  security_group_uuid: 'String', // type not stated
  security_group_name: 'String', // type not stated
  scan_origin: 'String', // type not stated
  eval_outcome: 'String', // type not stated
  source_type: 'String', // type not stated
  owner: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  created_by: 'String', // type not stated
  tsg_id: 'String', // type not stated
  model_version_uuid: 'String', // type not stated
  enabled_rule_count_snapshot: 'Number',
  scanner_version: 'String', // type not stated
  time_started: 'Date',
  total_files_scanned: 'Number',
  total_files_skipped: 'Number',
  rules_passed: 'Number',
  rules_failed: 'Number',
  total_rules: 'Number',
  error_code: 'String', // type not stated
  error_message: 'String', // type not stated
  model_formats: 'Unknown',
};

export const violations: ContractFields = {
  scan_uuid: 'String', // type not stated
  ...within('violations', {
    uuid: 'String', // type not stated
    rule_name: 'String', // type not stated
    rule_description: 'String', // type not stated
    description: 'String', // type not stated
    rule_instance_state: 'String', // type not stated
    file: 'String', // type not stated
    threat: 'String', // type not stated
    threat_description: 'String', // type not stated
    module: 'String', // type not stated
    operator: 'String', // type not stated
    hash: 'String', // type not stated
    rule_instance_uuid: 'String', // type not stated
    created_at: 'Date', // type not stated
    updated_at: 'Date', // type not stated
    tsg_id: 'String', // type not stated
  }),
  total_items: 'Number',
  limit: 'Number',
  offset: 'Number',
};

export const violation: ContractFields = {
  uuid: 'String', // type not stated
  rule_name: 'String', // type not stated
  rule_description: 'String', // type not stated
  description: 'String', // type not stated
  rule_instance_state: 'String', // type not stated
  file: 'String', // type not stated
  threat: 'String', // type not stated
  threat_description: 'String', // type not stated
  module: 'String', // type not stated
  operator: 'String', // type not stated
  hash: 'String', // type not stated
  rule_instance_uuid: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  tsg_id: 'String', // type not stated
};

export const evaluation: ContractFields = {
  uuid: 'String', // type not stated
  scan_uuid: 'String', // type not stated
  rule_instance_uuid: 'String', // type not stated
  rule_name: 'String', // type not stated
  rule_description: 'String', // type not stated
  result: 'String', // type not stated
  violation_count: 'Number',
  rule_instance_state: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  tsg_id: 'String', // type not stated
};

export const evaluations: ContractFields = {
  scan_uuid: 'String', // type not stated
  ...within('evaluations', {
    uuid: 'String', // type not stated
    scan_uuid: 'String', // type not stated
    rule_name: 'String', // type not stated
    result: 'String', // type not stated
    violation_count: 'Number',
    rule_instance_state: 'String', // type not stated
    rule_instance_uuid: 'String', // type not stated
    rule_description: 'String', // type not stated
    created_at: 'Date', // type not stated
    updated_at: 'Date', // type not stated
    tsg_id: 'String', // type not stated
  }),
  total_items: 'Number',
  limit: 'Number',
  offset: 'Number',
};

export const files: ContractFields = {
  scan_uuid: 'String', // type not stated
  ...within('files', {
    uuid: 'String', // type not stated
    path: 'String', // type not stated
    parent_path: 'String', // type not stated
    type: 'String', // type not stated
    result: 'String', // type not stated
    model_version_uuid: 'String', // type not stated
    blob_id: 'String', // type not stated
    formats: 'Unknown',
    scan_uuid: 'String', // type not stated
    created_at: 'Date', // type not stated
    updated_at: 'Date', // type not stated
    tsg_id: 'String', // type not stated
  }),
  total_items: 'Number',
  limit: 'Number',
  offset: 'Number',
};

export const labelKeys: ContractFields = {
  keys: 'Unknown',
  total_items: 'Number',
  limit: 'Number',
  offset: 'Number',
};

export const labelValues: ContractFields = {
  key: 'String',
  values: 'Unknown',
  total_items: 'Number',
  limit: 'Number',
  offset: 'Number',
};

export const labelsAdd: ContractFields = {
  scan_uuid: 'String', // type not stated
  ...within('labels_added', label),
  success: 'Boolean',
};

export const labelsSet: ContractFields = {
  scan_uuid: 'String', // type not stated
  ...within('labels_set', label),
  success: 'Boolean',
};

export const labelsDelete: ContractFields = {
  scan_uuid: 'String', // type not stated
  keys_deleted: 'Unknown', // type not stated
  success: 'Boolean',
};

export const model: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  latest_version_uuid: 'String', // type not stated
  latest_version_revision: 'String', // type not stated
  latest_version_outcome: 'String', // type not stated
  latest_version_formats: 'Unknown',
  latest_version_source_types: 'Unknown',
  latest_version_scan_time: 'Date',
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
};

export const modelGet: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  latest_version_uuid: 'String', // type not stated
  latest_version_revision: 'String', // type not stated
  latest_version_outcome: 'String', // type not stated
  latest_version_formats: 'Unknown',
  latest_version_source_types: 'Unknown',
  latest_version_scan_time: 'Date',
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  latest_version_fingerprint: 'String', // type not stated
  latest_version_hub_commit_sha: 'String', // type not stated
};

export const modelVersion: ContractFields = {
  uuid: 'String', // type not stated
  model_uuid: 'String', // type not stated
  revision: 'String', // type not stated
  file_count: 'Number',
  license: 'String', // type not stated
  model_formats: 'Unknown', // type not stated
  source_types: 'Unknown', // type not stated
  last_eval_outcome: 'String', // type not stated
  latest_scan_time: 'Date', // type not stated
  hub_model_name: 'String', // type not stated
  hub_organization: 'String', // type not stated
};

export const modelVersionGet: ContractFields = {
  uuid: 'String', // type not stated
  model_uuid: 'String', // type not stated
  revision: 'String', // type not stated
  file_count: 'Number',
  license: 'String', // type not stated
  model_formats: 'Unknown', // type not stated
  source_types: 'Unknown', // type not stated
  last_eval_outcome: 'String', // type not stated
  latest_scan_time: 'Date', // type not stated
  hub_model_name: 'String', // type not stated
  hub_organization: 'String', // type not stated
  fingerprint: 'String', // type not stated
  hub_commit_sha: 'String', // type not stated
  hub_commit_title: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
};

export const modelFile: ContractFields = {
  uuid: 'String', // type not stated
  path: 'String', // type not stated
  parent_path: 'String', // type not stated
  type: 'String', // type not stated
  result: 'String', // type not stated
  formats: 'Unknown', // type not stated
  model_version_uuid: 'String', // type not stated
  scan_uuid: 'String', // type not stated
};

export const group: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  source_type: 'String', // type not stated
  state: 'String', // type not stated
  is_tombstone: 'Boolean',
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  tsg_id: 'String', // type not stated
};

export const groupDelete: ContractFields = {
  uuid: 'String', // type not stated
  deleted: 'Boolean',
};

export const rule: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  rule_type: 'String', // type not stated
  compatible_sources: 'Unknown',
  default_state: 'String', // type not stated
};

export const ruleGet: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  rule_type: 'String', // type not stated
  compatible_sources: 'Unknown',
  default_state: 'String', // type not stated
  remediation_description: 'String', // type not stated
  remediation_steps: 'Unknown',
  remediation_url: 'String', // type not stated
  editable_fields: 'Unknown',
  constant_values: 'Unknown',
  default_values: 'Unknown',
};

export const ruleInstances: ContractFields = {
  security_group_uuid: 'String', // type not stated
  ...within('rule_instances', {
    uuid: 'String', // type not stated
    security_group_uuid: 'String', // type not stated
    security_rule_uuid: 'String', // type not stated
    state: 'String', // type not stated
    rule_name: 'String', // type not stated
    rule_type: 'String', // type not stated
    rule_description: 'String', // type not stated
    created_at: 'Date', // type not stated
    updated_at: 'Date', // type not stated
    tsg_id: 'String', // type not stated
    field_values: 'Unknown',
  }),
  total_items: 'Number',
  limit: 'Number',
  offset: 'Number',
};

export const ruleInstance: ContractFields = {
  uuid: 'String', // type not stated
  security_group_uuid: 'String', // type not stated
  security_rule_uuid: 'String', // type not stated
  state: 'String', // type not stated
  rule_name: 'String', // type not stated
  rule_type: 'String', // type not stated
  rule_description: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  tsg_id: 'String', // type not stated
  field_values: 'Unknown',
};
