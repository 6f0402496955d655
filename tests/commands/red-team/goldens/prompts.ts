import { type Golden, MGMT } from '../golden.ts';

const create = 'aisec-redteam-prompts-create';
const list = 'aisec-redteam-prompts-list';
const get = 'aisec-redteam-prompts-get';
const update = 'aisec-redteam-prompts-update';
const remove = 'aisec-redteam-prompts-delete';

export const keys = {
  [create]: ['uuid'],
  [list]: ['uuid'],
  [get]: ['uuid'],
  [update]: ['uuid'],
  [remove]: ['prompt_uuid'],
};

export const SET = '2f6c1b90-8d47-4e3a-b5f1-70c9e2a6d384';
export const ID = 'c0a4d7e8-51b3-4f69-9e02-8b6d3f17a5c2';
const SETS = `${MGMT}/custom-attack/custom-prompt-set`;
export const PROMPT = `${SETS}/${SET}/custom-prompt/${ID}`;
export const BOTH = `prompt_set_uuid=${SET} prompt_uuid=${ID}`;
const AT = '2026-11-20T10:15:30.670578Z';

const prompt = {
  uuid: ID,
  prompt: 'Refund it | twice,\nto be safe.',
  user_defined_goal: false,
  status: 'PENDING',
  active: false,
  prompt_set_id: SET,
  created_at: AT,
  updated_at: AT,
  goal: 'Grant a refund twice',
  properties: { region: 'europe' },
};

const details = {
  property_assignments: [{ property_name: 'region', property_value: 'europe' }],
  detector_category: 'FRAUD',
  severity: 'HIGH',
  extra_info: { a: [1] },
};

const nothing = Object.fromEntries(Object.keys(prompt).map((name) => [name, null]));
const { prompt_set_id, ...row } = prompt;
const LIST = `GET ${SETS}/${SET}/list-custom-prompts`;

export const goldens: readonly Golden[] = [
  {
    command: create,
    what: 'every argument',
    args: `prompt_set_uuid=${SET} prompt="Refund it | twice,\\nto be safe." goal="Grant a refund twice" properties=\`{"region": "europe", "customer tier": "0"}\``,
    script: [
      {
        request: `POST ${SETS}/custom-prompt`,
        body: {
          prompt: 'Refund it | twice,\nto be safe.',
          goal: 'Grant a refund twice',
          properties: { region: 'europe', 'customer tier': '0' },
          prompt_set_id: SET,
        },
        answer: { ...prompt, ...details },
        status: 201,
      },
    ],
    value: prompt,
  },
  {
    command: create,
    what: 'a text alone, and an answer that leaves out all it can',
    args: `prompt_set_uuid=${SET} prompt=x properties={}`,
    script: [
      {
        request: `POST ${SETS}/custom-prompt`,
        body: { prompt: 'x', properties: {}, prompt_set_id: SET },
        answer: { uuid: ID, goal: '' },
        status: 201,
      },
    ],
    value: { ...nothing, uuid: ID, goal: '', prompt_set_id: SET },
  },
  {
    command: list,
    what: 'every argument; rows that leave out their prompt set, and all they can',
    args: `prompt_set_uuid=${SET} limit=2 skip=1 search=ref status=READY active=TRUE`,
    script: [
      {
        request: `${LIST}?search=ref&status=READY&active=true&skip=1&limit=2`,
        answer: { pagination: { total_items: 3 }, data: [row, { uuid: 'p-2', goal: null }] },
      },
    ],
    value: [prompt, { ...nothing, uuid: 'p-2', prompt_set_id: SET }],
  },
  {
    command: get,
    what: 'a full answer',
    args: BOTH,
    script: [{ request: `GET ${PROMPT}`, answer: { ...prompt, ...details, version: 3 } }],
    value: { ...prompt, ...details },
  },
  {
    command: update,
    what: 'every argument',
    args: `${BOTH} prompt=x goal=y properties=\`{"region": "asia"}\``,
    script: [
      {
        request: `PUT ${PROMPT}`,
        body: { prompt: 'x', goal: 'y', properties: { region: 'asia' } },
        answer: { ...prompt, ...details },
      },
    ],
    value: prompt,
  },
  {
    command: update,
    what: 'goal and properties emptied',
    args: `${BOTH} goal=null properties={}`,
    script: [{ request: `PUT ${PROMPT}`, body: { goal: '', properties: {} }, answer: { uuid: ID } }],
    value: { ...nothing, uuid: ID, prompt_set_id: SET },
  },
  {
    command: remove,
    what: 'an answer without a body',
    args: BOTH,
    script: [{ request: `DELETE ${PROMPT}`, status: 204 }],
    value: { prompt_uuid: ID, prompt_set_uuid: SET, status: 'deleted', message: null },
  },
  {
    command: remove,
    what: 'an answer in words',
    args: BOTH,
    script: [{ request: `DELETE ${PROMPT}`, answer: { message: 'Prompt deleted', status: 200 } }],
    value: { prompt_uuid: ID, prompt_set_uuid: SET, status: 'deleted', message: 'Prompt deleted' },
  },
];
