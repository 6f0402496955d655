import type { ContractFields } from './types.ts';
import { within } from './within.ts';

// A field that has a type in one list of a resource keeps it in the others: `revision` is a Number throughout.

const promptDetectors: ContractFields = {
  injection: 'Boolean',
  dlp: 'Boolean',
  toxic_content: 'Boolean',
  topic_violation: 'Boolean',
  url_cats: 'Boolean',
  malicious_code: 'Boolean',
  agent: 'Boolean',
};

const responseDetectors: ContractFields = {
  dlp: 'Boolean',
  toxic_content: 'Boolean',
  topic_violation: 'Boolean',
  url_cats: 'Boolean',
  malicious_code: 'Boolean',
  agent: 'Boolean',
  db_security: 'Boolean',
  ungrounded: 'Boolean',
};

// The platform's validators end a path at its fifth name, so what is inside `model-configuration` cannot be declared.
const policy: ContractFields = within('policy', {
  ...within('ai-security-profiles', { 'model-type': 'String', 'model-configuration': 'Unknown' }),
  'dlp-data-profiles': 'Unknown',
});

export const runtimeScan: ContractFields = {
  scan_id: 'String',
  report_id: 'String',
  tr_id: 'String',
  session_id: 'String',
  prompt: 'String',
  response: 'String',
  action: 'String',
  category: 'String',
  detected: 'Boolean',
  ...within('prompt_detected', promptDetectors),
  ...within('response_detected', responseDetectors),
  profile_id: 'String',
  profile_name: 'String',
  source: 'String',
  timeout: 'Boolean',
  error: 'Boolean',
  errors: 'Unknown',
};

export const apiKey: ContractFields = {
  id: 'String',
  name: 'String',
  last8: 'String',
  created_at: 'Date',
  expires_at: 'Date',
  revoked: 'Boolean',
};

export const apiKeyCreate: ContractFields = {
  id: 'String',
  name: 'String',
  api_key: 'String', // type not stated
  last8: 'String',
  auth_code: 'String', // type not stated
  expires_at: 'Date',
  revoked: 'Boolean',
  created_at: 'Date',
  created_by: 'String', // type not stated
  cust_app: 'String', // type not stated
};

export const apiKeyRegenerate: ContractFields = {
  id: 'String',
  name: 'String',
  api_key: 'String', // type not stated
  last8: 'String',
  auth_code: 'String', // type not stated
  expires_at: 'Date',
  revoked: 'Boolean',
  updated_at: 'Date', // type not stated
  updated_by: 'String', // type not stated
  cust_app: 'String', // type not stated
};

export const apiKeyDeleted: ContractFields = {
  api_key_name: 'String',
  deleted_by: 'String',
  message: 'String',
  deleted: 'Boolean',
};

export const securityProfile: ContractFields = {
  id: 'String',
  name: 'String',
  revision: 'Number',
  active: 'Boolean',
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
  last_modified_ts: 'Date',
  tsg_id: 'String',
};

export const securityProfileDetail: ContractFields = {
  id: 'String',
  name: 'String',
  revision: 'Number',
  active: 'Boolean',
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
  last_modified_ts: 'Date',
  tsg_id: 'String',
  ...policy,
  csp_id: 'String',
};

export const securityProfileDeleted: ContractFields = {
  profile_id: 'String', // type not stated
  message: 'String', // type not stated
  deleted: 'Boolean',
  force: 'Boolean',
};

export const customerApp: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  model_name: 'String', // type not stated
  cloud_provider: 'String', // type not stated
  environment: 'String', // type not stated
  ai_agent_framework: 'String', // type not stated
  tsg_id: 'String', // type not stated
};

export const customerAppDetail: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  model_name: 'String', // type not stated
  cloud_provider: 'String', // type not stated
  environment: 'String', // type not stated
  ai_agent_framework: 'String', // type not stated
  tsg_id: 'String', // type not stated
  status: 'String', // type not stated
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
};

export const customerAppDeleted: ContractFields = {
  app_name: 'String', // type not stated
  deleted_by: 'String', // type not stated
  message: 'String', // type not stated
  deleted: 'Boolean',
};

export const customerAppConsumption: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  cloud: 'String', // type not stated
  source: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  profiles: 'Unknown',
  average_daily_tokens: 'Number',
  average_daily_tokens_scale: 'String',
  monthly_total_tokens: 'Number',
  monthly_total_tokens_scale: 'String',
  sessions_total: 'Number',
  sessions_violating: 'Number',
  last_session_id: 'String',
  most_recent_session_time: 'Date',
  violations_critical: 'Number',
  violations_high: 'Number',
  violations_medium: 'Number',
  violations_low: 'Number',
  violations_total: 'Number',
};

export const customerAppViolations: ContractFields = {
  app_id: 'String', // type not stated
  app_name: 'String', // type not stated
  total_violating: 'Number',
  time_interval: 'Number',
  time_unit: 'String',
  ...within('detectors', {
    detection_type: 'String',
    critical: 'Number',
    high: 'Number',
    medium: 'Number',
    low: 'Number',
    total: 'Number',
  }),
};

export const deploymentProfile: ContractFields = {
  name: 'String', // type not stated
  auth_code: 'String', // type not stated
  tsg_id: 'String', // type not stated
  status: 'String', // type not stated
  expiration_date: 'Date',
  ave_text_records: 'Number',
};

export const topic: ContractFields = {
  topic_id: 'String',
  topic_name: 'String', // type not stated
  revision: 'Number',
  description: 'String', // type not stated
  examples: 'Unknown',
  last_modified_ts: 'Date',
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
  csp_id: 'String', // type not stated
  tsg_id: 'String', // type not stated
};

export const topicDetail: ContractFields = {
  topic_id: 'String',
  topic_name: 'String', // type not stated
  revision: 'Number',
  active: 'Boolean',
  description: 'String', // type not stated
  examples: 'Unknown',
  created_by: 'String', // type not stated
  updated_by: 'String', // type not stated
  last_modified_ts: 'Date',
  created_ts: 'Date', // type not stated
};

export const topicDeleted: ContractFields = {
  topic_id: 'String',
  message: 'String', // type not stated
  deleted: 'Boolean',
  force: 'Boolean',
};

export const topicApplied: ContractFields = {
  profile_name: 'String', // type not stated
  profile_id: 'String', // type not stated
  topic_name: 'String', // type not stated
  topic_id: 'String',
  topic_revision: 'Number',
  action: 'String', // type not stated
  guardrail_action: 'String', // type not stated
  applied: 'Boolean',
};
