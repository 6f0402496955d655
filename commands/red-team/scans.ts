import { Category, Scan, ScanAbort, ScanCreate, ScanErrorLog, ScanGet } from '../../context/red-team/scans.ts';
import { textFilter } from '../../lib/runtime/api/find.ts';
import {
  command,
  limit,
  many,
  one,
  path,
  redTeamData,
  skip,
  text,
  uuid,
  waitArguments,
  window,
} from '../../lib/runtime/engine/declare.ts';
import { RED_TEAM_SCANS, TARGETS } from '../lookups.ts';
import { AGREEMENT } from './agreement.ts';
import { nextStep, scanWith, untilTested } from './scan-progress.ts';
import { QUOTA, showCost } from './scan-quota.ts';
import { scanArguments, scanRequest, scanRules } from './scan-request.ts';

const job_id = uuid('Identifier of the scan.', { lookup: RED_TEAM_SCANS, required: true, positional: true });

export const create = command(
  'aisec-redteam-scan-create',
  'Attack a target with a red-team scan; wait=true waits until the scan has ended.',
  {
    effect: 'run',
    outside: true,
    args: { ...scanArguments, ...waitArguments({ timeout: '3600', interval: '15' }) },
    rules: scanRules,
    output: one(ScanCreate),
    hints: {
      ...AGREEMENT,
      ...QUOTA,
      400: 'Check that the target can be scanned, and that every prompt set has active prompts.',
      404: 'Take the target from !aisec-redteam-targets-list, and prompt sets from !aisec-redteam-prompt-sets-active-list.',
      422: 'See the valid categories and sub-categories with !aisec-redteam-categories-list.',
    },
    example: 'name="Monthly" target_uuid=<target_uuid> categories=`{"SECURITY": {"JAILBREAK": true}}` wait=true',
    consumes: 'one quota credit of the type of the scan.',
    run: async (wanted, tools) => {
      if (tools.dryRun) await showCost(wanted.job_type, tools);
      return tools.api.fetch(redTeamData.post(path`/v1/scan`, scanRequest(wanted)));
    },
    job: untilTested,
    notes: (scan) => [nextStep(scan)],
  },
);

export const list = command('aisec-redteam-scans-list', 'List the red-team scans, the newest first.', {
  effect: 'read',
  args: {
    limit: limit(50),
    job_type: text('Return only scans of this type.', { hints: ['STATIC', 'DYNAMIC', 'CUSTOM'] }),
    status: text('Return only scans with this status.', {
      hints: ['QUEUED', 'RUNNING', 'COMPLETED', 'PARTIALLY_COMPLETE', 'FAILED', 'ABORTED'],
    }),
    skip: skip({ extension: true }),
    target_uuid: uuid('Return only scans of this target.', { extension: true, lookup: TARGETS }),
  },
  output: many(Scan),
  hints: { 422: 'The service expects types and statuses in upper case, such as STATIC and COMPLETED.' },
  call: ({ limit, skip, target_uuid, ...query }) =>
    redTeamData.list(path`/v1/scan`, {
      items: 'data',
      limit,
      offset: skip,
      query: { ...query, target_id: target_uuid },
    }),
});

export const get = command('aisec-redteam-scan-get', 'Get a red-team scan with its progress.', {
  effect: 'read',
  args: { job_id },
  output: one(ScanGet),
  call: ({ job_id }) => scanWith(job_id),
  notes: (scan) => [nextStep(scan)],
});

export const abort = command('aisec-redteam-scan-abort', 'Stop a red-team scan; it ends shortly afterwards.', {
  effect: 'update',
  args: { job_id },
  output: one(ScanAbort),
  hints: { 400: 'A scan that has ended cannot be stopped: see it with !aisec-redteam-scan-get.' },
  call: ({ job_id }) => redTeamData.post(path`/v1/scan/${job_id}/abort`),
  notes: (_answer, { job_id }) => [`It is ABORTED a little later: see !aisec-redteam-scan-get job_id=${job_id}.`],
});

export const errorLogs = command(
  'aisec-redteam-scan-error-logs',
  'List the errors of individual attacks of a red-team scan, the newest first.',
  {
    effect: 'read',
    args: { job_id, limit: limit(50), skip: skip(), search: text('Return only entries that contain this text.') },
    output: many(ScanErrorLog),
    call: ({ job_id, limit, skip, search }) =>
      redTeamData.list(path`/v1/error-log/job/${job_id}`, {
        items: 'data',
        limit,
        offset: skip,
        query: { search },
        filter: textFilter(search, ['error_type', 'error_source', 'error_message']),
      }),
  },
);

export const categories = command(
  'aisec-redteam-categories-list',
  'List the attack categories and their sub-categories.',
  {
    effect: 'read',
    args: window,
    output: many(Category),
    call: (range) => redTeamData.list(path`/v1/categories`, { items: 'items', paging: 'whole', ...range }),
  },
);
