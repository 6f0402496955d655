import {
  ModelEvaluation,
  ModelEvaluations,
  ModelFiles,
  ModelScan,
  ModelScanCreate,
  ModelScanGet,
  ModelViolation,
  ModelViolations,
} from '../../context/model-security/scans.ts';
import { neutralTexts } from '../../lib/core/wire.ts';
import {
  command,
  limit,
  many,
  modelData,
  offset,
  one,
  paged,
  path,
  skip,
  text,
  uuid,
  waitArguments,
} from '../../lib/runtime/engine/declare.ts';
import { EVALUATIONS, MODEL_SCANS, RULE_INSTANCES, SECURITY_GROUPS, VIOLATIONS } from '../lookups.ts';
import { distinctKeys, newLabels } from './label-arguments.ts';
import { howToFix, labelsOf, untilScanned, whoReads } from './scan-progress.ts';
import { DIRECTIONS, TIMES } from './sorting.ts';

const scan_uuid = uuid('Identifier of the scan.', { lookup: MODEL_SCANS, required: true, positional: true });
/** Limit of catalogue metadata; source: `docs/wire.md`. */
const METADATA = { schema: { maxLength: 256 } };

export const list = command('aisec-model-security-scans-list', 'List the model scans, the newest first.', {
  effect: 'read',
  args: { limit: limit(50), skip: skip({ extension: true }) },
  output: { ...many(ModelScan), priority: ({ eval_outcome }) => eval_outcome !== 'ALLOWED' },
  call: ({ limit, skip }) => modelData.list(path`/v1/scans`, { items: 'scans', limit, offset: skip }),
});

export const create = command(
  'aisec-model-security-scans-create',
  'Scan a model against the rules of a security group; wait=true waits for the outcome.',
  {
    effect: 'run',
    outside: true,
    args: {
      model_uri: text('Model to scan: its address at a model hub, or a local path.', {
        required: true,
        positional: true,
      }),
      security_group_uuid: uuid('Identifier of the security group; its source must match the model.', {
        lookup: SECURITY_GROUPS,
        required: true,
      }),
      scan_origin: text('Origin of the scan.', {
        default: 'MODEL_SECURITY_API',
        hints: ['MODEL_SECURITY_SDK', 'MODEL_SECURITY_API', 'MODEL_SECURITY_FRONTEND', 'MODEL_HUB'],
        tokens: 'source',
      }),
      model_name: text('Name of the model in the catalogue.', METADATA),
      model_author: text('Author of the model.', METADATA),
      model_version: text('Version of the model; at a model hub, a commit.', METADATA),
      labels: newLabels,
      ...waitArguments({ timeout: '600', interval: '5' }),
    },
    rules: [distinctKeys],
    output: one(ModelScanCreate),
    consumes: 'One model scan, which cannot be deleted.',
    hints: {
      400: 'Check that the security group is for the source of this model, and that the service may read the model.',
      404: 'Take the security group from aisec-model-security-groups-list.',
    },
    example: 'model_uri=https://hub.example.com/org/model security_group_uuid=<security_group_uuid> wait=true',
    call: ({ wait, timeout, interval, ...body }) => modelData.post(path`/v1/scans`, body),
    job: untilScanned,
    notes: (_scan, { model_uri }) => [whoReads(model_uri)],
  },
);

export const get = command('aisec-model-security-scans-get', 'Get a model scan.', {
  effect: 'read',
  args: { uuid: scan_uuid },
  output: one(ModelScanGet),
  call: ({ uuid }) => modelData.get(path`/v1/scans/${uuid}`),
  notes: ({ labels }) => [labelsOf(labels)],
});

export const violations = command('aisec-model-security-scans-violations', 'List the violations of a model scan.', {
  effect: 'read',
  args: { uuid: scan_uuid, limit: limit(50), offset: offset() },
  output: {
    ...paged(ModelViolations, 'violations'),
    priority: ({ rule_instance_state }) => rule_instance_state === 'BLOCKING',
  },
  call: ({ uuid, ...window }) =>
    modelData.list(path`/v1/scans/${uuid}/rule-violations`, { items: 'violations', ...window }),
  notes: ({ violations }) => howToFix(violations),
});

export const violation = command('aisec-model-security-scans-violation', 'Get one violation of a model scan.', {
  effect: 'read',
  args: { uuid: uuid('Identifier of the violation.', { lookup: VIOLATIONS, required: true, positional: true }) },
  output: one(ModelViolation),
  call: ({ uuid }) => modelData.get(path`/v1/violations/${uuid}`),
  notes: (found) => howToFix([found]),
});

export const evaluation = command(
  'aisec-model-security-scans-evaluation',
  'Get the evaluation of one rule in a model scan.',
  {
    effect: 'read',
    args: { uuid: uuid('Identifier of the evaluation.', { lookup: EVALUATIONS, required: true, positional: true }) },
    output: one(ModelEvaluation),
    call: ({ uuid }) => modelData.get(path`/v1/evaluations/${uuid}`),
  },
);

export const evaluations = command(
  'aisec-model-security-scans-evaluations',
  'List the evaluations of the rules in a model scan.',
  {
    effect: 'read',
    args: {
      scan_uuid,
      limit: limit(50),
      offset: offset(),
      sort_field: text('Field to sort by.', { choices: TIMES }),
      sort_order: text('Sort order, ascending or descending.', { choices: DIRECTIONS }),
      result: text('Return only evaluations with this result.', { choices: ['PASSED', 'FAILED', 'ERROR'] }),
      rule_instance_uuid: uuid('Return only evaluations of this rule instance.', { lookup: RULE_INSTANCES }),
    },
    output: { ...paged(ModelEvaluations, 'evaluations'), priority: ({ result }) => result !== 'PASSED' },
    call: ({ scan_uuid, limit, offset, ...query }) =>
      modelData.list(path`/v1/scans/${scan_uuid}/evaluations`, {
        items: 'evaluations',
        limit,
        offset,
        query,
      }),
  },
);

export const files = command(
  'aisec-model-security-scans-files',
  'List all files and folders of a model scan, including nested ones.',
  {
    effect: 'read',
    args: {
      scan_uuid,
      limit: limit(50),
      offset: offset(),
      sort_field: text('Field to sort by.', { choices: ['path', 'type'] }),
      sort_dir: text('Sort order, ascending or descending.', { choices: DIRECTIONS }),
      type: text('Return only files, or only folders.', { choices: ['FILE', 'DIRECTORY'] }),
      result: text('Return only entries with this result; FAILURE is every file that failed or could not be scanned.', {
        choices: ['SUCCESS', 'FAILURE'],
        tokens: 'file-result',
      }),
      query_path: text('Return only entries under this path.', { default: '/' }),
    },
    output: { ...paged(ModelFiles, 'files'), priority: ({ result }) => result !== 'SUCCESS' },
    call: ({ scan_uuid, limit, offset, result, ...query }) =>
      modelData.list(path`/v1/scans/${scan_uuid}/files`, {
        items: 'files',
        limit,
        offset,
        // Without this parameter, the service lists only one folder.
        query: { ...query, recursive: true },
        // The service has no filter by result.
        filter: result === undefined ? undefined : (file) => sameResult(file['result'], result),
      }),
  },
);

/** Compares neutral tokens, because several wire values have one meaning. */
function sameResult(sent: unknown, wanted: string): boolean {
  return neutralTexts('file-result', sent) === neutralTexts('file-result', wanted);
}
