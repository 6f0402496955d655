import { isObject } from '../../lib/core/json.ts';
import { date, number, record, string, timestamp, unknown, type Wire } from '../../lib/runtime/output/record.ts';
import { LABELS } from './labels.ts';
import { page } from './pages.ts';

const uuid = string('Identifier of the scan.');
const model_uri = string('Address or path of the model.', { heading: 'Model' });
const eval_outcome = string('Outcome: PENDING, then ALLOWED, BLOCKED or ERROR.', { heading: 'Outcome' });
const source_type = string('Where the model is: MODEL_HUB, LOCAL, STORE_A, STORE_B or STORE_C.', { tokens: 'source' });
const security_group_uuid = string('Identifier of the security group.');
const security_group_name = string('Name of the security group.', { heading: 'Security Group' });
const scan_origin = string(
  'What started the scan: MODEL_SECURITY_SDK, MODEL_SECURITY_API, MODEL_SECURITY_FRONTEND or MODEL_HUB.',
  { tokens: 'source' },
);
const created_at = timestamp('When it was created.');
const updated_at = timestamp('When it was last changed.');
const created_by = string('Who created the scan.');
const owner = string('Who owns the scan.');
const tsg_id = string('Tenant services group.');

const counts = {
  rules_passed: number('Number of rules that passed; null until they ran.', { derive: ruleCount('rules_passed') }),
  rules_failed: number('Number of rules that failed; null until they ran.', { derive: ruleCount('rules_failed') }),
  total_rules: number('Number of rules; null until they ran.', { derive: ruleCount('total_rules') }),
};

/** Reads a count: null before the rules ran, and 0 for a member that the summary omits. */
function ruleCount(name: string): (wire: Wire) => unknown {
  return ({ eval_summary: summary }) => (isObject(summary) ? (summary[name] ?? 0) : null);
}

export const ModelScan = record(
  'AiSec.ModelSecurityScan',
  'Model Scans',
  'uuid',
  {
    uuid,
    model_uri,
    eval_outcome,
    source_type,
    security_group_name,
    created_at,
    security_group_uuid: { ...security_group_uuid, hidden: true },
    scan_origin: { ...scan_origin, hidden: true },
    updated_at: { ...updated_at, hidden: true },
    created_by: { ...created_by, hidden: true },
  },
  { firstColumns: ['uuid', 'model_uri', 'eval_outcome', 'source_type', 'security_group_name', 'created_at'] },
);

export const ModelScanCreate = record(
  'AiSec.ModelSecurityScanCreate',
  'Model Scan Created',
  'uuid',
  {
    uuid: { ...uuid, required: true },
    model_uri,
    eval_outcome,
    source_type,
    security_group_name,
    security_group_uuid,
    scan_origin,
    labels: unknown('Labels of the scan, each a key and a value.', LABELS),
    ...counts,
    owner,
    created_at,
    updated_at,
    tsg_id,
  },
  { headline: ['eval_outcome', 'model_uri'] },
);

export const ModelScanGet = record(
  'AiSec.ModelSecurityScanGet',
  'Model Scan',
  'uuid',
  {
    uuid,
    model_uri,
    eval_outcome,
    error_code: string('Error code; null if the scan did not fail.'),
    error_message: string('Error message; null if the scan did not fail.'),
    source_type,
    security_group_name,
    security_group_uuid,
    ...counts,
    enabled_rule_count_snapshot: number('Number of rules that the group had enabled when the scan began.'),
    total_files_scanned: number('Number of files that were scanned.'),
    total_files_skipped: number('Number of files that were skipped.'),
    model_formats: unknown('File formats that were detected.'),
    model_version_uuid: string('Identifier of the version in the model catalogue.'),
    scanner_version: string('Version of the scanner.'),
    scan_origin,
    owner,
    created_by,
    time_started: date('When the scan began.'),
    created_at,
    updated_at,
    tsg_id,
  },
  { headline: ['eval_outcome', 'model_uri'] },
);

const rule = {
  rule_name: string('Name of the rule.'),
  rule_description: string('Description of the rule.'),
  rule_instance_state: string('Effect of the rule in this group: BLOCKING, ALLOWING or DISABLED.', {
    heading: 'State',
  }),
  rule_instance_uuid: string('Identifier of the rule instance.'),
};

const stamps = { created_at, updated_at, tsg_id };

const violation = {
  uuid: string('Identifier of the violation.'),
  rule_name: rule.rule_name,
  rule_instance_state: rule.rule_instance_state,
  threat: string('Type of the threat.'),
  threat_description: string('Meaning of the threat.'),
  file: string('Path of the file in the model.'),
  description: string('What was found.'),
  module: string('Module that the file would load.'),
  operator: string('Operator that the file would run.'),
  hash: string('Hash of the file.'),
  rule_description: rule.rule_description,
  rule_instance_uuid: rule.rule_instance_uuid,
  ...stamps,
};

const scan_uuid = string('Identifier of the scan.', { argument: 'scan_uuid' });

export const ModelViolations = record('AiSec.ModelSecurityViolation', 'Model Scan Violations', 'scan_uuid', {
  scan_uuid: { ...scan_uuid, argument: 'uuid' },
  violations: unknown('Violations of the scan.', {
    items: violation,
    rows: ['uuid', 'rule_name', 'rule_instance_state', 'threat', 'file', 'module', 'description'],
  }),
  ...page,
});

export const ModelViolation = record('AiSec.ModelSecurityViolationDetail', 'Model Scan Violation', 'uuid', violation);

const evaluation = {
  uuid: string('Identifier of the evaluation.'),
  rule_name: rule.rule_name,
  result: string('Result: PASSED, FAILED or ERROR.'),
  violation_count: number('Number of violations.'),
  rule_instance_state: rule.rule_instance_state,
  rule_description: rule.rule_description,
  scan_uuid: string('Identifier of the scan.'),
  rule_instance_uuid: rule.rule_instance_uuid,
  ...stamps,
};

export const ModelEvaluation = record('AiSec.ModelSecurityEvaluation', 'Model Rule Evaluation', 'uuid', evaluation);

export const ModelEvaluations = record('AiSec.ModelSecurityEvaluations', 'Model Rule Evaluations', 'scan_uuid', {
  scan_uuid,
  evaluations: unknown('Evaluations of the scan, one for each rule.', {
    items: evaluation,
    rows: ['uuid', 'rule_name', 'result', 'violation_count', 'rule_instance_state', 'rule_description'],
  }),
  ...page,
});

export const ModelFiles = record('AiSec.ModelSecurityFiles', 'Scanned Files', 'scan_uuid', {
  scan_uuid,
  files: unknown('Files and folders of the scanned model.', {
    items: {
      uuid: string('Identifier of the entry.'),
      path: string('Path in the model.'),
      parent_path: string('Path of its parent folder.'),
      type: string('FILE or DIRECTORY.'),
      result: string('SUCCESS, FAILURE, or another value of the service.', { tokens: 'file-result' }),
      formats: unknown('File formats that were detected.'),
      model_version_uuid: string('Identifier of the version in the model catalogue.'),
      blob_id: string('Identifier of the content.'),
      scan_uuid: string('Identifier of the scan.'),
      ...stamps,
    },
    rows: ['path', 'type', 'result', 'formats', 'uuid'],
  }),
  ...page,
});
