import { objectsOf } from '../../lib/core/json.ts';
import { boolean, record, string, unknown, type Wire } from '../../lib/runtime/output/record.ts';
import { page } from './pages.ts';

const scan_uuid = string('Identifier of the scan.', { argument: 'scan_uuid' });
const label = { key: string('Key of the label.'), value: string('Value of the label.') };

/** Options of fields with labels. */
export const LABELS = { items: label, rows: ['key', 'value'] };

const success = boolean('Whether the service accepted the change.', { constant: true });

/** Reads a list of strings. */
function textsOf(name: string): (wire: Wire) => unknown {
  return (wire) => objectsOf(wire[name]).map((row) => row['value'] ?? row);
}

export const ModelLabelKeys = record('AiSec.ModelSecurityLabelKeys', 'Label Keys', [], {
  keys: unknown('Distinct label keys of all scans.', { derive: textsOf('keys') }),
  ...page,
});

export const ModelLabelValues = record('AiSec.ModelSecurityLabelValues', 'Label Values', 'key', {
  key: string('Label key.', { argument: 'key' }),
  values: unknown('Distinct values of the key.', { derive: textsOf('values') }),
  ...page,
});

export const ModelLabelsAdded = record('AiSec.ModelSecurityLabelsAdd', 'Labels Added', 'scan_uuid', {
  scan_uuid,
  labels_added: unknown('Labels that were added.', { argument: 'labels', ...LABELS }),
  success,
});

export const ModelLabelsSet = record('AiSec.ModelSecurityLabelsSet', 'Labels Set', 'scan_uuid', {
  scan_uuid,
  labels_set: unknown('Labels that the scan has now.', { argument: 'labels', ...LABELS }),
  success,
});

export const ModelLabelsDeleted = record('AiSec.ModelSecurityLabelsDelete', 'Labels Deleted', 'scan_uuid', {
  scan_uuid,
  keys_deleted: unknown('Keys that were deleted.', { argument: 'keys' }),
  success,
});
