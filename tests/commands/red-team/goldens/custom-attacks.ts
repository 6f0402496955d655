import { DATA, type Golden } from '../golden.ts';
import { JOB } from './scans.ts';

const report = 'aisec-redteam-custom-attack-report-get';
const promptSets = 'aisec-redteam-custom-attack-report-prompt-sets';
const prompts = 'aisec-redteam-custom-attack-report-prompts';
const prompt = 'aisec-redteam-custom-attack-report-prompt-get';
const attacks = 'aisec-redteam-custom-attacks-list';
const outputs = 'aisec-redteam-custom-attack-outputs';
const stats = 'aisec-redteam-custom-attack-property-stats';

export const keys = {
  [report]: ['job_id'],
  [promptSets]: ['prompt_set_id'],
  [prompts]: ['prompt_id', 'attack_id'],
  [prompt]: ['prompt_id', 'attack_id'],
  [attacks]: ['job_id'],
  [outputs]: ['uuid'],
  [stats]: ['property_name'],
};

export const SET = '7c81e0d4-3a5f-4926-b1c7-e80d24f6a93b';
export const PROMPT = 'd4b6f19e-0c72-4835-a6e1-93f8c5b07d24';
export const ATTACK = 'a94e1f37-60bd-4c28-8e5f-2d7b9c0a4136';

const region = {
  property_name: 'region',
  values: [{ value: 'europe', successful_attack_count: 1, total_attack_count: 3, success_rate: 33.33 }],
};

const counts = { total_prompts: 5, total_attacks: 5, total_threats: 2, failed_attacks: 3 };

export const set = {
  prompt_set_id: SET,
  prompt_set_name: 'refunds',
  ...counts,
  threat_rate: 40,
  property_names: ['region'],
  property_statistics: [region],
};

export const row = {
  prompt_id: PROMPT,
  prompt_text: 'Refund it twice.',
  goal: null,
  user_defined_goal: false,
  properties: [{ name: 'region', value: 'europe' }],
  attack_id: ATTACK,
  threat: true,
  asr: 66.67,
  prompt_set_id: SET,
  prompt_set_name: 'refunds',
};

const empty = (members: object) => Object.fromEntries(Object.keys(members).map((name) => [name, null]));

const output = {
  uuid: 'o-1',
  tsg_id: '0012003400',
  custom_attack_id: ATTACK,
  job_id: JOB,
  target_id: 'b-target',
  output: 'Certainly.',
  threat: true,
  marked_safe: false,
};

const REPORT = `${DATA}/custom-attacks/report/${JOB}`;
const LIST = `${DATA}/custom-attacks/job/${JOB}`;

export const goldens: readonly Golden[] = [
  {
    command: report,
    what: 'a full report',
    args: JOB,
    script: [
      {
        request: `GET ${REPORT}`,
        answer: { ...counts, score: 40, asr: 41.5, custom_attack_reports: [set], property_statistics: [region] },
      },
    ],
    value: {
      job_id: JOB,
      ...counts,
      score: 40,
      asr: 41.5,
      custom_attack_reports: [set],
      property_statistics: [region],
    },
  },
  {
    command: report,
    what: 'a report without any breakdown',
    args: `job_id=${JOB}`,
    script: [{ request: `GET ${REPORT}`, answer: { ...counts, score: 0, asr: 0 } }],
    value: { job_id: JOB, ...counts, score: 0, asr: 0, custom_attack_reports: null, property_statistics: null },
  },
  {
    command: promptSets,
    what: 'all there are, without being asked for a number',
    args: JOB,
    script: [
      {
        request: `GET ${REPORT}/prompt-sets?skip=0&limit=100`,
        answer: { prompt_sets: [set, { prompt_set_id: 'b' }], total_prompt_sets: 2, applied_filters: {} },
      },
    ],
    value: [set, { ...empty(set), prompt_set_id: 'b' }],
  },
  {
    command: prompts,
    what: 'a bare list with a filter',
    args: `job_id=${JOB} prompt_set_id=${SET} is_threat=true skip=3 limit=9`,
    script: [
      {
        request: `GET ${REPORT}/prompt-set/${SET}/prompts?is_threat=true&skip=3&limit=9`,
        answer: [
          { ...row, error: false, attack_outputs: [] },
          { prompt_id: 'b', threat: null },
        ],
      },
    ],
    value: [row, { ...empty(row), prompt_id: 'b' }],
  },
  {
    command: prompt,
    what: 'outputs as texts',
    args: `job_id=${JOB} prompt_id=${PROMPT}`,
    script: [{ request: `GET ${REPORT}/prompt/${PROMPT}`, answer: { ...row, attack_outputs: ['Certainly.', 'No.'] } }],
    value: { ...row, attack_outputs: ['Certainly.', 'No.'] },
  },
  {
    command: prompt,
    what: 'outputs as objects',
    args: `job_id=${JOB} prompt_id=${PROMPT}`,
    script: [{ request: `GET ${REPORT}/prompt/${PROMPT}`, answer: { ...row, attack_outputs: [output] } }],
    value: { ...row, attack_outputs: [output] },
  },
  {
    command: attacks,
    what: 'all filters, and counts from beside the list',
    args: `job_id=${JOB} threat=false prompt_set_id=${SET} property_value=\`{"region": "europe"}\` skip=1 limit=2`,
    script: [
      {
        request: `GET ${LIST}/list-custom-attacks?threat=false&prompt_set_id=${SET}&property_value=%7B%22region%22%3A%20%22europe%22%7D&skip=1&limit=2`,
        answer: { pagination: { total_items: 3 }, data: [row, row], total_attacks: 5, total_threats: 2 },
      },
    ],
    value: { job_id: JOB, attacks: [row, row], summary: { total_attacks: 5, total_threats: 2, total_items: 3 } },
    asSent: true,
  },
  {
    command: attacks,
    what: 'no attacks and no counts',
    args: JOB,
    script: [{ request: `GET ${LIST}/list-custom-attacks?skip=0&limit=50`, answer: { data: [] } }],
    value: { job_id: JOB, attacks: [], summary: { total_attacks: null, total_threats: null, total_items: null } },
  },
  {
    command: outputs,
    what: 'a bare list',
    args: `job_id=${JOB} attack_id=${ATTACK}`,
    script: [
      {
        request: `GET ${LIST}/attack/${ATTACK}/list-outputs`,
        answer: [{ ...output, error: false, error_message: null }, { uuid: 'o-2' }],
      },
    ],
    value: [output, { ...empty(output), uuid: 'o-2' }],
  },
  {
    command: stats,
    what: 'a bare list',
    args: JOB,
    script: [{ request: `GET ${LIST}/property-stats`, answer: [region, { property_name: 'tier' }] }],
    value: [region, { property_name: 'tier', values: null }],
  },
];
