/** Collects the data of a report page. */
import type { Collection } from '../../../client/report-pages.ts';
import { PermissionError, ServiceError } from '../../../core/errors.ts';
import { numberOf, textOf } from '../../../core/received.ts';
import { plural } from '../../../core/text/numbers.ts';
import type { RunCommand } from '../../../runtime/engine/command-port.ts';
import { isContradicted } from '../chance.ts';
import { type ArgumentsOf, type RedTeamReport, type RedTeamScan, runCommand } from '../commands.ts';
import { MAX_ATTACKS } from '../rank-attacks.ts';
import { partOf, refuseUnfinished } from '../refusals.ts';
import { attackCounts, type Findings, type Remediation, type ReportData, readRemediations } from '../report-data.ts';
import {
  ATTACKS_PART,
  customFindings,
  dynamicFindings,
  GOALS_PART,
  MAX_GOALS,
  PROMPTS_PART,
  staticFindings,
} from './findings.ts';
import { ReportSource } from './report-source.ts';

const NO_FINDINGS: Findings = { attacks: [], goals: [], promptSets: [], properties: [] };

export type ReportOptions = Omit<Collection, 'run'>;

type ReportArguments = ArgumentsOf<'aisec-redteam-report-get'>;

/**
 * Collects the report of a scan.
 * @throws ServiceError for a scan without a report, or with a locked report; AisecError of any kind
 */
export async function collect(
  jobId: string,
  run: RunCommand,
  { createdAt, version, progress }: ReportOptions,
): Promise<ReportData> {
  const source = new ReportSource(run);
  const { record: job } = await runCommand(source.run, 'aisec-redteam-scan-get', { job_id: jobId });
  const id = textOf(job.uuid) ?? jobId;
  // A partially complete scan may have a report.
  refuseUnfinished({ ...job, uuid: id }, ['COMPLETED', 'PARTIALLY_COMPLETE']);
  const type = textOf(job.job_type) ?? 'STATIC';
  const args = { job_id: id, job_type: type } as ReportArguments;
  const report = await reportOf(job, args, source);
  const findings = await findingsOf(type, id, source, progress);
  expectAll(type, findings, report, source);
  return {
    job,
    report,
    type,
    ...findings,
    asr: rateOf(job, report, source),
    successful: numberOf(type === 'DYNAMIC' ? report.goals_achieved : report.successful_attacks),
    remediations: await remediationsOf(args, source),
    missing: source.missing,
    simulated: source.simulated,
    createdAt,
    version,
  };
}

/** Returns the success rate. If the report contradicts the rate, records it as missing. */
function rateOf(job: RedTeamScan, report: RedTeamReport, source: ReportSource): ReportData['asr'] {
  const asr = numberOf(report.asr) ?? numberOf(job.asr);
  const { hits, trials } = attackCounts(job, report);
  const isSame = textOf(job.job_type) !== 'DYNAMIC';
  const counted = hits === undefined || trials === undefined ? undefined : { hits, trials, isSame };
  if (asr === undefined || !isContradicted(asr, counted)) return asr;
  const why = isContradicted(asr)
    ? `The service reports ${asr} %, which is impossible.`
    : `The service reports ${asr} %, and counts ${hits} successful of ${plural(trials ?? 0, partOf(job))}.`;
  source.missing.push({ what: 'The success rate', why, failed: true });
  return 'contradicted';
}

/** Compares the lists with the counts of the report: an empty list must not look like a scan without findings. */
function expectAll(type: string, { attacks, goals }: Findings, report: RedTeamReport, source: ReportSource): void {
  const successful = Math.min(MAX_ATTACKS, numberOf(report.successful_attacks) ?? 0);
  if (type === 'STATIC') source.expect(ATTACKS_PART, attacks.length, successful);
  if (type === 'CUSTOM') source.expect(PROMPTS_PART, attacks.length, successful);
  if (type === 'DYNAMIC')
    source.expect(GOALS_PART, goals.length, Math.min(MAX_GOALS, numberOf(report.total_goals) ?? 0));
}

async function reportOf({ status }: RedTeamScan, args: ReportArguments, { run }: ReportSource) {
  try {
    return (await runCommand(run, 'aisec-redteam-report-get', args)).record;
  } catch (thrown) {
    if (status === 'COMPLETED' || !(thrown instanceof PermissionError)) throw thrown;
    throw new ServiceError(`The red-team scan ${args.job_id} stayed partial, and its report is locked.`, {
      hint: `Unlock it for one quota credit: !aisec-redteam-report-generate-partial job_id=${args.job_id}`,
    });
  }
}

async function findingsOf(
  type: string,
  id: string,
  source: ReportSource,
  progress: ReportOptions['progress'],
): Promise<Findings> {
  switch (type) {
    case 'STATIC':
      return { ...NO_FINDINGS, attacks: await staticFindings(id, source, progress) };
    case 'DYNAMIC':
      return { ...NO_FINDINGS, ...(await dynamicFindings(id, source, progress)) };
    case 'CUSTOM':
      return { ...NO_FINDINGS, ...(await customFindings(id, source, progress)) };
    default:
      return NO_FINDINGS;
  }
}

/** Reads the remediation; the service does not offer it for custom scans. */
async function remediationsOf(
  args: ReportArguments,
  source: ReportSource,
): Promise<readonly Remediation[] | undefined> {
  if (args.job_type === 'CUSTOM') return undefined;
  const answer = await source.optional('The remediation', 'aisec-redteam-report-remediation-get', args);
  return answer === undefined ? undefined : readRemediations(answer.record.remediations);
}
