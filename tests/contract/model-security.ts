import * as fields from './model-security-fields.ts';
import type { ContractArgument, ContractCommand } from './types.ts';

const limit: ContractArgument = { name: 'limit', default: '50', kind: 'number' };
const offset: ContractArgument = { name: 'offset', default: '0', kind: 'number' };
const skip: ContractArgument = { name: 'skip', kind: 'number' };
const uuid: ContractArgument = { name: 'uuid', required: true };
const directions = ['asc', 'desc'];
const times = ['created_at', 'updated_at'];
const ruleStates = ['DISABLED', 'ALLOWING', 'BLOCKING'];

const scans: readonly ContractCommand[] = [
  {
    command: 'aisec-model-security-scans-list',
    arguments: [limit],
    extensions: [skip],
    context: 'AiSec.ModelSecurityScan',
    outputs: fields.scan,
  },
  {
    command: 'aisec-model-security-scans-create',
    arguments: [
      { name: 'model_uri', required: true },
      { name: 'security_group_uuid', required: true },
      { name: 'scan_origin', default: 'MODEL_SECURITY_API' },
      { name: 'model_name' },
      { name: 'model_author' },
      { name: 'model_version' },
      { name: 'labels', kind: 'json' },
    ],
    extensions: [
      { name: 'wait', default: 'false', kind: 'boolean' },
      { name: 'timeout', kind: 'number' },
      { name: 'interval', kind: 'number' },
    ],
    context: 'AiSec.ModelSecurityScanCreate',
    outputs: fields.scanCreate,
    atEnd: { context: 'AiSec.ModelSecurityScanGet', outputs: fields.scanGet },
  },
  {
    command: 'aisec-model-security-scans-get',
    arguments: [uuid],
    context: 'AiSec.ModelSecurityScanGet',
    outputs: fields.scanGet,
  },
  {
    command: 'aisec-model-security-scans-violations',
    arguments: [uuid, limit, offset],
    context: 'AiSec.ModelSecurityViolation',
    outputs: fields.violations,
  },
  {
    command: 'aisec-model-security-scans-violation',
    arguments: [uuid],
    context: 'AiSec.ModelSecurityViolationDetail',
    outputs: fields.violation,
  },
  {
    command: 'aisec-model-security-scans-evaluation',
    arguments: [uuid],
    context: 'AiSec.ModelSecurityEvaluation',
    outputs: fields.evaluation,
  },
  {
    command: 'aisec-model-security-scans-evaluations',
    arguments: [
      { name: 'scan_uuid', required: true },
      limit,
      offset,
      { name: 'sort_field', choices: times },
      { name: 'sort_order', choices: directions },
      { name: 'result', choices: ['PASSED', 'FAILED', 'ERROR'] },
      { name: 'rule_instance_uuid' },
    ],
    context: 'AiSec.ModelSecurityEvaluations',
    outputs: fields.evaluations,
  },
  {
    command: 'aisec-model-security-scans-files',
    arguments: [
      { name: 'scan_uuid', required: true },
      limit,
      offset,
      { name: 'sort_field', choices: ['path', 'type'] },
      { name: 'sort_dir', choices: directions },
      { name: 'type', choices: ['FILE', 'DIRECTORY'] },
      { name: 'result', choices: ['SUCCESS', 'FAILURE'] },
      { name: 'query_path', default: '/' },
    ],
    context: 'AiSec.ModelSecurityFiles',
    outputs: fields.files,
  },
];

const labels: readonly ContractCommand[] = [
  {
    command: 'aisec-model-security-labels-keys',
    arguments: [limit, offset],
    context: 'AiSec.ModelSecurityLabelKeys',
    outputs: fields.labelKeys,
  },
  {
    command: 'aisec-model-security-labels-values',
    arguments: [{ name: 'key', required: true }, limit, offset],
    context: 'AiSec.ModelSecurityLabelValues',
    outputs: fields.labelValues,
  },
  {
    command: 'aisec-model-security-labels-add',
    arguments: [
      { name: 'scan_uuid', required: true },
      { name: 'labels', required: true, kind: 'json' },
    ],
    context: 'AiSec.ModelSecurityLabelsAdd',
    outputs: fields.labelsAdd,
  },
  {
    command: 'aisec-model-security-labels-set',
    arguments: [
      { name: 'scan_uuid', required: true },
      { name: 'labels', required: true, kind: 'json' },
    ],
    context: 'AiSec.ModelSecurityLabelsSet',
    outputs: fields.labelsSet,
  },
  {
    command: 'aisec-model-security-labels-delete',
    arguments: [
      { name: 'scan_uuid', required: true },
      { name: 'keys', required: true, kind: 'list' },
    ],
    context: 'AiSec.ModelSecurityLabelsDelete',
    outputs: fields.labelsDelete,
  },
];

const models: readonly ContractCommand[] = [
  {
    command: 'aisec-model-security-models-list',
    arguments: [
      limit,
      skip,
      { name: 'search_query' },
      { name: 'sort_field', choices: times },
      { name: 'sort_order', choices: directions },
      { name: 'latest_version_outcomes', kind: 'list' },
      { name: 'latest_version_formats', kind: 'list' },
      { name: 'latest_version_source_types', kind: 'list' },
      { name: 'start_time' },
      { name: 'end_time' },
    ],
    context: 'AiSec.ModelSecurityModel',
    outputs: fields.model,
  },
  {
    command: 'aisec-model-security-models-get',
    arguments: [uuid],
    context: 'AiSec.ModelSecurityModel',
    outputs: fields.modelGet,
  },
  {
    command: 'aisec-model-security-models-versions',
    arguments: [{ name: 'model_uuid', required: true }, limit, skip, { name: 'sort_order', choices: directions }],
    context: 'AiSec.ModelSecurityModelVersion',
    outputs: fields.modelVersion,
  },
  {
    command: 'aisec-model-security-models-version-get',
    arguments: [uuid],
    context: 'AiSec.ModelSecurityModelVersion',
    outputs: fields.modelVersionGet,
  },
  {
    command: 'aisec-model-security-models-files',
    arguments: [{ name: 'model_version_uuid', required: true }, limit, skip],
    context: 'AiSec.ModelSecurityModelFile',
    outputs: fields.modelFile,
  },
];

const groups: readonly ContractCommand[] = [
  {
    command: 'aisec-model-security-groups-list',
    arguments: [limit],
    extensions: [skip],
    context: 'AiSec.ModelSecurityGroup',
    outputs: fields.group,
  },
  {
    command: 'aisec-model-security-groups-get',
    arguments: [uuid],
    context: 'AiSec.ModelSecurityGroupGet',
    outputs: fields.group,
  },
  {
    command: 'aisec-model-security-groups-create',
    arguments: [{ name: 'name', required: true }, { name: 'source_type', required: true }, { name: 'description' }],
    context: 'AiSec.ModelSecurityGroupAdd',
    outputs: fields.group,
  },
  {
    command: 'aisec-model-security-groups-update',
    arguments: [uuid, { name: 'name' }, { name: 'description' }],
    context: 'AiSec.ModelSecurityGroupUpdate',
    outputs: fields.group,
  },
  {
    command: 'aisec-model-security-groups-delete',
    arguments: [uuid],
    context: 'AiSec.ModelSecurityGroupDelete',
    outputs: fields.groupDelete,
  },
];

const rules: readonly ContractCommand[] = [
  {
    command: 'aisec-model-security-rules-list',
    arguments: [limit],
    extensions: [skip],
    context: 'AiSec.ModelSecurityRule',
    outputs: fields.rule,
  },
  {
    command: 'aisec-model-security-rules-get',
    arguments: [uuid],
    context: 'AiSec.ModelSecurityRuleGet',
    outputs: fields.ruleGet,
  },
];

const ruleInstances: readonly ContractCommand[] = [
  {
    command: 'aisec-model-security-rule-instances-list',
    arguments: [
      { name: 'security_group_uuid', required: true },
      limit,
      offset,
      { name: 'security_rule_uuid' },
      { name: 'state', choices: ruleStates },
    ],
    context: 'AiSec.ModelSecurityRuleInstance',
    outputs: fields.ruleInstances,
  },
  {
    command: 'aisec-model-security-rule-instances-get',
    arguments: [
      { name: 'security_group_uuid', required: true },
      { name: 'rule_instance_uuid', required: true },
    ],
    context: 'AiSec.ModelSecurityRuleInstanceGet',
    outputs: fields.ruleInstance,
  },
  {
    command: 'aisec-model-security-rule-instances-update',
    arguments: [
      { name: 'security_group_uuid', required: true },
      { name: 'rule_instance_uuid', required: true },
      { name: 'state', choices: ruleStates },
      { name: 'field_values', kind: 'json' },
    ],
    context: 'AiSec.ModelSecurityRuleInstanceUpdate',
    outputs: fields.ruleInstance,
  },
];

/** Scans, labels, models, security groups, rules and rule instances: 28 commands. */
export const modelSecurity: readonly ContractCommand[] = [
  ...scans,
  ...labels,
  ...models,
  ...groups,
  ...rules,
  ...ruleInstances,
];
