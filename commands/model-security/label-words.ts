/** What labels may be: the rules of the service, checked before anything is sent. Source: `docs/wire.md`. */

import type { Rule } from '../../lib/arguments/rules.ts';
import { asText, json, objectsOf } from '../../lib/declare.ts';

export interface Label {
  readonly key: string;
  readonly value: string;
}

const FORM = { type: 'string', pattern: '^[a-zA-Z0-9_-]+$', title: 'letters, digits, "_" and "-" only' };

export const LABEL_KEY = { ...FORM, maxLength: 128 };
export const MOST_LABELS = 50;

const SCHEMA = {
  type: 'array',
  maxItems: MOST_LABELS,
  items: {
    type: 'object',
    required: ['key', 'value'],
    properties: { key: LABEL_KEY, value: { ...FORM, maxLength: 256 } },
  },
};

const WHAT = 'a JSON array of {"key": "...", "value": "..."}, at most 50';

/** Labels that a command cannot do without. */
export const labels = json<readonly Label[]>()(`Labels, ${WHAT}.`, SCHEMA, { required: true });

/** Labels that a new scan may have. */
export const newLabels = json<readonly Label[]>()(`Labels of the scan, ${WHAT}.`, SCHEMA);

/** Of two values under one key the service would keep one, and which of them is not known. */
export const distinctKeys: Rule = {
  description: 'Each key of labels is given once.',
  check: ({ labels: given }) => {
    const keys = objectsOf(given).map(({ key }) => asText(key));
    const twice = keys.filter((key, at) => keys.indexOf(key) < at && keys.lastIndexOf(key) === at);
    return twice.length === 0
      ? undefined
      : { argument: 'labels', message: `labels has more than one value for: ${twice.join(', ')}.` };
  },
};

/** The service takes no empty list. */
export const someLabels: Rule = {
  description: 'labels holds one label at least.',
  check: ({ labels: given }) =>
    Array.isArray(given) && given.length === 0
      ? {
          argument: 'labels',
          message: 'labels is empty.',
          hint: 'To remove labels, give their keys to aisec-model-security-labels-delete.',
        }
      : undefined,
};
