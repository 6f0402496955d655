import type { ContractFields } from './types.ts';
import { within } from './within.ts';

// The DLP timestamps are integers (milliseconds since the epoch), so they are Numbers here although no list types them.

// The fields of an entry are not listed. They are those of a scan, with the row of the prompt in the input and the
// status of its scan.
const bulkResult: ContractFields = {
  row: 'Number',
  action: 'String',
  category: 'String',
  detected: 'Boolean',
  ...within('prompt_detected', {
    injection: 'Boolean',
    dlp: 'Boolean',
    toxic_content: 'Boolean',
    topic_violation: 'Boolean',
    url_cats: 'Boolean',
    malicious_code: 'Boolean',
    agent: 'Boolean',
  }),
  timeout: 'Boolean',
  error: 'Boolean',
  errors: 'Unknown',
  status: 'String',
  scan_id: 'String',
  report_id: 'String',
  session_id: 'String',
  profile_id: 'String',
  prompt: 'String',
};

const patternDefinition: ContractFields = {
  ...within('detection_config', { technique: 'String', supported_confidence_levels: 'Unknown' }),
  ...within('matching_rules', {
    proximity_distance: 'Number',
    proximity_keywords: 'Unknown', // type not stated
    delimiter: 'String', // type not stated
    ...within('regexes', { regex: 'String', weight: 'Number' }),
    metadata_criteria: 'Unknown', // type not stated
  }),
  ...within('tags', { classification: 'Unknown', compliance: 'Unknown', geography: 'Unknown' }),
};

export const bulkScan: ContractFields = {
  profile_name: 'String',
  session_id: 'String',
  total: 'Number',
  blocked: 'Number',
  allowed: 'Number',
  errors: 'Number',
  ...within('results', bulkResult),
};

export const dlpProfile: ContractFields = {
  id: 'String',
  name: 'String', // type not stated
  description: 'String', // type not stated
  tenant_id: 'String', // type not stated
  type: 'String', // type not stated
  profile_status: 'String', // type not stated
  profile_type: 'String', // type not stated
  is_granular_data_profile: 'Boolean',
  is_parent_managed: 'Boolean',
  version: 'Number',
  created_at: 'Number',
  updated_at: 'Number',
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
};

export const dlpProfileGet: ContractFields = {
  id: 'String',
  name: 'String', // type not stated
  description: 'String', // type not stated
  tenant_id: 'String', // type not stated
  type: 'String', // type not stated
  profile_status: 'String', // type not stated
  profile_type: 'String', // type not stated
  is_granular_data_profile: 'Boolean',
  is_parent_managed: 'Boolean',
  version: 'Number',
  created_at: 'Number',
  updated_at: 'Number',
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
  ...within('detection_rules', { rule_type: 'String' }), // type not stated
};

export const dlpProfileCreate: ContractFields = {
  id: 'String',
  name: 'String', // type not stated
  description: 'String', // type not stated
  type: 'String', // type not stated
  profile_status: 'String', // type not stated
  profile_type: 'String', // type not stated
  is_granular_data_profile: 'Boolean',
  version: 'Number',
  ...within('detection_rules', { rule_type: 'String' }), // type not stated
  created_at: 'Number',
  created_by: 'String', // type not stated
};

export const dlpProfileChange: ContractFields = {
  id: 'String',
  name: 'String', // type not stated
  description: 'String', // type not stated
  type: 'String', // type not stated
  profile_status: 'String', // type not stated
  profile_type: 'String', // type not stated
  version: 'Number',
  ...within('detection_rules', { rule_type: 'String' }), // type not stated
  updated_at: 'Number',
  updated_by: 'String', // type not stated
};

export const dlpProfileDelete: ContractFields = {
  id: 'String',
  name: 'String', // type not stated
  profile_status: 'String', // type not stated
  deleted: 'Boolean',
  status: 'String',
};

export const dlpDictionary: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  category: 'String', // type not stated
  region_name: 'String', // type not stated
  type: 'String', // type not stated
  is_case_sensitive: 'Boolean',
  detection_technique: 'String', // type not stated
  number_of_keywords: 'Number',
  created_at: 'Number',
  updated_at: 'Number',
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
  is_parent_managed: 'Boolean', // type not stated
};

export const dlpDictionaryGet: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  category: 'String', // type not stated
  region_name: 'String', // type not stated
  type: 'String', // type not stated
  is_case_sensitive: 'Boolean',
  is_parent_managed: 'Boolean', // type not stated
  detection_technique: 'String', // type not stated
  detection_sub_technique: 'String', // type not stated
  dictionary_metadata: 'Unknown',
  keywords: 'Unknown',
  ...within('tags', { classification: 'Unknown' }),
  created_at: 'Number',
  updated_at: 'Number',
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
};

export const dlpDictionaryCreate: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  category: 'String', // type not stated
  region_name: 'String', // type not stated
  type: 'String', // type not stated
  is_case_sensitive: 'Boolean',
  detection_technique: 'String', // type not stated
  dictionary_metadata: 'Unknown',
  keywords: 'Unknown',
  created_at: 'Number',
  created_by: 'String', // type not stated
};

export const dlpDictionaryPatch: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  category: 'String', // type not stated
  region_name: 'String', // type not stated
  type: 'String', // type not stated
  is_case_sensitive: 'Boolean',
  updated_at: 'Number',
  updated_by: 'String', // type not stated
};

export const dlpDictionaryReplace: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  category: 'String', // type not stated
  region_name: 'String', // type not stated
  type: 'String', // type not stated
  is_case_sensitive: 'Boolean',
  updated_at: 'Number',
  updated_by: 'String', // type not stated
  keywords: 'Unknown',
};

export const dlpDictionaryDelete: ContractFields = {
  id: 'String', // type not stated
  deleted: 'Boolean',
  status: 'String',
};

export const dlpPattern: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  category: 'String', // type not stated
  region_name: 'String', // type not stated
  type: 'String', // type not stated
  detection_technique: 'String', // type not stated
  detection_sub_technique: 'String', // type not stated
  pattern_status: 'String', // type not stated
  created_at: 'Number',
  updated_at: 'Number',
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
  is_parent_managed: 'Boolean', // type not stated
};

export const dlpPatternGet: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  tenant_id: 'String', // type not stated
  type: 'String', // type not stated
  status: 'String', // type not stated
  license_type: 'String', // type not stated
  is_parent_managed: 'Boolean', // type not stated
  version: 'Number',
  ...patternDefinition,
  created_at: 'Number',
  updated_at: 'Number',
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
};

export const dlpPatternCreate: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  type: 'String', // type not stated
  status: 'String', // type not stated
  ...patternDefinition,
  created_at: 'Number',
  created_by: 'String', // type not stated
};

export const dlpPatternChange: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  type: 'String', // type not stated
  status: 'String', // type not stated
  version: 'Number',
  ...patternDefinition,
  updated_at: 'Number',
  updated_by: 'String', // type not stated
};

export const dlpPatternDelete: ContractFields = {
  id: 'String', // type not stated
  deleted: 'Boolean',
  status: 'String',
};

export const dlpFilteringProfile: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  type: 'String', // type not stated
  default_action: 'String', // type not stated
  is_parent_managed: 'Boolean',
  created_at: 'Number',
  updated_at: 'Number',
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
};

export const dlpFilteringProfileGet: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  tenant_id: 'String', // type not stated
  type: 'String', // type not stated
  data_profile_id: 'Number',
  direction: 'String', // type not stated
  file_based: 'Boolean',
  non_file_based: 'Boolean',
  log_severity: 'String', // type not stated
  scan_type: 'String', // type not stated
  is_end_user_coaching_enabled: 'Boolean',
  is_granular_profile: 'Boolean',
  is_parent_managed: 'Boolean',
  euc_template_id: 'String',
  version: 'Number',
  file_type: 'Unknown',
  created_at: 'Number',
  updated_at: 'Number',
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
};

export const dlpFilteringProfileReplace: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  tenant_id: 'String', // type not stated
  type: 'String', // type not stated
  data_profile_id: 'Number',
  direction: 'String', // type not stated
  file_based: 'Boolean',
  non_file_based: 'Boolean',
  log_severity: 'String', // type not stated
  scan_type: 'String', // type not stated
  is_end_user_coaching_enabled: 'Boolean',
  is_granular_profile: 'Boolean',
  is_parent_managed: 'Boolean',
  version: 'Number',
  created_at: 'Number',
  updated_at: 'Number',
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
};
