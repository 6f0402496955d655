import { type Golden, MGMT } from '../golden.ts';

const create = 'aisec-redteam-prompt-sets-create';
const list = 'aisec-redteam-prompt-sets-list';
const get = 'aisec-redteam-prompt-sets-get';
const update = 'aisec-redteam-prompt-sets-update';
const archive = 'aisec-redteam-prompt-sets-archive';
const reference = 'aisec-redteam-prompt-sets-reference';
const versionInfo = 'aisec-redteam-prompt-sets-version-info';
const activeList = 'aisec-redteam-prompt-sets-active-list';

/** The commands that exchange JSON; not downloads and uploads. */
export const keys = {
  [create]: ['uuid'],
  [list]: ['uuid'],
  [get]: ['uuid'],
  [update]: ['uuid'],
  [archive]: ['uuid'],
  [reference]: ['uuid'],
  [versionInfo]: ['uuid', 'version'],
  [activeList]: ['uuid'],
};

export const ID = '2f6c1b90-8d47-4e3a-b5f1-70c9e2a6d384';
export const SETS = `${MGMT}/custom-attack/custom-prompt-set`;
const SET = `${SETS}/${ID}`;
const AT = '2026-11-20T10:15:30.670578Z';
const LATER = '2026-11-20T11:00:00.000001+00:00';

export const promptSet = {
  uuid: ID,
  name: 'refunds',
  active: false,
  archive: false,
  status: 'VALIDATED',
  created_at: AT,
  updated_at: LATER,
  description: 'Talks about refunds.',
  property_names: ['region', 'customer tier'],
  properties: [{ property_name: 'region', created_at: AT }],
  stats: { total_prompts: 3, active_prompts: 0, failed_prompts: 1, validation_prompts: 0, inactive_prompts: 2 },
  created_by_user_id: 'u-1',
  updated_by_user_id: 'u-2',
  version: '1763633730670578',
};

const nothing = Object.fromEntries(Object.keys(promptSet).map((name) => [name, null]));

/** The service sends more than the interface has. */
const response = { ...promptSet, language: { code: 'en', name: 'English' }, extra_info: { a: [1] } };

const row = { uuid: 's-2', name: '', active: true, archive: true, status: 'DRAFT', stats: null, property_names: [] };

const referred = {
  uuid: ID,
  name: 'refunds',
  status: 'VALIDATED',
  active: true,
  version: '7',
  created_at: AT,
  updated_at: LATER,
};

const LIST = `GET ${MGMT}/custom-attack/list-custom-prompt-sets`;

export const goldens: readonly Golden[] = [
  {
    command: create,
    what: 'every argument',
    args: 'name=refunds description="Talks about refunds." property_names="region, customer tier"',
    script: [
      {
        request: `POST ${SETS}`,
        body: {
          name: 'refunds',
          description: 'Talks about refunds.',
          property_names: ['region', 'customer tier'],
        },
        answer: response,
        status: 201,
      },
    ],
    value: promptSet,
  },
  {
    command: create,
    what: 'a name alone, and an answer that leaves out all it can',
    args: 'name=refunds',
    script: [{ request: `POST ${SETS}`, body: { name: 'refunds' }, answer: { uuid: ID }, status: 201 }],
    value: { ...nothing, uuid: ID },
  },
  {
    command: list,
    what: 'every argument; a full record, and one that leaves out all it can',
    args: 'limit=2 skip=4 search=ref status=VALIDATED active=No archive=yes',
    script: [
      {
        request: `${LIST}?search=ref&status=VALIDATED&active=false&archive=true&skip=4&limit=2`,
        answer: { pagination: { total_items: null }, data: [response, row] },
      },
    ],
    value: [promptSet, { ...nothing, ...row }],
  },
  {
    command: get,
    what: 'a full answer',
    args: `uuid=${ID}`,
    script: [{ request: `GET ${SET}`, answer: response }],
    value: { ...promptSet, extra_info: { a: [1] } },
  },
  {
    command: get,
    what: 'by its position, and a version that is a number',
    args: ID,
    script: [{ request: `GET ${SET}`, answer: { uuid: ID, version: 4, description: '' } }],
    value: { ...nothing, uuid: ID, version: '4', description: '', extra_info: null },
  },
  {
    command: update,
    what: 'every argument',
    args: `uuid=${ID} name=refunds description="Talks about refunds." property_names=\`["region", "a, b"]\` archive=false`,
    script: [
      {
        request: `PUT ${SET}`,
        body: {
          name: 'refunds',
          description: 'Talks about refunds.',
          property_names: ['region', 'a, b'],
          archive: false,
        },
        answer: response,
      },
    ],
    value: promptSet,
  },
  {
    command: update,
    what: 'description and properties emptied',
    args: `uuid=${ID} description=null property_names=[]`,
    script: [{ request: `PUT ${SET}`, body: { description: '', property_names: [] }, answer: { uuid: ID } }],
    value: { ...nothing, uuid: ID },
  },
  {
    command: archive,
    what: 'archived',
    args: `uuid=${ID} archive=true`,
    script: [{ request: `PUT ${SET}/archive`, body: { archive: true }, answer: { ...response, archive: true } }],
    value: { ...promptSet, archive: true },
  },
  {
    command: archive,
    what: 'brought back',
    args: `uuid=${ID} archive=False`,
    script: [{ request: `PUT ${SET}/archive`, body: { archive: false }, answer: response }],
    value: promptSet,
  },
  {
    command: reference,
    what: 'a full answer',
    args: `uuid=${ID}`,
    script: [{ request: `GET ${SET}/reference`, answer: { ...referred, tsg_id: '0012', language: 'en' } }],
    value: { ...referred, tsg_id: '0012' },
  },
  {
    command: versionInfo,
    what: 'the latest version',
    args: `uuid=${ID}`,
    script: [
      {
        request: `GET ${SET}/version-info`,
        answer: {
          uuid: ID,
          version: '7',
          status: 'VALIDATED',
          is_latest: true,
          snapshot_created_at: AT,
          stats: promptSet.stats,
        },
      },
    ],
    value: {
      uuid: ID,
      version: '7',
      status: 'VALIDATED',
      is_latest: true,
      snapshot_created_at: AT,
      stats: { total_prompts: 3, active_prompts: 0, inactive_prompts: 2 },
    },
  },
  {
    command: versionInfo,
    what: 'a version of an earlier day, and an answer that leaves out all it can',
    args: `uuid=${ID} version="3/4 & 5"`,
    script: [{ request: `GET ${SET}/version-info?version=3%2F4%20%26%205`, answer: { is_latest: false, stats: null } }],
    value: {
      uuid: ID,
      version: null,
      status: null,
      is_latest: false,
      snapshot_created_at: null,
      stats: { total_prompts: null, active_prompts: null, inactive_prompts: null },
    },
  },
  {
    command: activeList,
    what: 'two of them',
    args: '',
    script: [
      {
        request: `GET ${MGMT}/custom-attack/active-custom-prompt-sets`,
        answer: { data: [{ ...referred, tsg_id: '0012', language: 'en' }, { uuid: 's-2' }] },
      },
    ],
    value: [referred, { ...Object.fromEntries(Object.keys(referred).map((name) => [name, null])), uuid: 's-2' }],
  },
];
