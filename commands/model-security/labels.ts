import {
  ModelLabelKeys,
  ModelLabelsAdded,
  ModelLabelsDeleted,
  ModelLabelsSet,
  ModelLabelValues,
} from '../../context/model-security/labels.ts';
import {
  asText,
  command,
  type JsonObject,
  limit,
  list,
  modelData,
  objectsOf,
  offset,
  one,
  paged,
  path,
  text,
  uuid,
} from '../../lib/runtime/engine/declare.ts';
import { MODEL_SCANS } from '../lookups.ts';
import { distinctKeys, LABEL_KEY, type Label, labels, MAX_LABELS, someLabels } from './label-arguments.ts';

const scan_uuid = uuid('Identifier of the scan.', { lookup: MODEL_SCANS, required: true, positional: true });

export const keys = command('aisec-model-security-labels-keys', 'List the label keys of all scans.', {
  effect: 'read',
  args: { limit: limit(50), offset: offset() },
  output: paged(ModelLabelKeys, 'keys'),
  call: (window) => modelData.list(path`/v1/scans/label-keys`, { items: 'keys', texts: true, ...window }),
});

export const values = command('aisec-model-security-labels-values', 'List the values of a label key.', {
  effect: 'read',
  args: {
    key: text('Label key.', { required: true, positional: true, schema: LABEL_KEY }),
    limit: limit(50),
    offset: offset(),
  },
  output: paged(ModelLabelValues, 'values'),
  example: 'key=env',
  call: ({ key, ...window }) =>
    modelData.list(path`/v1/scans/label-keys/${key}/values`, { items: 'values', texts: true, ...window }),
});

export const add = command(
  'aisec-model-security-labels-add',
  'Add labels to a scan: other labels stay, and an existing key gets the new value.',
  {
    effect: 'update',
    repeatable: true,
    args: { scan_uuid, labels },
    rules: [someLabels, distinctKeys],
    output: one(ModelLabelsAdded),
    example: 'scan_uuid=<scan_uuid> labels=`[{"key": "env", "value": "prod"}]`',
    call: ({ scan_uuid, labels }) => modelData.post(path`/v1/scans/${scan_uuid}/labels`, { labels }),
  },
);

export const set = command(
  'aisec-model-security-labels-set',
  'Replace all labels of a scan; the previous labels are shown.',
  {
    effect: 'replace',
    repeatable: true,
    args: { scan_uuid, labels },
    rules: [someLabels, distinctKeys],
    output: one(ModelLabelsSet),
    example: 'scan_uuid=<scan_uuid> labels=`[{"key": "env", "value": "prod"}]`',
    run: async ({ scan_uuid, labels }, { api, show }) => {
      const scan = await api.fetch(modelData.get(path`/v1/scans/${scan_uuid}`));
      show({ title: 'Labels', columns: ['Key', 'Before', 'After'], rows: changeOf(objectsOf(scan['labels']), labels) });
      return api.fetch(modelData.put(path`/v1/scans/${scan_uuid}/labels`, { labels }));
    },
  },
);

export const remove = command('aisec-model-security-labels-delete', 'Delete labels of a scan by their keys.', {
  effect: 'delete',
  args: {
    scan_uuid,
    keys: list('Keys of the labels: comma-separated, or a JSON array.', {
      required: true,
      schema: { items: LABEL_KEY, minItems: 1, maxItems: MAX_LABELS, title: LABEL_KEY.title },
    }),
  },
  output: one(ModelLabelsDeleted),
  example: 'scan_uuid=<scan_uuid> keys=env,team',
  call: ({ scan_uuid, keys }) => modelData.delete(path`/v1/scans/${scan_uuid}/labels`, { keys }),
});

function changeOf(before: readonly JsonObject[], after: readonly Label[]): string[][] {
  const valueIn = (side: readonly JsonObject[], key: unknown) =>
    asText(side.filter((label) => label['key'] === key)[0]?.['value'] ?? '');
  const next = after.map((label): JsonObject => ({ ...label }));
  const left = before.filter(({ key }) => !after.some((label) => label.key === key));
  return [...next, ...left].map(({ key }) => [asText(key), valueIn(before, key), valueIn(next, key)]);
}
