import type { Golden } from '../../runtime/golden.ts';
import { DATA, ID } from './addresses.ts';

const labelKeys = 'aisec-model-security-labels-keys';
const values = 'aisec-model-security-labels-values';
const add = 'aisec-model-security-labels-add';
const set = 'aisec-model-security-labels-set';
const remove = 'aisec-model-security-labels-delete';

export const keys = {
  [labelKeys]: [],
  [values]: ['key'],
  [add]: ['scan_uuid'],
  [set]: ['scan_uuid'],
  [remove]: ['scan_uuid'],
};

const labels = [
  { key: 'env', value: 'prod' },
  { key: 'Team_2-b', value: '42' },
];
const typed = `labels=\`${JSON.stringify(labels)}\``;

export const goldens: readonly Golden[] = [
  {
    command: labelKeys,
    what: 'without a total',
    args: '',
    script: [
      { request: `GET ${DATA}/scans/label-keys?skip=0&limit=50`, answer: { keys: ['env', 'team'], pagination: {} } },
    ],
    value: { keys: ['env', 'team'], total_items: null, limit: 50, offset: 0 },
  },
  {
    command: values,
    what: 'a page of them',
    args: 'env limit=2 offset=1',
    script: [
      {
        request: `GET ${DATA}/scans/label-keys/env/values?skip=1&limit=2`,
        answer: { values: ['prod', 'staging'], pagination: { total_items: 3 } },
      },
    ],
    value: { key: 'env', values: ['prod', 'staging'], total_items: 3, limit: 2, offset: 1 },
  },
  {
    command: add,
    what: 'two labels',
    args: `scan_uuid=${ID} ${typed}`,
    script: [{ request: `POST ${DATA}/scans/${ID}/labels`, body: { labels }, answer: {} }],
    value: { scan_uuid: ID, labels_added: labels, success: true },
  },
  {
    command: set,
    what: 'two labels',
    args: `scan_uuid=${ID} ${typed}`,
    script: [
      { request: `GET ${DATA}/scans/${ID}`, answer: { uuid: ID, labels: [{ key: 'env', value: 'staging' }] } },
      { request: `PUT ${DATA}/scans/${ID}/labels`, body: { labels }, answer: {} },
    ],
    value: { scan_uuid: ID, labels_set: labels, success: true },
  },
  {
    command: remove,
    what: 'two keys',
    args: `scan_uuid=${ID} keys=env,team`,
    script: [{ request: `DELETE ${DATA}/scans/${ID}/labels?keys=env&keys=team`, status: 204 }],
    value: { scan_uuid: ID, keys_deleted: ['env', 'team'], success: true },
  },
];
