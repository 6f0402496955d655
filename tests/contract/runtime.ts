import * as fields from './runtime-fields.ts';
import type { ContractCommand, ContractParameter } from './types.ts';

const rotationUnits = ['hours', 'days', 'months'];
const allowOrBlock = ['allow', 'block'];

/** The connection parameters, by the text a user sees. */
export const connectionParameters: readonly ContractParameter[] = [
  { display: 'Server URL', required: true },
  { display: 'API Client ID', required: true, type: 9 },
  { display: 'API Client Secret', required: true, type: 9 },
  { display: 'Runtime API Key', required: true, type: 9 },
  { display: 'Tenant Services Group ID', required: true },
  { display: 'Scanner API Base URL', required: false },
  { display: 'DLP API Base URL', required: false },
  { display: 'Trust any certificate (not secure)', required: false, type: 8 },
  { display: 'Use system proxy settings', required: false, type: 8 },
];

const scanning: readonly ContractCommand[] = [
  {
    command: 'aisec-runtime-scan',
    arguments: [
      { name: 'profile_name', required: true },
      { name: 'prompt', required: true },
      { name: 'response' },
      { name: 'tr_id' },
      { name: 'session_id' },
      { name: 'app_name' },
      { name: 'app_user' },
      { name: 'ai_model' },
      { name: 'user_ip' },
      { name: 'agent_id' },
      { name: 'agent_version' },
      { name: 'agent_arn' },
    ],
    extensions: [
      { name: 'profile_id' },
      { name: 'transaction_id' },
      { name: 'context' },
      { name: 'code_prompt' },
      { name: 'code_response' },
      { name: 'tool_event', kind: 'json' },
      { name: 'contents', kind: 'json' },
    ],
    context: 'AiSec.RuntimeScan',
    outputs: fields.runtimeScan,
    outputExtensions: [
      'decision',
      'decision_cause',
      'transaction_id',
      'prompt_masked_data',
      'response_masked_data',
      'prompt_detection_details',
      'response_detection_details',
      'tool_detected',
      'created_at',
      'completed_at',
    ],
  },
];

const apiKeys: readonly ContractCommand[] = [
  {
    command: 'aisec-runtime-api-keys-list',
    arguments: [{ name: 'limit', default: '50', kind: 'number' }],
    extensions: [{ name: 'offset', kind: 'number' }],
    context: 'AiSec.ApiKey',
    outputs: fields.apiKey,
  },
  {
    command: 'aisec-runtime-api-keys-create',
    arguments: [
      { name: 'api_key_name', required: true },
      { name: 'auth_code', required: true },
      { name: 'cust_app', required: true },
      { name: 'rotation_time_interval', required: true, kind: 'number' },
      { name: 'rotation_time_unit', required: true, choices: rotationUnits },
      { name: 'created_by', required: true },
      { name: 'dp_name' },
      { name: 'cust_env', required: true },
      { name: 'cust_cloud_provider', required: true },
      { name: 'cust_ai_agent_framework' },
    ],
    context: 'AiSec.ApiKeyCreate',
    outputs: fields.apiKeyCreate,
  },
  {
    command: 'aisec-runtime-api-keys-regenerate',
    arguments: [
      { name: 'api_key_id', required: true },
      { name: 'rotation_time_interval', required: true, kind: 'number' },
      { name: 'rotation_time_unit', required: true, choices: rotationUnits },
      { name: 'updated_by' },
    ],
    context: 'AiSec.ApiKeyRegenerate',
    outputs: fields.apiKeyRegenerate,
  },
  {
    command: 'aisec-runtime-api-keys-delete',
    arguments: [
      { name: 'api_key_name', required: true },
      { name: 'updated_by', required: true },
    ],
    context: 'AiSec.ApiKeyDeleted',
    outputs: fields.apiKeyDeleted,
  },
];

const profiles: readonly ContractCommand[] = [
  {
    command: 'aisec-runtime-profiles-list',
    arguments: [{ name: 'limit', default: '50', kind: 'number' }],
    extensions: [{ name: 'offset', kind: 'number' }],
    context: 'AiSec.SecurityProfile',
    outputs: fields.securityProfile,
  },
  {
    command: 'aisec-runtime-profiles-get',
    arguments: [{ name: 'profile_id' }, { name: 'profile_name' }],
    context: 'AiSec.SecurityProfileGet',
    outputs: fields.securityProfileDetail,
  },
  {
    command: 'aisec-runtime-profiles-create',
    arguments: [
      { name: 'profile_name', required: true },
      { name: 'active', default: 'true', kind: 'boolean' },
      { name: 'policy', kind: 'json' },
    ],
    context: 'AiSec.SecurityProfileCreate',
    outputs: fields.securityProfileDetail,
  },
  {
    command: 'aisec-runtime-profiles-update',
    arguments: [
      { name: 'profile_id', required: true },
      { name: 'profile_name', required: true },
      { name: 'active', kind: 'boolean' },
      { name: 'policy', kind: 'json' },
    ],
    context: 'AiSec.SecurityProfileUpdate',
    outputs: fields.securityProfileDetail,
  },
  {
    command: 'aisec-runtime-profiles-delete',
    arguments: [
      { name: 'profile_id', required: true },
      { name: 'force', default: 'false', kind: 'boolean' },
      { name: 'updated_by' },
    ],
    context: 'AiSec.SecurityProfileDeleted',
    outputs: fields.securityProfileDeleted,
  },
];

const customerApps: readonly ContractCommand[] = [
  {
    command: 'aisec-runtime-customer-apps-list',
    arguments: [{ name: 'limit', default: '50', kind: 'number' }],
    extensions: [{ name: 'offset', kind: 'number' }],
    context: 'AiSec.CustomerApp',
    outputs: fields.customerApp,
  },
  {
    command: 'aisec-runtime-customer-apps-get',
    arguments: [{ name: 'app_name', required: true }],
    context: 'AiSec.CustomerAppGet',
    outputs: fields.customerAppDetail,
  },
  {
    command: 'aisec-runtime-customer-apps-update',
    arguments: [
      { name: 'customer_app_id', required: true },
      { name: 'app_name', required: true },
      { name: 'cloud_provider', required: true, choices: ['cloud_a', 'cloud_b', 'cloud_c', 'other'] },
      { name: 'environment', required: true, choices: ['prod', 'staging', 'dev'] },
      { name: 'tsg_id' },
      { name: 'model_name' },
      { name: 'ai_agent_framework' },
      { name: 'updated_by' },
    ],
    context: 'AiSec.CustomerAppUpdate',
    outputs: fields.customerAppDetail,
  },
  {
    command: 'aisec-runtime-customer-apps-consumption',
    arguments: [
      { name: 'app_id', required: true },
      { name: 'app_name', required: true },
      { name: 'time_interval', default: '30', choices: ['7', '30', '60'], kind: 'number' },
      { name: 'time_unit', default: 'days', choices: ['days'] },
    ],
    context: 'AiSec.CustomerAppConsumption',
    outputs: fields.customerAppConsumption,
  },
  {
    command: 'aisec-runtime-customer-apps-violations',
    arguments: [
      { name: 'app_id', required: true },
      { name: 'app_name', required: true },
      { name: 'time_interval', default: '30', choices: ['7', '30', '60'], kind: 'number' },
      { name: 'time_unit', default: 'days', choices: ['days'] },
    ],
    context: 'AiSec.CustomerAppViolations',
    outputs: fields.customerAppViolations,
  },
  {
    command: 'aisec-runtime-customer-apps-delete',
    arguments: [
      { name: 'app_name', required: true },
      { name: 'updated_by', required: true },
    ],
    context: 'AiSec.CustomerAppDeleted',
    outputs: fields.customerAppDeleted,
  },
];

const deploymentProfiles: readonly ContractCommand[] = [
  {
    command: 'aisec-runtime-deployment-profiles-list',
    arguments: [
      { name: 'limit', default: '50', kind: 'number' },
      { name: 'unactivated', default: 'false', kind: 'boolean' },
    ],
    extensions: [{ name: 'offset', kind: 'number' }],
    context: 'AiSec.DeploymentProfile',
    outputs: fields.deploymentProfile,
  },
];

const topics: readonly ContractCommand[] = [
  {
    command: 'aisec-runtime-topics-list',
    arguments: [
      { name: 'limit', default: '100', kind: 'number' },
      { name: 'offset', default: '0', kind: 'number' },
    ],
    context: 'AiSec.Topic',
    outputs: fields.topic,
  },
  {
    command: 'aisec-runtime-topics-get',
    arguments: [{ name: 'topic_id' }, { name: 'topic_name' }],
    context: 'AiSec.TopicGet',
    outputs: fields.topicDetail,
  },
  {
    command: 'aisec-runtime-topics-create',
    arguments: [
      { name: 'topic_name', required: true },
      { name: 'description', required: true },
      { name: 'examples', required: true, kind: 'list' },
      { name: 'active', default: 'true', kind: 'boolean' },
    ],
    context: 'AiSec.TopicCreate',
    outputs: fields.topicDetail,
  },
  {
    command: 'aisec-runtime-topics-update',
    arguments: [
      { name: 'topic_id', required: true },
      { name: 'topic_name', required: true },
      { name: 'description' },
      { name: 'examples', kind: 'list' },
      { name: 'active', kind: 'boolean' },
    ],
    context: 'AiSec.TopicUpdate',
    outputs: fields.topicDetail,
  },
  {
    command: 'aisec-runtime-topics-delete',
    arguments: [
      { name: 'topic_id', required: true },
      { name: 'force', default: 'false', kind: 'boolean' },
      { name: 'updated_by' },
    ],
    context: 'AiSec.TopicDeleted',
    outputs: fields.topicDeleted,
  },
  {
    command: 'aisec-runtime-topics-apply',
    arguments: [
      { name: 'profile_name', required: true },
      { name: 'topic_name', required: true },
      { name: 'action', default: 'block', choices: allowOrBlock },
      { name: 'guardrail_action', default: 'block', choices: allowOrBlock },
    ],
    extensions: [{ name: 'keep_guardrail_action', default: 'false', kind: 'boolean' }],
    context: 'AiSec.TopicApplied',
    outputs: fields.topicApplied,
  },
];

/** Scanning, API keys, security profiles, customer applications, deployment profiles and topics: 23 commands. */
export const runtime: readonly ContractCommand[] = [
  ...scanning,
  ...apiKeys,
  ...profiles,
  ...customerApps,
  ...deploymentProfiles,
  ...topics,
];
