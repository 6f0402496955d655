/** Arguments for labels, with the rules of the service. Source: `docs/wire.md`. */

import type { Rule } from '../../lib/runtime/arguments/rules.ts';
import { asText, json, objectsOf } from '../../lib/runtime/engine/declare.ts';

export interface Label {
  readonly key: string;
  readonly value: string;
}

const FORM = { type: 'string', pattern: '^[a-zA-Z0-9_-]+$', title: 'letters, digits, "_" and "-" only' };

export const LABEL_KEY = { ...FORM, maxLength: 128 };
export const MAX_LABELS = 50;

const SCHEMA = {
  type: 'array',
  maxItems: MAX_LABELS,
  items: {
    type: 'object',
    required: ['key', 'value'],
    properties: { key: LABEL_KEY, value: { ...FORM, maxLength: 256 } },
  },
};

const WHAT = 'a JSON array of {"key": "...", "value": "..."}, at most 50';

/** Required labels. */
export const labels = json<readonly Label[]>()(`Labels, ${WHAT}.`, SCHEMA, { required: true });

/** Optional labels of a new scan. */
export const newLabels = json<readonly Label[]>()(`Labels of the scan, ${WHAT}.`, SCHEMA);

/** Rejects repeated keys: the service keeps one of the values, and does not document which. */
export const distinctKeys: Rule = {
  description: 'Each key of labels is unique.',
  check: ({ labels: value }) => {
    const keys = objectsOf(value).map(({ key }) => asText(key));
    const twice = keys.filter((key, at) => keys.indexOf(key) < at && keys.lastIndexOf(key) === at);
    return twice.length === 0
      ? undefined
      : { argument: 'labels', message: `labels has more than one value for: ${twice.join(', ')}.` };
  },
};

/** Rejects an empty list, which the service does not accept. */
export const someLabels: Rule = {
  description: 'labels needs at least one label.',
  check: ({ labels: value }) =>
    Array.isArray(value) && value.length === 0
      ? {
          argument: 'labels',
          message: 'labels is empty.',
          hint: 'To remove labels, give their keys to aisec-model-security-labels-delete.',
        }
      : undefined,
};
