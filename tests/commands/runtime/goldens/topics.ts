import { MANAGEMENT, TENANT } from '../../../support/scripted.ts';
import type { Golden } from '../golden.ts';

const list = 'aisec-runtime-topics-list';
const get = 'aisec-runtime-topics-get';
const create = 'aisec-runtime-topics-create';
const update = 'aisec-runtime-topics-update';
const remove = 'aisec-runtime-topics-delete';
const apply = 'aisec-runtime-topics-apply';

export const keys = {
  [list]: ['topic_id'],
  [get]: ['topic_id'],
  [create]: ['topic_id'],
  [update]: ['topic_id'],
  [remove]: ['topic_id'],
  [apply]: ['profile_name', 'topic_name'],
};

export const ID = '0b6c2f74-9d3e-4a81-b5f6-e8127ac49d30';
const OTHER = 'e5170d3b-62fa-4c98-8b4d-3a9e7f15c602';
export const PROFILE_ID = '7c1e4a52-3f0b-4d86-9a17-5b2c8e60d431';
const NEXT_PROFILE_ID = '58a3f1c6-e27d-4b09-a4c8-d7f2906b3e15';

/** A topic in a list, without active and creation time. */
const listed = {
  topic_id: ID,
  topic_name: 'stock tips',
  revision: 2,
  description: 'Advice on shares.',
  examples: ['Buy?', 'Sell now, or wait?'],
  last_modified_ts: '2026-05-19T16:05:00.001Z',
  csp_id: '200001',
  tsg_id: TENANT,
};

const response = {
  ...listed,
  active: false,
  created_by: 'ana@example.com',
  updated_by: 'none',
  created_ts: '1779206700000',
};

const base = {
  topic_id: ID,
  topic_name: 'stock tips',
  revision: 2,
  description: 'Advice on shares.',
  examples: ['Buy?', 'Sell now, or wait?'],
  last_modified_ts: '2026-05-19T16:05:00Z',
  created_by: null,
  updated_by: null,
};

const nothing = {
  topic_id: null,
  topic_name: null,
  revision: null,
  description: null,
  examples: null,
  last_modified_ts: null,
  created_by: null,
  updated_by: null,
};

const detail = {
  ...base,
  active: false,
  created_by: 'ana@example.com',
  updated_by: 'none',
  created_ts: '1779206700000',
};

const all = `GET ${MANAGEMENT}/topics/tsg/${TENANT}?offset=0&limit=100`;
const profiles = `GET ${MANAGEMENT}/profiles/tsg/${TENANT}?offset=0&limit=100`;

function guarded(action: string, groups: unknown) {
  const guardrail = { name: 'topic-guardrails', action, options: [], 'topic-list': groups };
  const protections = [{ name: 'prompt-injection', action: 'block' }, guardrail];
  return {
    'dlp-data-profiles': [{ name: 'Cards' }],
    'ai-security-profiles': [
      {
        'model-type': 'default',
        'model-configuration': { latency: { 'max-inline-latency': 5 }, 'model-protection': protections },
      },
    ],
  };
}

const pets = { topic_id: OTHER, topic_name: 'pets', revision: 1 };
const pinned = { topic_id: ID, topic_name: 'stock tips', revision: 2 };

const profile = {
  profile_id: PROFILE_ID,
  profile_name: 'prod',
  revision: 4,
  active: false,
  policy: guarded('allow', [{ action: 'block', topic: [pets] }]),
};

export const goldens: readonly Golden[] = [
  {
    command: list,
    what: 'a full record, and one that leaves out all it can',
    args: '',
    script: [{ request: all, answer: { custom_topics: [listed, { topic_id: OTHER, examples: [], description: '' }] } }],
    value: [
      { ...base, csp_id: '200001', tsg_id: TENANT },
      { ...nothing, topic_id: OTHER, examples: [], description: '', csp_id: null, tsg_id: null },
    ],
  },
  {
    command: get,
    what: 'by id',
    args: `topic_id=${ID}`,
    script: [{ request: all, answer: { custom_topics: [{ ...listed, topic_id: OTHER, revision: 9 }, listed] } }],
    value: { ...base, active: null, created_ts: null },
  },
  {
    command: get,
    what: 'by name',
    args: 'topic_name="stock tips"',
    script: [{ request: all, answer: { custom_topics: [{ ...listed, topic_name: 'pets' }, response] } }],
    value: detail,
  },
  {
    command: create,
    what: 'required arguments',
    args: 'topic_name="stock tips" description="Advice on shares." examples="Buy?, Sell?"',
    script: [
      {
        request: `POST ${MANAGEMENT}/topic`,
        body: { topic_name: 'stock tips', description: 'Advice on shares.', examples: ['Buy?', 'Sell?'], active: true },
        answer: response,
      },
    ],
    value: detail,
  },
  {
    command: create,
    what: 'every argument, and an answer that leaves out all it can',
    args: 'topic_name=t description=d active=false examples=`["Buy?", "Sell now, or wait?"]`',
    script: [
      {
        request: `POST ${MANAGEMENT}/topic`,
        body: { topic_name: 't', description: 'd', examples: ['Buy?', 'Sell now, or wait?'], active: false },
        answer: { topic_id: ID, revision: 1 },
      },
    ],
    value: { ...nothing, topic_id: ID, revision: 1, active: null, created_ts: null },
  },
  {
    command: update,
    what: 'what is omitted is read first',
    args: `topic_id=${ID} topic_name="stock tips"`,
    script: [
      { request: all, answer: { custom_topics: [listed] } },
      {
        request: `PUT ${MANAGEMENT}/topic/uuid/${ID}`,
        body: {
          topic_name: 'stock tips',
          description: 'Advice on shares.',
          examples: ['Buy?', 'Sell now, or wait?'],
        },
        answer: { ...response, revision: 3 },
      },
    ],
    value: { ...detail, revision: 3 },
  },
  {
    command: update,
    what: 'every argument',
    args: `topic_id=${ID} topic_name=t description=d examples=a,b active=true`,
    script: [
      { request: all, answer: { custom_topics: [listed] } },
      {
        request: `PUT ${MANAGEMENT}/topic/uuid/${ID}`,
        body: { topic_name: 't', description: 'd', examples: ['a', 'b'], active: true },
        answer: { topic_id: ID, topic_name: 't', revision: 3, active: true, examples: [], last_modified_ts: null },
      },
    ],
    value: { ...nothing, topic_id: ID, topic_name: 't', revision: 3, active: true, examples: [], created_ts: null },
  },
  {
    command: remove,
    what: 'without force',
    args: `topic_id=${ID}`,
    script: [{ request: `DELETE ${MANAGEMENT}/topic/${ID}`, answer: `successfully deleted topicId: ${ID}` }],
    value: { topic_id: ID, message: `successfully deleted topicId: ${ID}`, deleted: true, force: false },
  },
  {
    command: remove,
    what: 'with force',
    args: `topic_id=${ID} force=true`,
    script: [
      { request: `DELETE ${MANAGEMENT}/topic/force/${ID}`, answer: `successfully force deleted topicId: ${ID}` },
    ],
    value: { topic_id: ID, message: `successfully force deleted topicId: ${ID}`, deleted: true, force: true },
  },
  {
    command: remove,
    what: 'with force, and who does it',
    args: `topic_id=${ID} force=true updated_by=ana@example.com`,
    script: [{ request: `DELETE ${MANAGEMENT}/topic/force/${ID}?updated_by=ana%40example.com` }],
    value: { topic_id: ID, message: null, deleted: true, force: true },
  },
  {
    command: apply,
    what: 'both actions left to their defaults',
    args: 'profile_name=prod topic_name="stock tips"',
    script: [
      { request: all, answer: { custom_topics: [{ ...listed, revision: 1 }, listed] } },
      { request: profiles, answer: { ai_profiles: [profile] } },
      { request: profiles, answer: { ai_profiles: [profile] } },
      {
        request: `PUT ${MANAGEMENT}/profile/uuid/${PROFILE_ID}`,
        body: {
          profile_name: 'prod',
          active: false,
          policy: guarded('block', [{ action: 'block', topic: [pets, pinned] }]),
        },
        answer: { ...profile, profile_id: NEXT_PROFILE_ID, revision: 5 },
      },
      {
        request: profiles,
        answer: {
          ai_profiles: [
            {
              ...profile,
              profile_id: NEXT_PROFILE_ID,
              revision: 5,
              policy: guarded('block', [{ action: 'block', topic: [pets, pinned] }]),
            },
          ],
        },
      },
    ],
    value: {
      profile_name: 'prod',
      profile_id: NEXT_PROFILE_ID,
      topic_name: 'stock tips',
      topic_id: ID,
      topic_revision: 2,
      action: 'block',
      guardrail_action: 'block',
      applied: true,
    },
  },
  {
    command: apply,
    what: 'every argument, and an empty answer',
    args: 'profile_name=prod topic_name="stock tips" action=allow guardrail_action=allow',
    script: [
      { request: all, answer: { custom_topics: [listed] } },
      { request: profiles, answer: { ai_profiles: [profile] } },
      { request: profiles, answer: { ai_profiles: [profile] } },
      {
        request: `PUT ${MANAGEMENT}/profile/uuid/${PROFILE_ID}`,
        body: {
          profile_name: 'prod',
          active: false,
          policy: guarded('allow', [
            { action: 'block', topic: [pets] },
            { action: 'allow', topic: [pinned] },
          ]),
        },
      },
      {
        request: profiles,
        answer: {
          ai_profiles: [
            {
              ...profile,
              revision: 5,
              policy: guarded('allow', [
                { action: 'block', topic: [pets] },
                { action: 'allow', topic: [pinned] },
              ]),
            },
          ],
        },
      },
    ],
    value: {
      profile_name: 'prod',
      profile_id: PROFILE_ID,
      topic_name: 'stock tips',
      topic_id: ID,
      topic_revision: 2,
      action: 'allow',
      guardrail_action: 'allow',
      applied: true,
    },
  },
];
