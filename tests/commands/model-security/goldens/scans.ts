import { TENANT } from '../../../support/scripted.ts';
import type { Golden } from '../../runtime/golden.ts';
import { DATA, GROUP, ID, OTHER, TIME } from './addresses.ts';

const list = 'aisec-model-security-scans-list';
const create = 'aisec-model-security-scans-create';
const get = 'aisec-model-security-scans-get';
const violations = 'aisec-model-security-scans-violations';
const violation = 'aisec-model-security-scans-violation';
const evaluation = 'aisec-model-security-scans-evaluation';
const evaluations = 'aisec-model-security-scans-evaluations';
const files = 'aisec-model-security-scans-files';

export const keys = {
  [list]: ['uuid'],
  [create]: ['uuid'],
  [get]: ['uuid'],
  [violations]: ['scan_uuid'],
  [violation]: ['uuid'],
  [evaluation]: ['uuid'],
  [evaluations]: ['scan_uuid'],
  [files]: ['scan_uuid'],
};

const wire = {
  uuid: ID,
  model_uri: 'https://hub.example.com/acme/summarizer',
  eval_outcome: 'BLOCKED',
  source_type: 'HUGGING_FACE',
  security_group_uuid: GROUP,
  security_group_name: 'Production models',
  scan_origin: 'HUGGING_FACE',
  created_at: TIME,
  updated_at: TIME,
  created_by: OTHER,
  owner: 'dana@example.com',
  tsg_id: TENANT,
};

const row = {
  uuid: ID,
  model_uri: wire.model_uri,
  eval_outcome: 'BLOCKED',
  source_type: 'MODEL_HUB',
  security_group_uuid: GROUP,
  security_group_name: 'Production models',
  scan_origin: 'MODEL_HUB',
  created_at: TIME,
  updated_at: TIME,
  created_by: OTHER,
};

const emptyRow = Object.fromEntries(Object.keys(row).map((name) => [name, null]));

const labels = [
  { key: 'env', value: 'prod' },
  { key: 'team', value: 'nlp' },
];

const { created_by: _, ...createdRow } = row;
const created = { ...createdRow, owner: 'dana@example.com', tsg_id: TENANT };

const details = {
  model_version_uuid: OTHER,
  enabled_rule_count_snapshot: 11,
  scanner_version: '2.4.1',
  total_files_scanned: 3,
  total_files_skipped: 0,
  error_code: null,
  error_message: null,
  model_formats: ['safetensors', 'pickle'],
};

const stamps = { created_at: TIME, updated_at: TIME, tsg_id: TENANT };

const violationRow = {
  uuid: OTHER,
  rule_name: 'No code on load',
  rule_description: 'Loading a file must not run code.',
  description: 'A pickle runs a command.',
  rule_instance_state: 'BLOCKING',
  file: '/weights/model.pkl',
  threat: 'PAIT-PKL-100',
  threat_description: 'Code on load.',
  module: 'os',
  operator: 'system',
  hash: 'abc',
  rule_instance_uuid: GROUP,
  ...stamps,
};

const evaluationRow = {
  uuid: OTHER,
  scan_uuid: ID,
  rule_name: 'No code on load',
  rule_description: 'Loading a file must not run code.',
  result: 'FAILED',
  violation_count: 2,
  rule_instance_state: 'MONITORING',
  rule_instance_uuid: GROUP,
  ...stamps,
};

const fileRow = {
  uuid: OTHER,
  path: '/weights/model.pkl',
  parent_path: '/weights',
  type: 'FILE',
  result: 'FAILED',
  model_version_uuid: GROUP,
  blob_id: null,
  formats: ['pickle'],
  scan_uuid: ID,
  ...stamps,
};

export const goldens: readonly Golden[] = [
  {
    command: list,
    what: 'two rows, one of them empty',
    args: '',
    script: [
      {
        request: `GET ${DATA}/scans?skip=0&limit=50`,
        answer: { scans: [wire, {}], pagination: { total_items: 2 }, count_capped: false },
      },
    ],
    value: [row, emptyRow],
  },
  {
    command: create,
    what: 'required arguments',
    args: `model_uri=https://hub.example.com/acme/summarizer security_group_uuid=${GROUP}`,
    script: [
      {
        request: `POST ${DATA}/scans`,
        body: {
          model_uri: wire.model_uri,
          security_group_uuid: GROUP,
          scan_origin: 'MODEL_SECURITY_API',
        },
        status: 201,
        answer: { ...wire, scan_origin: 'MODEL_SECURITY_API', eval_outcome: 'PENDING', eval_summary: null },
      },
    ],
    value: {
      ...created,
      scan_origin: 'MODEL_SECURITY_API',
      eval_outcome: 'PENDING',
      labels: null,
      rules_passed: null,
      rules_failed: null,
      total_rules: null,
    },
  },
  {
    command: create,
    what: 'all arguments',
    args: `model_uri=s3://bucket/m security_group_uuid=${GROUP} scan_origin=MODEL_HUB model_name=m model_author=ana model_version=v1 labels=\`${JSON.stringify(labels)}\``,
    script: [
      {
        request: `POST ${DATA}/scans`,
        body: {
          model_uri: 's3://bucket/m',
          security_group_uuid: GROUP,
          scan_origin: 'HUGGING_FACE',
          model_name: 'm',
          model_author: 'ana',
          model_version: 'v1',
          labels,
        },
        status: 201,
        answer: { ...wire, source_type: 'S3', labels, eval_summary: { rules_passed: 4 } },
      },
    ],
    value: { ...created, source_type: 'STORE_A', labels, rules_passed: 4, rules_failed: 0, total_rules: 0 },
  },
  {
    command: get,
    what: 'a scan that has ended',
    args: `uuid=${ID}`,
    script: [
      {
        request: `GET ${DATA}/scans/${ID}`,
        answer: {
          ...wire,
          ...details,
          time_started: TIME,
          labels,
          eval_summary: { rules_passed: 9, rules_failed: 2, total_rules: 11 },
        },
      },
    ],
    value: {
      ...row,
      ...details,
      owner: 'dana@example.com',
      tsg_id: TENANT,
      time_started: '2026-05-15T13:05:53Z',
      rules_passed: 9,
      rules_failed: 2,
      total_rules: 11,
    },
  },
  {
    command: violations,
    what: 'one of them',
    args: `uuid=${ID} limit=20 offset=40`,
    script: [
      {
        request: `GET ${DATA}/scans/${ID}/rule-violations?skip=40&limit=20`,
        answer: {
          violations: [{ ...violationRow, remediation: { steps: ['Do not load it.'], url: null } }],
          pagination: { total_items: 41 },
        },
      },
    ],
    value: { scan_uuid: ID, violations: [violationRow], total_items: 41, limit: 20, offset: 40 },
  },
  {
    command: violation,
    what: 'all fields',
    args: `uuid=${OTHER}`,
    script: [{ request: `GET ${DATA}/violations/${OTHER}`, answer: violationRow }],
    value: violationRow,
  },
  {
    command: evaluation,
    what: 'all fields',
    args: `uuid=${OTHER}`,
    script: [{ request: `GET ${DATA}/evaluations/${OTHER}`, answer: evaluationRow }],
    value: evaluationRow,
  },
  {
    command: evaluations,
    what: 'without arguments, and without a total',
    args: `scan_uuid=${ID}`,
    script: [
      {
        request: `GET ${DATA}/scans/${ID}/evaluations?skip=0&limit=50`,
        answer: { evaluations: [evaluationRow], pagination: { total_items: null } },
      },
    ],
    value: { scan_uuid: ID, evaluations: [evaluationRow], total_items: null, limit: 50, offset: 0 },
  },
  {
    command: evaluations,
    what: 'all arguments',
    args: `scan_uuid=${ID} limit=5 offset=5 sort_field=updated_at sort_order=asc result=FAILED rule_instance_uuid=${GROUP}`,
    script: [
      {
        request: `GET ${DATA}/scans/${ID}/evaluations?sort_field=updated_at&sort_order=asc&result=FAILED&rule_instance_uuid=${GROUP}&skip=5&limit=5`,
        answer: { evaluations: [], pagination: { total_items: 5 } },
      },
    ],
    value: { scan_uuid: ID, evaluations: [], total_items: 5, limit: 5, offset: 5 },
  },
  {
    command: files,
    what: 'everything',
    args: `scan_uuid=${ID}`,
    script: [
      {
        request: `GET ${DATA}/scans/${ID}/files?query_path=%2F&recursive=true&skip=0&limit=50`,
        answer: { files: [fileRow, { path: '/' }], pagination: { total_items: 2 } },
      },
    ],
    value: {
      scan_uuid: ID,
      files: [
        { ...fileRow, result: 'FAILURE' },
        { ...Object.fromEntries(Object.keys(fileRow).map((name) => [name, null])), path: '/' },
      ],
      total_items: 2,
      limit: 50,
      offset: 0,
    },
  },
  {
    command: files,
    what: 'all arguments',
    args: `scan_uuid=${ID} limit=5 offset=1 sort_field=type sort_dir=desc type=FILE result=FAILURE query_path=/weights`,
    script: [
      {
        request: `GET ${DATA}/scans/${ID}/files?sort_field=type&sort_dir=desc&type=FILE&query_path=%2Fweights&recursive=true&skip=0&limit=100`,
        answer: {
          files: [fileRow, { ...fileRow, result: 'SUCCESS' }, { ...fileRow, result: 'ERROR', uuid: ID }],
          pagination: { total_items: 3 },
        },
      },
    ],
    value: {
      scan_uuid: ID,
      files: [{ ...fileRow, uuid: ID, result: 'FAILURE' }],
      total_items: 2,
      limit: 5,
      offset: 1,
    },
  },
];
