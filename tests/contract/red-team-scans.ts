import { jobId, limit, paging, skip } from './red-team-arguments.ts';
import * as fields from './red-team-scans-fields.ts';
import { errorLog } from './red-team-targets-fields.ts';
import type { ContractCommand } from './types.ts';

const scans: readonly ContractCommand[] = [
  {
    command: 'aisec-redteam-scan-create',
    arguments: [
      { name: 'name', required: true },
      { name: 'target_uuid', required: true },
      { name: 'job_type', default: 'STATIC', choices: ['STATIC', 'DYNAMIC', 'CUSTOM'] },
      { name: 'categories', kind: 'json' },
      { name: 'stream_breadth', default: '6', kind: 'number' },
      { name: 'stream_depth', default: '10', kind: 'number' },
      { name: 'attack_goals', kind: 'json' },
      { name: 'custom_prompt_sets', kind: 'list' },
    ],
    extensions: [
      { name: 'wait', default: 'false', kind: 'boolean' },
      { name: 'timeout', kind: 'number' },
      { name: 'interval', kind: 'number' },
    ],
    context: 'AiSec.RedTeamScanCreate',
    outputs: fields.scanCreate,
    atEnd: { context: 'AiSec.RedTeamScanGet', outputs: fields.scanGet },
  },
  {
    command: 'aisec-redteam-scans-list',
    arguments: [limit, { name: 'job_type' }, { name: 'status' }],
    extensions: [skip, { name: 'target_uuid' }],
    context: 'AiSec.RedTeamScan',
    outputs: fields.scan,
  },
  {
    command: 'aisec-redteam-scan-get',
    arguments: [jobId],
    context: 'AiSec.RedTeamScanGet',
    outputs: fields.scanGet,
  },
  {
    command: 'aisec-redteam-scan-abort',
    arguments: [jobId],
    context: 'AiSec.RedTeamScanAbort',
    outputs: fields.scanAbort,
  },
  {
    command: 'aisec-redteam-scan-error-logs',
    arguments: [jobId, ...paging],
    context: 'AiSec.RedTeamScanErrorLog',
    outputs: errorLog,
  },
  {
    command: 'aisec-redteam-categories-list',
    arguments: [],
    context: 'AiSec.RedTeamCategory',
    outputs: fields.category,
  },
];

const reports: readonly ContractCommand[] = [
  {
    command: 'aisec-redteam-report-get',
    arguments: [jobId, { name: 'job_type', default: 'STATIC' }],
    context: 'AiSec.RedTeamReport',
    outputs: fields.report,
  },
  {
    command: 'aisec-redteam-report-attacks-list',
    arguments: [
      jobId,
      { name: 'status' },
      { name: 'severity' },
      { name: 'category' },
      { name: 'sub_category' },
      { name: 'attack_type' },
      { name: 'threat', kind: 'boolean' },
      ...paging,
    ],
    context: 'AiSec.RedTeamAttack',
    outputs: fields.attack,
  },
  {
    command: 'aisec-redteam-report-attack-get',
    arguments: [jobId, { name: 'attack_id', required: true }],
    context: 'AiSec.RedTeamAttack',
    outputs: fields.attackGet,
  },
  {
    command: 'aisec-redteam-report-attack-multi-turn-get',
    arguments: [jobId, { name: 'attack_id', required: true }],
    context: 'AiSec.RedTeamAttackMultiTurn',
    outputs: fields.attackGet,
  },
  {
    command: 'aisec-redteam-report-remediation-get',
    arguments: [jobId, { name: 'job_type', default: 'STATIC' }],
    context: 'AiSec.RedTeamRemediation',
    outputs: fields.remediation,
  },
  {
    command: 'aisec-redteam-report-runtime-policy-get',
    arguments: [jobId, { name: 'job_type', default: 'STATIC' }],
    context: 'AiSec.RedTeamRuntimePolicy',
    outputs: fields.runtimePolicy,
  },
  {
    command: 'aisec-redteam-report-goals-list',
    arguments: [jobId, { name: 'goal_type' }, { name: 'status' }, { name: 'count', kind: 'boolean' }, ...paging],
    context: 'AiSec.RedTeamGoal',
    outputs: fields.goal,
  },
  {
    command: 'aisec-redteam-report-goal-streams-list',
    arguments: [jobId, { name: 'goal_id', required: true }, ...paging],
    context: 'AiSec.RedTeamStream',
    outputs: fields.stream,
  },
  {
    command: 'aisec-redteam-report-stream-get',
    arguments: [{ name: 'stream_id', required: true }],
    context: 'AiSec.RedTeamStream',
    outputs: fields.streamGet,
  },
  {
    command: 'aisec-redteam-report-download',
    arguments: [jobId, { name: 'file_format', default: 'CSV', choices: ['CSV', 'JSON', 'ALL'] }],
    context: 'InfoFile',
    outputs: fields.download,
  },
  {
    command: 'aisec-redteam-report-generate-partial',
    arguments: [jobId],
    context: 'AiSec.RedTeamPartialReport',
    outputs: fields.partialReport,
  },
  {
    command: 'aisec-redteam-sentiment-get',
    arguments: [jobId],
    context: 'AiSec.RedTeamSentiment',
    outputs: fields.sentiment,
  },
  {
    command: 'aisec-redteam-sentiment-update',
    arguments: [jobId, { name: 'vote', required: true, choices: ['up', 'down'] }],
    context: 'AiSec.RedTeamSentiment',
    outputs: fields.sentiment,
  },
];

/** Scans and reports: 19 commands. */
export const scanCommands: readonly ContractCommand[] = [...scans, ...reports];
