import { DATA, type Golden } from '../golden.ts';

const create = 'aisec-redteam-scan-create';
const list = 'aisec-redteam-scans-list';
const get = 'aisec-redteam-scan-get';
const abort = 'aisec-redteam-scan-abort';
const errorLogs = 'aisec-redteam-scan-error-logs';
const categories = 'aisec-redteam-categories-list';

export const keys = {
  [create]: ['uuid'],
  [list]: ['uuid'],
  [get]: ['uuid'],
  [abort]: ['job_id'],
  [errorLogs]: ['created_at', 'job_id', 'attack_id'],
  [categories]: ['id'],
};

export const JOB = '0d9b7c52-41f6-4e83-a7d0-8c2e5f1b6a94';
export const TARGET = '5d2f8c1a-9b47-4e03-a6d8-71c0e94b3f52';
const SET = '7c81e0d4-3a5f-4926-b1c7-e80d24f6a93b';
const OTHER_SET = '1f6a4d80-c2e9-4b75-93a8-5d7e0b4c6f12';
const ATTACK = 'a94e1f37-60bd-4c28-8e5f-2d7b9c0a4136';
const AT = '2026-11-20T10:15:30.123456Z';
const LATER = '2026-11-20T10:25:30.123456Z';

/** A scan as the service sends it. */
export const scan = {
  uuid: JOB,
  tsg_id: '0012003400',
  name: 'monthly',
  target: { uuid: TARGET, tsg_id: '0012003400', name: 'chat', status: 'ACTIVE', active: true, validated: true },
  job_type: 'STATIC',
  job_metadata: { categories: {}, include_file_attacks: false },
  version: 1,
  extra_info: null,
  target_id: TARGET,
  target_type: 'APPLICATION',
  total: 48,
  completed: 17,
  status: 'RUNNING',
  score: null,
  asr: null,
  time_record: { queued_at: AT, started_at: AT, completed_at: null, time_taken: null },
  created_at: AT,
  updated_at: LATER,
  created_by_user_id: 'u-1',
  report_stats: null,
  metering_quota_uuid: 'q-1',
  counted_towards_quota: 'HELD',
  invocation_id: 'inv_1',
};

const created = {
  uuid: JOB,
  name: 'monthly',
  job_type: 'STATIC',
  status: 'RUNNING',
  target_id: TARGET,
  target_type: 'APPLICATION',
  total: 48,
  completed: 17,
  score: null,
  asr: null,
  job_metadata: { categories: {}, include_file_attacks: false },
  version: 1,
  created_at: AT,
  updated_at: LATER,
  tsg_id: '0012003400',
};

const listed = {
  uuid: JOB,
  target_name: 'chat',
  job_type: 'STATIC',
  status: 'RUNNING',
  progress: 35.42,
  total_prompts: 48,
  completed_prompts: 17,
  created_at: AT,
  failed_prompts: null,
  error_message: null,
  target_uuid: TARGET,
  started_at: AT,
  completed_at: null,
  updated_at: LATER,
  tsg_id: '0012003400',
};

const got = {
  uuid: JOB,
  name: 'monthly',
  status: 'RUNNING',
  progress: '17/48',
  progress_percentage: 35.42,
  score: null,
  asr: null,
  job_type: 'STATIC',
  target_name: 'chat',
  target_id: TARGET,
  total: 48,
  completed: 17,
  created_at: AT,
  started_at: AT,
  completed_at: null,
};

/** Sets all members to null. */
const empty = (members: object) => Object.fromEntries(Object.keys(members).map((name) => [name, null]));

const wanted = `name=monthly target_uuid=${TARGET}`;

/** The exchange of a scan with this type and metadata. */
const creation = (job_type: string, job_metadata: object) => ({
  request: `POST ${DATA}/scan`,
  body: { name: 'monthly', target: { uuid: TARGET }, job_type, job_metadata },
  answer: { ...scan, job_type, job_metadata },
});

/** A dry run asks for the quota too, and is tested apart. */
const planned = null;

const entry = {
  job_id: JOB,
  target_id: TARGET,
  target_version: 3,
  attack_id: ATTACK,
  error_type: 'NETWORK',
  error_source: 'TARGET',
  error_message: 'no answer',
  target_object: { name: 'chat' },
  extra_info: { attempts: 3 },
  version: 1,
  created_at: AT,
  updated_at: LATER,
};

const jailbreak = {
  id: 'JAILBREAK',
  display_name: 'Jailbreak',
  description: 'Out of bounds.',
  active: true,
  preselect: false,
};

export const goldens: readonly Golden[] = [
  {
    command: create,
    what: 'all categories, by default',
    args: wanted,
    script: [creation('STATIC', { categories: {} })],
    value: { ...created, job_metadata: { categories: {} } },
    planned,
  },
  {
    command: create,
    what: 'chosen categories',
    args: `${wanted} categories=\`{"SECURITY": {"JAILBREAK": true}, "BRAND": {}}\``,
    script: [creation('STATIC', { categories: { SECURITY: { JAILBREAK: true }, BRAND: {} } })],
    value: { ...created, job_metadata: { categories: { SECURITY: { JAILBREAK: true }, BRAND: {} } } },
    planned,
  },
  {
    command: create,
    what: 'DYNAMIC with its defaults',
    args: `${wanted} job_type=DYNAMIC`,
    script: [creation('DYNAMIC', { stream_breadth: 6, stream_depth: 10 })],
    value: { ...created, job_type: 'DYNAMIC', job_metadata: { stream_breadth: 6, stream_depth: 10 } },
    planned,
  },
  {
    command: create,
    what: 'DYNAMIC with streams and goals',
    args: `${wanted} job_type=DYNAMIC stream_breadth=1 stream_depth=20 attack_goals=\`["Pay twice.", "Leak it."]\``,
    script: [creation('DYNAMIC', { stream_breadth: 1, stream_depth: 20, attack_goals: ['Pay twice.', 'Leak it.'] })],
    value: {
      ...created,
      job_type: 'DYNAMIC',
      job_metadata: { stream_breadth: 1, stream_depth: 20, attack_goals: ['Pay twice.', 'Leak it.'] },
    },
    planned,
  },
  {
    command: create,
    what: 'CUSTOM with two prompt sets, and the defaults of a DYNAMIC one as a platform fills them in',
    args: `${wanted} job_type=CUSTOM custom_prompt_sets="${SET}, ${OTHER_SET}" stream_breadth=6 stream_depth=10`,
    script: [creation('CUSTOM', { custom_prompt_sets: [SET, OTHER_SET] })],
    value: { ...created, job_type: 'CUSTOM', job_metadata: { custom_prompt_sets: [SET, OTHER_SET] } },
    planned,
  },
  {
    command: list,
    what: 'a full row, one without times and counts, and one that names its target alone',
    args: 'job_type=STATIC status=RUNNING skip=7',
    script: [
      {
        request: `GET ${DATA}/scan?job_type=STATIC&status=RUNNING&skip=7&limit=50`,
        answer: {
          pagination: { total_items: 10 },
          data: [
            scan,
            { uuid: 'b', total: null, completed: null, time_record: null, target_id: TARGET },
            { uuid: 'c', total: 0, completed: 0, target: { uuid: TARGET, name: null } },
          ],
        },
      },
    ],
    value: [
      listed,
      { ...empty(listed), uuid: 'b', progress: 0, target_uuid: TARGET },
      { ...empty(listed), uuid: 'c', progress: 0, target_uuid: TARGET, total_prompts: 0, completed_prompts: 0 },
    ],
  },
  {
    command: get,
    what: 'a running scan',
    args: JOB,
    script: [{ request: `GET ${DATA}/scan/${JOB}`, answer: scan }],
    value: got,
  },
  {
    command: get,
    what: 'a finished scan',
    args: `job_id=${JOB}`,
    script: [
      {
        request: `GET ${DATA}/scan/${JOB}`,
        answer: {
          ...scan,
          status: 'COMPLETED',
          completed: 48,
          score: 36.2,
          asr: 27.08,
          time_record: { started_at: AT, completed_at: LATER },
        },
      },
    ],
    value: {
      ...got,
      status: 'COMPLETED',
      completed: 48,
      progress: '48/48',
      progress_percentage: 100,
      score: 36.2,
      asr: 27.08,
      completed_at: LATER,
    },
  },
  {
    command: get,
    what: 'a scan that has only begun: progress is a number from the first moment',
    args: `job_id=${JOB}`,
    script: [{ request: `GET ${DATA}/scan/${JOB}`, answer: { uuid: JOB, status: 'INIT', total: null } }],
    value: { ...empty(got), uuid: JOB, status: 'INIT', progress: '0/0', progress_percentage: 0 },
  },
  {
    command: abort,
    what: 'an answer',
    args: `job_id=${JOB}`,
    script: [
      { request: `POST ${DATA}/scan/${JOB}/abort`, answer: { job_id: JOB, message: 'the scan is being aborted' } },
    ],
    value: { job_id: JOB, message: 'the scan is being aborted' },
  },
  {
    command: abort,
    what: 'no answer',
    args: `job_id=${JOB}`,
    script: [{ request: `POST ${DATA}/scan/${JOB}/abort` }],
    value: { job_id: JOB, message: null },
  },
  {
    command: errorLogs,
    what: 'a full entry, and one of the scan itself',
    args: `job_id=${JOB} limit=2`,
    script: [
      {
        request: `GET ${DATA}/error-log/job/${JOB}?skip=0&limit=2`,
        answer: { pagination: { total_items: null }, data: [entry, { job_id: JOB, created_at: AT }] },
      },
    ],
    value: [entry, { ...empty(entry), job_id: JOB, created_at: AT }],
  },
  {
    command: categories,
    what: 'a bare list; of a sub-category what is declared',
    args: '',
    script: [
      {
        request: `GET ${DATA}/categories`,
        answer: [
          {
            id: 'SECURITY',
            display_name: 'Security',
            description: 'Attacks.',
            preselect: true,
            sub_categories: [{ ...jailbreak, prerequisites: null, file_supported: false }, { id: 'FUTURE' }],
          },
          { id: 'BRAND' },
        ],
      },
    ],
    value: [
      {
        id: 'SECURITY',
        display_name: 'Security',
        description: 'Attacks.',
        preselect: true,
        sub_category_count: 2,
        sub_categories: [jailbreak, { ...empty(jailbreak), id: 'FUTURE' }],
      },
      {
        id: 'BRAND',
        display_name: null,
        description: null,
        preselect: null,
        sub_category_count: null,
        sub_categories: null,
      },
    ],
  },
];
