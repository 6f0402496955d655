/** Audit fields of a DLP resource, from `audit_metadata`, which may be null or missing. */
import { objectOf } from '../../lib/core/json.ts';
import { isoDate, milliseconds } from '../../lib/core/text/date.ts';
import { number, string, type Wire } from '../../lib/runtime/output/record.ts';

// The service sends milliseconds, although its API description says text.
const time = (name: string) => ({
  derive: (wire: Wire) => milliseconds(objectOf(wire['audit_metadata'])[name]),
  show: isoDate,
});

export const created_at = number('When it was created, in milliseconds since the epoch.', time('created_at'));
export const updated_at = number('When it was last changed, in milliseconds since the epoch.', time('updated_at'));
export const created_by = string('Who created it.', { from: 'audit_metadata.created_by' });
export const updated_by = string('Who changed it last.', { from: 'audit_metadata.updated_by' });

/** Fields of detail records. */
export const audit = { created_at, updated_at, created_by, updated_by };

const hidden = { hidden: true };

/** Fields of lists, whose tables have room for one time. */
export const listedAudit = {
  created_at: { ...created_at, ...hidden },
  updated_at,
  created_by: { ...created_by, ...hidden },
  updated_by: { ...updated_by, ...hidden },
};
