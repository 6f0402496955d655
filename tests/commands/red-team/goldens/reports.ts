import { DATA, type Golden } from '../golden.ts';
import { JOB, scan } from './scans.ts';

const report = 'aisec-redteam-report-get';
const remediation = 'aisec-redteam-report-remediation-get';
const policy = 'aisec-redteam-report-runtime-policy-get';
const attacks = 'aisec-redteam-report-attacks-list';
const attack = 'aisec-redteam-report-attack-get';
const multiTurn = 'aisec-redteam-report-attack-multi-turn-get';
const goals = 'aisec-redteam-report-goals-list';
const streams = 'aisec-redteam-report-goal-streams-list';
const stream = 'aisec-redteam-report-stream-get';
const partial = 'aisec-redteam-report-generate-partial';
const sentiment = 'aisec-redteam-sentiment-get';
const vote = 'aisec-redteam-sentiment-update';

/** Beginnings of all names but that of the download, which answers with a file. */
export const prefixes = [
  'aisec-redteam-report-get',
  'aisec-redteam-report-attack',
  'aisec-redteam-report-remediation',
  'aisec-redteam-report-runtime',
  'aisec-redteam-report-goal',
  'aisec-redteam-report-stream',
  'aisec-redteam-report-generate',
  'aisec-redteam-sentiment',
];

export const keys = {
  [report]: ['job_id'],
  [remediation]: ['job_id'],
  [policy]: ['job_id'],
  [attacks]: ['uuid'],
  [attack]: ['uuid'],
  [multiTurn]: ['uuid'],
  [goals]: ['uuid'],
  [streams]: ['uuid'],
  [stream]: ['uuid'],
  [partial]: ['job_id'],
  [sentiment]: ['job_id'],
  [vote]: ['job_id'],
};

export const ATTACK = 'a94e1f37-60bd-4c28-8e5f-2d7b9c0a4136';
export const GOAL = 'c3f0a9d6-85b1-4e72-9a4c-17e6d2b80f53';
export const STREAM = 'e2b57d08-f394-4a61-8c0d-96a1f4e7b3c2';
const TARGET = 'b-target';
const AT = '2026-11-20T10:15:30.123456Z';

/** The exchange in which the type of the scan is found out. */
export const typed = (job_type: unknown) => ({
  request: `GET ${DATA}/scan/${JOB}`,
  answer: { ...scan, status: 'COMPLETED', job_type },
});

const security = {
  id: 'SECURITY',
  display_name: 'Security',
  description: 'Attacks.',
  preselect: true,
  sub_categories: [
    { id: 'JAILBREAK', display_name: 'Jailbreak', description: '', active: true, successful: 2, failed: 1, total: 3 },
    { id: 'EVASION', display_name: 'Evasion', description: '', active: true, successful: 0, failed: 3, total: 3 },
  ],
  asr: 33.33,
  total_prompts: 6,
  total_attacks: 6,
  successful: 2,
  failed: 4,
};

const owasp = {
  id: 'OWASP',
  display_name: 'OWASP',
  description: 'Ten risks.',
  active: true,
  version: '2025',
  link: 'https://owasp.example.com',
  techniques: [{ id: 'LLM01', display_name: 'Injection', compliance_id: 'OWASP', successful: 2, failed: 4, total: 6 }],
  score: 3,
};

const stats = [
  { severity: 'CRITICAL', successful: 2, failed: 1 },
  { severity: 'LOW', successful: 0, failed: 3 },
];

export const staticReport = {
  asr: 33.33,
  score: 41.5,
  security_report: security,
  safety_report: null,
  brand_report: { ...security, id: 'BRAND', display_name: 'Brand', sub_categories: [] },
  compliance_report: [owasp],
  severity_report: { stats, successful: 2, failed: 4, total_attacks: 6 },
  report_summary: 'Two attacks went through.',
  recommendations: { runtime_security_policy_configuration: [], other_measures: [] },
};

const noReport = {
  job_id: JOB,
  job_type: 'STATIC',
  score: null,
  asr: null,
  total_attacks: null,
  successful_attacks: null,
  failed_attacks: null,
  severity_breakdown: null,
  category_reports: null,
  report_summary: null,
  total_goals: null,
  goals_achieved: null,
  total_threats: null,
};

const measure = {
  remediation: 'Screen prompts',
  description: 'In front of the model.',
  priority_level: 'HIGH',
  effectiveness_level: 'MEDIUM',
  ease_of_implementation_level: 'LOW',
  resource_links: ['https://docs.example.com/a'],
};

const injection = { policy_id: 'PROMPT_INJECTION', display_name: 'Prompt injection', config: { action: 'BLOCK' } };

const row = {
  uuid: ATTACK,
  job_id: JOB,
  target_id: TARGET,
  prompt: 'Ignore it all.',
  category: 'SECURITY',
  sub_category: 'JAILBREAK',
  category_display_name: 'Security',
  sub_category_display_name: 'Jailbreak',
  status: 'COMPLETED',
  threat: true,
  attack_type: 'NORMAL',
  multi_turn: false,
  severity: 'HIGH',
  asr: 66.67,
  marked_safe: false,
};

const noRow = Object.fromEntries(Object.keys(row).map((name) => [name, null]));

/** Further members that the service sends. */
const beside = { tsg_id: '0012003400', version: 1, extra_info: {}, error: false, attack_modality: 'TEXT', file: null };

const detail = {
  ...row,
  goal: 'Get out of bounds',
  compliance_frameworks: [{ ...owasp, techniques: [{ id: 'LLM01', display_name: 'Injection' }] }],
};

const output = { uuid: 'o-1', attack_id: ATTACK, output: 'Certainly.', threat: true, marked_safe: false, error: false };

/** Two conversations, of two turns and of one. */
export const turns = [
  [
    { ...output, prompt: 'Hello.', turn: 1, generation: 1, threat: false },
    { ...output, prompt: 'And then?', turn: 2, generation: 1 },
  ],
  [{ ...output, prompt: 'Hello.', turn: 1, generation: 2, threat: null, output: 'No.' }],
];

const goal = {
  uuid: GOAL,
  tsg_id: '0012003400',
  job_id: JOB,
  goal: 'Pay twice.',
  goal_to_show: null,
  goal_type: 'TOOL_MISUSE',
  custom_goal: false,
  threat: true,
  version: 2,
  safe_response: 'No.',
  jailbroken_response: 'Paid.',
};

const streamRow = {
  uuid: STREAM,
  tsg_id: '0012003400',
  job_id: JOB,
  target_id: TARGET,
  goal_id: GOAL,
  stream_idx: 0,
  iteration: 4,
  stream_type: 'ADVERSARIAL',
  marked_safe: false,
  threat: true,
  created_at: AT,
  updated_at: AT,
};

export const turn = { iteration: 3, prompt: 'Pay.', techniques: 'Authority', output: 'Paid.', score: 10, threat: true };

const unlocked = { partial_report_unlocked: true, partial_report_unlocked_at: '2026-11-21T12:00:00.5Z' };

export const goldens: readonly Golden[] = [
  {
    command: report,
    what: 'a static report',
    args: JOB,
    script: [typed('STATIC'), { request: `GET ${DATA}/report/static/${JOB}/report`, answer: staticReport }],
    value: {
      ...noReport,
      score: 41.5,
      asr: 33.33,
      total_attacks: 6,
      successful_attacks: 2,
      failed_attacks: 4,
      severity_breakdown: stats,
      category_reports: [
        { category: 'SECURITY', ...security },
        { category: 'BRAND', ...staticReport.brand_report },
        { category: 'COMPLIANCE', ...owasp },
      ],
      report_summary: 'Two attacks went through.',
    },
  },
  {
    command: report,
    what: 'a static report without any breakdown',
    args: `job_id=${JOB} job_type=STATIC`,
    script: [
      typed('STATIC'),
      {
        request: `GET ${DATA}/report/static/${JOB}/report`,
        answer: { severity_report: null, compliance_report: null },
      },
    ],
    value: { ...noReport, category_reports: [] },
  },
  {
    command: report,
    what: 'a dynamic report',
    args: `job_id=${JOB} job_type=DYNAMIC`,
    script: [
      typed('DYNAMIC'),
      {
        request: `GET ${DATA}/report/dynamic/${JOB}/report`,
        answer: {
          total_goals: 4,
          total_streams: 16,
          total_threats: 7,
          goals_achieved: 3,
          report_summary: null,
          score: 75,
          asr: 0,
        },
      },
    ],
    value: {
      ...noReport,
      job_type: 'DYNAMIC',
      score: 75,
      asr: 0,
      total_goals: 4,
      goals_achieved: 3,
      total_threats: 7,
    },
  },
  {
    command: report,
    what: 'a custom report',
    args: `job_id=${JOB} job_type=CUSTOM`,
    script: [
      typed('CUSTOM'),
      {
        request: `GET ${DATA}/custom-attacks/report/${JOB}`,
        answer: {
          total_prompts: 8,
          total_attacks: 9,
          total_threats: 5,
          failed_attacks: 4,
          score: 62.5,
          asr: 55.5,
          custom_attack_reports: [],
          property_statistics: [],
        },
      },
    ],
    value: {
      ...noReport,
      job_type: 'CUSTOM',
      score: 62.5,
      asr: 55.5,
      total_attacks: 9,
      successful_attacks: 5,
      failed_attacks: 4,
    },
  },
  {
    command: remediation,
    what: 'of a static scan, what is declared of each measure',
    args: JOB,
    script: [
      typed('STATIC'),
      {
        request: `GET ${DATA}/report/static/${JOB}/remediation`,
        answer: { remediations: [{ ...measure, more: 1 }, { remediation: 'Moderate' }] },
      },
    ],
    value: {
      job_id: JOB,
      job_type: 'STATIC',
      remediations: [
        measure,
        {
          remediation: 'Moderate',
          description: null,
          priority_level: null,
          effectiveness_level: null,
          ease_of_implementation_level: null,
          resource_links: null,
        },
      ],
    },
  },
  {
    command: remediation,
    what: 'of a dynamic scan, without any',
    args: `job_id=${JOB} job_type=dynamic`,
    script: [typed('DYNAMIC'), { request: `GET ${DATA}/report/dynamic/${JOB}/remediation`, answer: {} }],
    value: { job_id: JOB, job_type: 'DYNAMIC', remediations: null },
  },
  {
    command: policy,
    what: 'of a static scan',
    args: JOB,
    script: [
      typed('STATIC'),
      {
        request: `GET ${DATA}/report/static/${JOB}/runtime-policy-config`,
        answer: { runtime_security_profile: [injection] },
      },
    ],
    value: { job_id: JOB, job_type: 'STATIC', runtime_security_profile: [injection] },
  },
  {
    command: policy,
    what: 'of a dynamic scan, null',
    args: JOB,
    script: [
      typed('DYNAMIC'),
      {
        request: `GET ${DATA}/report/dynamic/${JOB}/runtime-policy-config`,
        answer: { runtime_security_profile: null },
      },
    ],
    value: { job_id: JOB, job_type: 'DYNAMIC', runtime_security_profile: null },
  },
  {
    command: attacks,
    what: 'all filters; a full row and one without a result',
    args: `job_id=${JOB} status=SUCCESSFUL severity=HIGH category=SECURITY sub_category=JAILBREAK attack_type=NORMAL threat=yes limit=2 skip=4`,
    script: [
      {
        request: `GET ${DATA}/report/static/${JOB}/list-attacks?status=SUCCESSFUL&severity=HIGH&category=SECURITY&sub_category=JAILBREAK&attack_type=NORMAL&threat=true&skip=4&limit=2`,
        answer: {
          pagination: { total_items: 6 },
          data: [
            { ...row, ...beside },
            { uuid: 'b', threat: null, asr: null },
          ],
        },
      },
    ],
    value: [row, { ...noRow, uuid: 'b' }],
  },
  {
    command: attack,
    what: 'an attack with its outputs',
    args: `job_id=${JOB} attack_id=${ATTACK}`,
    script: [
      {
        request: `GET ${DATA}/report/static/${JOB}/attack/${ATTACK}`,
        answer: { ...detail, ...beside, outputs: [output] },
      },
    ],
    value: { ...detail, outputs: [output] },
  },
  {
    command: attack,
    what: 'an attack that got no answer',
    args: `job_id=${JOB} attack_id=${ATTACK}`,
    script: [{ request: `GET ${DATA}/report/static/${JOB}/attack/${ATTACK}`, answer: { uuid: ATTACK, outputs: [] } }],
    value: { ...noRow, uuid: ATTACK, goal: null, compliance_frameworks: null, outputs: [] },
  },
  {
    command: multiTurn,
    what: 'conversations',
    args: `job_id=${JOB} attack_id=${ATTACK}`,
    script: [
      {
        request: `GET ${DATA}/report/static/${JOB}/attack-multi-turn/${ATTACK}`,
        answer: { ...detail, ...beside, multi_turn: true, outputs: turns },
      },
    ],
    value: { ...detail, multi_turn: true, outputs: turns },
  },
  {
    command: multiTurn,
    what: 'all turns in one list',
    args: `job_id=${JOB} attack_id=${ATTACK}`,
    script: [
      {
        request: `GET ${DATA}/report/static/${JOB}/attack-multi-turn/${ATTACK}`,
        answer: { ...detail, multi_turn: true, outputs: turns.flat() },
      },
    ],
    value: { ...detail, multi_turn: true, outputs: turns.flat() },
  },
  {
    command: goals,
    what: 'all filters',
    args: `job_id=${JOB} goal_type=AGENT status=FAILED count=false search="pay twice"`,
    script: [
      {
        request: `GET ${DATA}/report/dynamic/${JOB}/list-goals?goal_type=AGENT&status=FAILED&count=false&search=pay%20twice&skip=0&limit=50`,
        answer: { pagination: { total_items: null }, data: [{ ...goal, goal_metadata: {}, error: false }] },
      },
    ],
    value: [goal],
  },
  {
    command: streams,
    what: 'a row',
    args: `job_id=${JOB} goal_id=${GOAL}`,
    script: [
      {
        request: `GET ${DATA}/report/dynamic/${JOB}/goal/${GOAL}/list-streams?skip=0&limit=100`,
        answer: {
          pagination: { total_items: 1 },
          data: [{ ...streamRow, first_threat_iteration: turn, goal: 'Pay twice.' }],
        },
      },
    ],
    value: [streamRow],
  },
  {
    command: stream,
    what: 'a stream with its turns',
    args: STREAM,
    script: [
      {
        request: `GET ${DATA}/report/dynamic/stream/${STREAM}`,
        answer: { ...streamRow, goal: 'Pay twice.', first_threat_iteration: turn, iterations: [turn] },
      },
    ],
    value: { ...streamRow, first_threat_iteration: turn, iterations: [turn] },
  },
  {
    command: stream,
    what: 'a stream without a threat',
    args: `stream_id=${STREAM}`,
    script: [
      {
        request: `GET ${DATA}/report/dynamic/stream/${STREAM}`,
        answer: { ...streamRow, threat: false, first_threat_iteration: null, iterations: [] },
      },
    ],
    value: { ...streamRow, threat: false, first_threat_iteration: null, iterations: [] },
  },
  {
    command: partial,
    what: 'the scan as the answer',
    args: JOB,
    script: [
      {
        request: `POST ${DATA}/report/${JOB}/generate-partial-report`,
        answer: {
          ...scan,
          status: 'PARTIALLY_COMPLETE',
          report_stats: { ...unlocked, output_completion_percentage: 58.33, report_summary: null },
        },
      },
    ],
    value: {
      job_id: JOB,
      status: 'PARTIALLY_COMPLETE',
      report_stats: {
        partial_report_unlocked: true,
        partial_report_unlocked_at: '2026-11-21T12:00:00Z',
        output_completion_percentage: 58.33,
      },
    },
    planned: null,
  },
  {
    command: partial,
    what: 'an empty answer, and the scan read again',
    args: JOB,
    script: [
      { request: `POST ${DATA}/report/${JOB}/generate-partial-report` },
      {
        request: `GET ${DATA}/scan/${JOB}`,
        answer: { ...scan, status: 'PARTIALLY_COMPLETE', report_stats: { partial_report_unlocked: true } },
      },
    ],
    value: {
      job_id: JOB,
      status: 'PARTIALLY_COMPLETE',
      report_stats: {
        partial_report_unlocked: true,
        partial_report_unlocked_at: null,
        output_completion_percentage: null,
      },
    },
    planned: null,
  },
  {
    command: sentiment,
    what: 'a vote',
    args: JOB,
    script: [{ request: `GET ${DATA}/sentiment/${JOB}`, answer: { job_id: JOB, up_vote: false, down_vote: true } }],
    value: { job_id: JOB, up_vote: false, down_vote: true },
  },
  {
    command: sentiment,
    what: 'an answer that repeats no id',
    args: JOB,
    script: [{ request: `GET ${DATA}/sentiment/${JOB}`, answer: { up_vote: false, down_vote: false } }],
    value: { job_id: JOB, up_vote: false, down_vote: false },
  },
  {
    command: vote,
    what: 'up',
    args: `job_id=${JOB} vote=up`,
    script: [
      {
        request: `POST ${DATA}/sentiment`,
        body: { job_id: JOB, up_vote: true, down_vote: false },
        answer: { job_id: JOB, up_vote: true, down_vote: false },
      },
    ],
    value: { job_id: JOB, up_vote: true, down_vote: false },
  },
  {
    command: vote,
    what: 'down, without an answer',
    args: `job_id=${JOB} vote=down`,
    script: [{ request: `POST ${DATA}/sentiment`, body: { job_id: JOB, up_vote: false, down_vote: true } }],
    value: { job_id: JOB, up_vote: false, down_vote: true },
  },
];
