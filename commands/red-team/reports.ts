import {
  categoryReports,
  PartialReport,
  Remediation,
  Report,
  ReportFile,
  RuntimePolicy,
  Sentiment,
} from '../../context/red-team/reports.ts';
import {
  asText,
  command,
  isObject,
  type JsonObject,
  listOf,
  objectOf,
  objectsOf,
  one,
  path,
  redTeamData,
  type Table,
  type Tools,
  text,
} from '../../lib/runtime/engine/declare.ts';
import { FINDINGS, familyOf, job_id, job_type, ownType } from './report-family.ts';
import { isUnlocked, scanWith } from './scan-progress.ts';
import { QUOTA, showCost, typeOf } from './scan-quota.ts';

export const get = command('aisec-redteam-report-get', 'Get the report of a red-team scan.', {
  effect: 'read',
  args: { job_id, job_type },
  output: one(Report),
  hints: FINDINGS,
  run: async ({ job_id, job_type }, tools) => {
    const type = await ownType({ job_id, job_type }, tools);
    const address =
      type === 'CUSTOM'
        ? path`/v1/custom-attacks/report/${job_id}`
        : path`/v1/report/${familyOf(type)}/${job_id}/report`;
    const report = await tools.api.fetch(redTeamData.get(address));
    for (const table of scorecard(report)) if (table.rows.length > 0) tools.show(table);
    if (type === 'CUSTOM') tools.note(`Prompt sets: !aisec-redteam-custom-attack-report-get job_id=${job_id}.`);
    if (isObject(report['recommendations'])) {
      tools.note(`What helps: !aisec-redteam-report-remediation-get job_id=${job_id}.`);
    }
    return { ...report, job_type: type };
  },
});

/** Creates tables of a static report: attacks by severity, by category, and successful attacks by sub-category. */
function scorecard(report: JsonObject): Table[] {
  const severities = objectsOf(objectOf(report['severity_report'])['stats']);
  const categories = categoryReports(report) ?? [];
  const subCategories = categories.flatMap(({ category, sub_categories }) =>
    objectsOf(sub_categories).map((each): JsonObject => ({ category, ...each })),
  );
  return [
    listOf(severities, { title: 'By Severity', columns: ['severity', 'successful', 'failed'] }),
    listOf(categories, {
      title: 'By Category',
      columns: ['category', 'display_name', 'asr', 'total_attacks', 'successful', 'failed', 'score'],
    }),
    listOf(
      subCategories.filter(({ successful }) => typeof successful === 'number' && successful > 0),
      { title: 'Successful Attacks', columns: ['category', 'display_name', 'successful', 'failed', 'total'] },
    ),
  ];
}

/** Only two types of scans have remediations. */
const REMEDIES = {
  ...FINDINGS,
  404: 'It exists once a STATIC or DYNAMIC scan has ended; CUSTOM scans have none. Check type and status with !aisec-redteam-scan-get.',
} as const;

export const remediation = command(
  'aisec-redteam-report-remediation-get',
  'Get the remediation for the findings of a red-team scan.',
  {
    effect: 'read',
    args: { job_id, job_type },
    output: one(Remediation),
    hints: REMEDIES,
    run: (args, tools) => ofFamily(args, 'remediation', tools),
  },
);

export const runtimePolicy = command(
  'aisec-redteam-report-runtime-policy-get',
  'Get the policies of a security profile that would prevent the findings of a red-team scan.',
  {
    effect: 'read',
    args: { job_id, job_type },
    output: one(RuntimePolicy),
    hints: REMEDIES,
    run: (args, tools) => ofFamily(args, 'runtime-policy-config', tools),
  },
);

async function ofFamily(
  args: { job_id: string; job_type: string },
  part: 'remediation' | 'runtime-policy-config',
  tools: Tools,
): Promise<JsonObject> {
  const type = await ownType(args, tools);
  if (type === 'CUSTOM') tools.note('The service has none for CUSTOM scans: this is the answer for a STATIC scan.');
  const answer = await tools.api.fetch(redTeamData.get(path`/v1/report/${familyOf(type)}/${args.job_id}/${part}`));
  return { ...answer, job_type: type };
}

export const download = command(
  'aisec-redteam-report-download',
  'Download the report of a red-team scan as a ZIP archive: a summary, and a row for each attack.',
  {
    effect: 'read',
    returnsFile: true,
    args: {
      job_id,
      file_format: text('Format of the files in the archive: CSV, JSON, or ALL of them.', {
        default: 'CSV',
        choices: ['CSV', 'JSON', 'ALL'],
      }),
    },
    output: one(ReportFile),
    hints: FINDINGS,
    call: ({ job_id, file_format }) => ({
      ...redTeamData.get(path`/v1/report/${job_id}/download`, { file_format }),
      download: `report_${job_id}_${file_format.toLowerCase()}.zip`,
    }),
    notes: ({ contentType }) => [
      /zip|octet-stream/i.test(asText(contentType))
        ? undefined
        : `The service declares the file as ${asText(contentType)}: it may not be a ZIP archive.`,
    ],
  },
);

export const generatePartial = command(
  'aisec-redteam-report-generate-partial',
  'Unlock the report of a red-team scan that is PARTIALLY_COMPLETE; each call consumes one quota credit.',
  {
    effect: 'update',
    args: { job_id },
    output: one(PartialReport),
    hints: {
      ...QUOTA,
      400: 'Only a scan that is PARTIALLY_COMPLETE has a partial report: check the status with !aisec-redteam-scan-get.',
      500: 'The service answers this if the scan is not PARTIALLY_COMPLETE; then nothing has changed. Check the status with !aisec-redteam-scan-get before you repeat this: each successful call consumes a credit.',
    },
    consumes: 'one quota credit of the type of the scan.',
    run: async ({ job_id }, tools) => {
      if (tools.dryRun) await rehearse(job_id, tools);
      const answer = await tools.api.fetch(redTeamData.post(path`/v1/report/${job_id}/generate-partial-report`));
      // The response may report only success.
      return isObject(answer['report_stats']) ? answer : tools.api.fetch(scanWith(job_id));
    },
  },
);

/** Shows the cost of unlocking, and whether it would fail. */
async function rehearse(job_id: string, tools: Tools): Promise<void> {
  const scan = await tools.api.fetch(scanWith(job_id));
  await showCost(typeOf(scan, 'STATIC'), tools);
  const status = asText(scan['status']);
  if (status !== 'PARTIALLY_COMPLETE') tools.note(`The scan is ${status}: the service would answer with HTTP 500.`);
  if (isUnlocked(scan)) tools.note('The report is already unlocked: this would waste a credit.');
}

export const sentiment = command('aisec-redteam-sentiment-get', 'Get the vote on the report of a red-team scan.', {
  effect: 'read',
  args: { job_id },
  output: one(Sentiment),
  call: ({ job_id }) => redTeamData.get(path`/v1/sentiment/${job_id}`),
});

export const updateSentiment = command(
  'aisec-redteam-sentiment-update',
  'Vote on the report of a red-team scan; a vote replaces an earlier vote.',
  {
    effect: 'update',
    repeatable: true,
    args: {
      job_id,
      vote: text('Vote on the report; it replaces an earlier vote.', { required: true, choices: ['up', 'down'] }),
    },
    output: one(Sentiment),
    run: async ({ job_id, vote }, { api }) => {
      const body = { job_id, up_vote: vote === 'up', down_vote: vote === 'down' };
      return { ...body, ...objectOf(await api.fetch(redTeamData.post(path`/v1/sentiment`, body))) };
    },
  },
);
