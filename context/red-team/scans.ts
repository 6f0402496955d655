import { boolean, number, record, string, timestamp, unknown, type Wire } from '../../lib/runtime/output/record.ts';
import { errorLogEntry } from './error-logs.ts';

const uuid = string('Identifier of the scan.');
const name = string('Name of the scan.');
const tsg_id = string('Tenant services group of the scan.');
const job_type = string('Type of the scan: STATIC, DYNAMIC or CUSTOM.');
const status = string('QUEUED, RUNNING, COMPLETED, PARTIALLY_COMPLETE, FAILED or ABORTED.');
const target_id = string('Identifier of the target.', { from: ['target_id', 'target.uuid'] });
const target_name = string('Name of the target.', { from: ['target.name', 'target_name'], heading: 'Target' });
const total = number('Number of attacks, streams or prompts; null until it is known.');
const completed = number('Number of attacks, streams or prompts that are done.');
const score = number('Risk score, from 0 to 100; null until the scan completes.');
const asr = number('Attack success rate, in percent; null until the scan completes.');
const created_at = timestamp('When the scan was created.');
const updated_at = timestamp('When the scan was last changed.');
const started_at = timestamp('When the scan began to run.', { from: ['time_record.started_at', 'started_at'] });
const completed_at = timestamp('When the scan ended.', { from: ['time_record.completed_at', 'completed_at'] });

const hidden = true;

/** Formats the progress of a scan as `<completed>/<total>`; unknown numbers count as 0. */
export function progressOf({ completed, total }: Wire): string {
  return `${countOf(completed)}/${countOf(total)}`;
}

/** Computes the progress in percent, with two decimals. */
function percentageOf({ completed, total }: Wire): number {
  const all = countOf(total);
  return all === 0 ? 0 : Math.round((countOf(completed) / all) * 10_000) / 100;
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

export const Scan = record(
  'AiSec.RedTeamScan',
  'Red-Team Scans',
  'uuid',
  {
    uuid,
    target_name,
    job_type,
    status,
    progress: number('How much of the scan is done, in percent.', { heading: 'Progress %', derive: percentageOf }),
    total_prompts: number('Number of attacks, streams or prompts.', { from: 'total', heading: 'Total' }),
    completed_prompts: number('Number of attacks, streams or prompts that are done.', {
      from: 'completed',
      heading: 'Completed',
    }),
    created_at,
    failed_prompts: number(
      'Number of attacks, streams or prompts that failed; null if the service does not report it here.',
      { hidden },
    ),
    error_message: string('Why the scan failed; null if the service does not report it here.', { hidden }),
    target_uuid: string('Identifier of the target.', { from: ['target.uuid', 'target_id'], hidden }),
    started_at: { ...started_at, hidden },
    completed_at: { ...completed_at, hidden },
    updated_at: { ...updated_at, hidden },
    tsg_id: { ...tsg_id, hidden },
  },
  {
    further: { name, score, asr },
    firstColumns: ['uuid', 'name', 'status', 'score', 'asr', 'target_name', 'created_at'],
    bars: ['asr'],
  },
);

export const ScanCreate = record(
  'AiSec.RedTeamScanCreate',
  'Red-Team Scan Created',
  'uuid',
  {
    uuid: { ...uuid, required: true },
    name,
    job_type,
    status,
    target_id,
    target_type: string('Type of the target.'),
    total,
    completed,
    score,
    asr,
    job_metadata: unknown('Content of the scan: categories, streams and goals, or prompt sets.'),
    version: number('Version of the record.'),
    created_at,
    updated_at,
    tsg_id,
  },
  { headline: ['status', 'name'] },
);

export const ScanGet = record(
  'AiSec.RedTeamScanGet',
  'Red-Team Scan',
  'uuid',
  {
    uuid,
    name,
    status,
    progress: string('Progress of the scan, as <completed>/<total>.', { derive: progressOf }),
    progress_percentage: number('How much of the scan is done, in percent.', { derive: percentageOf }),
    score,
    asr,
    job_type,
    target_name,
    target_id,
    total,
    completed,
    created_at,
    started_at,
    completed_at,
  },
  { headline: ['status', 'name'] },
);

export const ScanAbort = record('AiSec.RedTeamScanAbort', 'Red-Team Scan Aborted', 'job_id', {
  job_id: string('Identifier of the scan.', { from: 'job_id', argument: 'job_id' }),
  message: string('Message of the service.'),
});

export const ScanErrorLog = record(
  'AiSec.RedTeamScanErrorLog',
  'Errors of the Red-Team Scan',
  ['created_at', 'job_id', 'attack_id'],
  errorLogEntry,
  { firstColumns: ['created_at', 'error_type', 'error_source', 'error_message'] },
);

const preselect = boolean('Whether scans include it by default.');

export const Category = record(
  'AiSec.RedTeamCategory',
  'Attack Categories',
  'id',
  {
    id: string('Identifier: SECURITY, SAFETY, COMPLIANCE or BRAND.'),
    display_name: string('Name of the category.'),
    description: string('Subject of the category.'),
    preselect,
    sub_category_count: number('Number of sub-categories.', {
      heading: 'Count',
      derive: ({ sub_categories: all }) => (Array.isArray(all) ? all.length : null),
    }),
    sub_categories: unknown('The sub-categories.', {
      show: identifiers,
      items: {
        id: string('Identifier, such as JAILBREAK.'),
        display_name: string('Name of the sub-category.'),
        description: string('Subject of the sub-category.'),
        active: boolean('Whether it can be chosen.'),
        preselect,
      },
    }),
  },
  { firstColumns: ['id', 'display_name', 'sub_category_count', 'preselect', 'description'] },
);

function identifiers(all: unknown): unknown {
  return Array.isArray(all) ? all.map(({ id }: Wire) => id) : all;
}
