import { DLP } from '../../../support/scripted.ts';
import type { Golden } from '../golden.ts';

const list = 'aisec-runtime-dlp-dictionaries-list';
const get = 'aisec-runtime-dlp-dictionaries-get';
const create = 'aisec-runtime-dlp-dictionaries-create';
const patch = 'aisec-runtime-dlp-dictionaries-patch';
const replace = 'aisec-runtime-dlp-dictionaries-replace';
const remove = 'aisec-runtime-dlp-dictionaries-delete';

export const keys = Object.fromEntries(
  [list, get, create, patch, replace, remove].map((command): [string, string[]] => [command, ['id']]),
);

export const ALL = `${DLP}/dictionaries`;
export const ID = '66b1f0c27d3e9a4851c0c001';
export const FILE = 'alpha\nbeta\n';

const metadata = { original_file_name: 'words.txt', original_file_size_in_byte: 11, number_of_keywords: 2 };

/** A record as sent by the service. */
export const response = {
  id: ID,
  name: 'Words',
  description: 'Some words.',
  category: 'Source Code',
  type: 'custom',
  detection_technique: 'dictionary',
  detection_sub_technique: 'threshold',
  dictionary_metadata: metadata,
  is_case_sensitive: false,
  tags: { classification: ['pab'] },
  region_name: 'Saudi Arabia',
  is_parent_managed: true,
  attributes: [{ key: 'a', value: 'b' }],
  audit_metadata: {
    created_at: 1_777_000_000_000,
    updated_at: 1_777_100_000_123,
    created_by: 'ana@example.com',
    updated_by: 'ben@example.com',
  },
};

const base = {
  id: ID,
  name: 'Words',
  description: 'Some words.',
  category: 'Source Code',
  region_name: 'Saudi Arabia',
  type: 'custom',
  is_case_sensitive: false,
};
const created = { created_at: 1_777_000_000_000, created_by: 'ana@example.com' };
const updated = { updated_at: 1_777_100_000_123, updated_by: 'ben@example.com' };
const technique = { detection_technique: 'dictionary' };
const listed = { ...base, ...technique, is_parent_managed: true, number_of_keywords: 2, ...created, ...updated };
const detail = {
  ...base,
  ...technique,
  is_parent_managed: true,
  detection_sub_technique: 'threshold',
  dictionary_metadata: metadata,
  tags: { classification: ['pab'] },
  keywords: null,
  ...created,
  ...updated,
};
const made = { ...base, ...technique, dictionary_metadata: metadata, keywords: null, ...created };
const changed = { ...base, ...updated };

const empty = (value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.keys(value).map((name): [string, null] => [name, null]));

const upload = (json: unknown) => [
  { part: 'json', text: JSON.stringify(json) },
  { part: 'file', file: 'words.txt', bytes: 11 },
];

const files = { 'words.txt': FILE };

export const goldens: readonly Golden[] = [
  {
    command: list,
    what: 'a full record, and one that leaves out all it can',
    args: '',
    script: [
      {
        request: `GET ${ALL}?page=0&size=50`,
        answer: { content: [response, { id: '2', audit_metadata: null, dictionary_metadata: null }] },
      },
    ],
    value: [listed, { ...empty(listed), id: '2' }],
  },
  {
    command: list,
    what: 'with keywords',
    args: 'include_keywords=true size=5',
    script: [
      {
        request: `GET ${ALL}?keywords=true&page=0&size=5`,
        answer: { content: [{ ...response, keywords: ['alpha'] }] },
      },
    ],
    value: [listed],
  },
  {
    command: get,
    what: 'without keywords',
    args: `dictionary_id=${ID} include_keywords=false`,
    script: [{ request: `GET ${ALL}/${ID}`, answer: response }],
    value: detail,
  },
  {
    command: get,
    what: 'with keywords',
    args: `dictionary_id=${ID} include_keywords=true`,
    script: [{ request: `GET ${ALL}/${ID}?keywords=true`, answer: { ...response, keywords: ['alpha', 'beta'] } }],
    value: { ...detail, keywords: ['alpha', 'beta'] },
  },
  {
    command: create,
    what: 'required arguments',
    args: 'name=Words category="Source Code" entry_id=words.txt',
    files,
    script: [
      {
        request: `POST ${ALL}`,
        body: upload({
          name: 'Words',
          category: 'Source Code',
          region_name: 'United States',
          original_file_name: 'words.txt',
        }),
        status: 201,
        answer: response,
      },
    ],
    value: made,
  },
  {
    command: create,
    what: 'every argument',
    args: 'name=Words category=Legal region_name="Saudi Arabia" entry_id=words.txt description=d is_case_sensitive=false type=predefined include_keywords=true',
    files,
    script: [
      {
        request: `POST ${ALL}?keywords=true`,
        body: upload({
          name: 'Words',
          category: 'Legal',
          region_name: 'Saudi Arabia',
          description: 'd',
          is_case_sensitive: false,
          type: 'predefined',
          original_file_name: 'words.txt',
        }),
        answer: { ...response, keywords: ['alpha', 'beta'] },
      },
    ],
    value: { ...made, keywords: ['alpha', 'beta'] },
  },
  {
    command: patch,
    what: 'required arguments',
    args: `dictionary_id=${ID} name=Words category=Legal original_file_name=words.txt`,
    script: [
      {
        request: `PATCH ${ALL}/${ID}`,
        body: { name: 'Words', category: 'Legal', original_file_name: 'words.txt' },
        answer: response,
      },
    ],
    value: changed,
  },
  {
    command: patch,
    what: 'every argument, set',
    args: `dictionary_id=${ID} name=Words category=Legal original_file_name=words.txt description=d is_case_sensitive=true region_name=India`,
    script: [
      {
        request: `PATCH ${ALL}/${ID}`,
        body: {
          name: 'Words',
          category: 'Legal',
          original_file_name: 'words.txt',
          description: 'd',
          is_case_sensitive: true,
          region_name: 'India',
        },
        answer: response,
      },
    ],
    value: changed,
  },
  {
    command: patch,
    what: 'every argument, cleared',
    args: `dictionary_id=${ID} name=Words category=Legal original_file_name=words.txt description=null is_case_sensitive=null region_name=null`,
    script: [
      {
        request: `PATCH ${ALL}/${ID}`,
        body: {
          name: 'Words',
          category: 'Legal',
          original_file_name: 'words.txt',
          description: null,
          is_case_sensitive: null,
          region_name: null,
        },
        answer: { ...response, description: null, is_case_sensitive: null, region_name: null },
      },
    ],
    value: { ...changed, description: null, is_case_sensitive: null, region_name: null },
  },
  {
    command: replace,
    what: 'answered with a body',
    args: `dictionary_id=${ID} name=Words category=Legal region_name=India entry_id=words.txt`,
    files,
    script: [
      {
        request: `PUT ${ALL}/${ID}`,
        body: upload({ name: 'Words', category: 'Legal', region_name: 'India', original_file_name: 'words.txt' }),
        answer: response,
      },
    ],
    value: { ...changed, keywords: null },
  },
  {
    command: replace,
    what: 'every argument, answered without a body and read again',
    args: `dictionary_id=${ID} name=Words category=Legal region_name=India entry_id=words.txt description=d is_case_sensitive=true type=custom include_keywords=true`,
    files,
    script: [
      {
        request: `PUT ${ALL}/${ID}?keywords=true`,
        body: upload({
          name: 'Words',
          category: 'Legal',
          region_name: 'India',
          description: 'd',
          is_case_sensitive: true,
          type: 'custom',
          original_file_name: 'words.txt',
        }),
        status: 204,
      },
      { request: `GET ${ALL}/${ID}?keywords=true`, answer: { ...response, keywords: ['alpha', 'beta'] } },
    ],
    value: { ...changed, keywords: ['alpha', 'beta'] },
  },
  {
    command: remove,
    what: 'answered without a body',
    args: `dictionary_id=${ID}`,
    script: [{ request: `DELETE ${ALL}/${ID}`, status: 204 }],
    value: { id: ID, deleted: true, status: 'Successfully deleted' },
  },
];
