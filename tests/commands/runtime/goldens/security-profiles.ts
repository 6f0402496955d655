import { MANAGEMENT, TENANT } from '../../../support/scripted.ts';
import type { Golden } from '../golden.ts';

const list = 'aisec-runtime-profiles-list';
const get = 'aisec-runtime-profiles-get';
const create = 'aisec-runtime-profiles-create';
const update = 'aisec-runtime-profiles-update';
const remove = 'aisec-runtime-profiles-delete';

export const keys = {
  [list]: ['id'],
  [get]: ['id'],
  [create]: ['id'],
  [update]: ['id'],
  [remove]: ['profile_id'],
};

export const ID = '7c1e4a52-3f0b-4d86-9a17-5b2c8e60d431';
const OTHER = '2f9b6d18-84c5-4e3a-b7d0-91a6f3c27e58';

/** A policy with everything that is easily lost: empty text, null, false, and names with hyphens. */
export const POLICY = {
  'ai-security-profiles': [
    {
      'model-type': 'default',
      'model-configuration': {
        'model-protection': [
          { name: 'prompt-injection', action: 'block' },
          { name: 'topic-guardrails', action: 'allow', options: [], 'topic-list': [{ action: 'block', topic: null }] },
        ],
        'app-protection': { 'default-url-category': { member: ['malicious'] }, 'url-detected-action': '' },
        'data-protection': {
          'data-leak-detection': { action: '', 'mask-data-inline': false, member: null },
          'database-security': null,
        },
        latency: { 'inline-timeout-action': 'block', 'max-inline-latency': 0 },
        'mask-data-in-storage': false,
      },
    },
  ],
  'dlp-data-profiles': [],
};

export const EMPTY_POLICY = { 'ai-security-profiles': [], 'dlp-data-profiles': [] };

const wire = {
  profile_id: ID,
  profile_name: 'prod',
  revision: 3,
  active: false,
  policy: POLICY,
  created_by: 'ana@example.com',
  updated_by: 'none',
  last_modified_ts: '2026-09-14T10:22:00.719+00:00',
  csp_id: '200001',
  tsg_id: TENANT,
};

const base = {
  id: ID,
  name: 'prod',
  revision: 3,
  active: false,
  created_by: 'ana@example.com',
  updated_by: 'none',
  last_modified_ts: '2026-09-14T10:22:00Z',
  tsg_id: TENANT,
};

const detail = { ...base, csp_id: '200001', policy: POLICY };

const nothing = {
  id: null,
  name: null,
  revision: null,
  active: null,
  created_by: null,
  updated_by: null,
  last_modified_ts: null,
  tsg_id: null,
};

const all = `GET ${MANAGEMENT}/profiles/tsg/${TENANT}?offset=0&limit=100`;

export const goldens: readonly Golden[] = [
  {
    command: list,
    what: 'a full record, and one that leaves out all it can',
    args: '',
    script: [
      {
        request: `GET ${MANAGEMENT}/profiles/tsg/${TENANT}?offset=0&limit=50`,
        answer: { ai_profiles: [wire, { profile_id: OTHER, revision: 0 }] },
      },
    ],
    value: [base, { ...nothing, id: OTHER, revision: 0 }],
  },
  {
    command: get,
    what: 'by id',
    args: `profile_id=${ID}`,
    script: [{ request: all, answer: { ai_profiles: [{ ...wire, profile_id: OTHER, revision: 9 }, wire] } }],
    value: detail,
  },
  {
    command: get,
    what: 'by name, with numbers and booleans sent as text',
    args: 'profile_name=prod',
    script: [
      { request: all, answer: { ai_profiles: [{ ...wire, revision: '3', active: 'false', tsg_id: 12003400 }] } },
    ],
    value: { ...detail, tsg_id: '12003400' },
  },
  {
    command: create,
    what: 'a name alone',
    args: 'profile_name=prod',
    script: [
      {
        request: `POST ${MANAGEMENT}/profile`,
        body: { profile_name: 'prod', active: true, policy: EMPTY_POLICY },
        answer: { profile_id: ID, profile_name: 'prod', revision: 1, active: true, policy: EMPTY_POLICY },
      },
    ],
    value: {
      ...nothing,
      id: ID,
      name: 'prod',
      revision: 1,
      active: true,
      csp_id: null,
      policy: EMPTY_POLICY,
    },
  },
  {
    command: create,
    what: 'every argument',
    args: `profile_name=prod active=false policy=\`${JSON.stringify(POLICY)}\``,
    script: [
      {
        request: `POST ${MANAGEMENT}/profile`,
        body: { profile_name: 'prod', active: false, policy: POLICY },
        answer: wire,
      },
    ],
    value: detail,
  },
  {
    command: update,
    what: 'what is omitted is read first',
    args: `profile_id=${ID} profile_name="prod 2"`,
    script: [
      { request: all, answer: { ai_profiles: [wire] } },
      {
        request: `PUT ${MANAGEMENT}/profile/uuid/${ID}`,
        body: { profile_name: 'prod 2', active: false, policy: POLICY },
        answer: { ...wire, profile_id: OTHER, profile_name: 'prod 2', revision: 4 },
      },
    ],
    value: { ...detail, id: OTHER, name: 'prod 2', revision: 4 },
  },
  {
    command: update,
    what: 'every argument, and an answer that leaves out all it can',
    args: `profile_id=${ID} profile_name=prod active=true policy=\`${JSON.stringify(EMPTY_POLICY)}\``,
    script: [
      { request: all, answer: { ai_profiles: [wire] } },
      {
        request: `PUT ${MANAGEMENT}/profile/uuid/${ID}`,
        body: { profile_name: 'prod', active: true, policy: EMPTY_POLICY },
        answer: { profile_id: ID },
      },
    ],
    value: { ...nothing, id: ID, csp_id: null, policy: null },
  },
  {
    command: remove,
    what: 'without force',
    args: `profile_id=${ID}`,
    script: [{ request: `DELETE ${MANAGEMENT}/profile/${ID}`, answer: `successfully deleted profileId: ${ID}` }],
    value: { profile_id: ID, message: `successfully deleted profileId: ${ID}`, deleted: true, force: false },
  },
  {
    command: remove,
    what: 'with force',
    args: `profile_id=${ID} force=true updated_by=ana@example.com`,
    script: [
      {
        request: `DELETE ${MANAGEMENT}/profile/${ID}/force?updated_by=ana%40example.com`,
        answer: { message: `successfully force deleted profileId: ${ID}` },
      },
    ],
    value: { profile_id: ID, message: `successfully force deleted profileId: ${ID}`, deleted: true, force: true },
  },
];
