/** Collects the data of a report page. */
import { PermissionError, ServiceError } from '../../../engine/errors.ts';
import { type JsonObject, objectsOf } from '../../../engine/json.ts';
import type { RunCommand } from '../../../engine/run-command.ts';
import type { ReportData } from '../model.ts';
import { numberOf, textOf } from '../page/format.ts';
import { MAX_ATTACKS } from '../rank-attacks.ts';
import { refuseUnfinished } from '../refusals.ts';
import { ATTACKS_PART, staticFindings } from './collect-attacks.ts';
import { dynamicFindings, GOALS_PART, MAX_GOALS } from './collect-goals.ts';
import { customFindings, PROMPTS_PART } from './collect-prompts.ts';
import { type ReportSource, reportSource } from './report-source.ts';

/** Findings that depend on the type of the scan. */
export type Findings = Pick<ReportData, 'attacks' | 'goals' | 'promptSets' | 'properties'>;

const NO_FINDINGS: Findings = { attacks: [], goals: [], promptSets: [], properties: [] };

export interface ReportOptions {
  /** Creation time of the page, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** Version of this program. */
  readonly version: string;
  /** Receives progress lines. */
  readonly progress: (line: string) => void;
}

/**
 * Collects the report of a scan.
 * @throws ServiceError for a scan without a report, or with a locked one; AisecError of every kind
 */
export async function collect(
  jobId: string,
  ask: RunCommand,
  { createdAt, version, progress }: ReportOptions,
): Promise<ReportData> {
  const source = reportSource(ask);
  const { record: job } = await source.required('aisec-redteam-scan-get', { job_id: jobId });
  const id = textOf(job['uuid']) ?? jobId;
  // A partially complete scan may have a report.
  refuseUnfinished({ ...job, uuid: id }, ['COMPLETED', 'PARTIALLY_COMPLETE']);
  const type = textOf(job['job_type']) ?? 'STATIC';
  const report = await reportOf(job, { job_id: id, job_type: type }, source);
  const findings = await findingsOf(type, id, source, progress);
  const successful = type === 'DYNAMIC' ? numberOf(report['goals_achieved']) : numberOf(report['successful_attacks']);
  expectAll(type, findings, report, source);
  return {
    job,
    report,
    type,
    ...findings,
    successful,
    remediations: await remediationsOf(type, id, source),
    missing: source.missing,
    simulated: source.simulated(),
    createdAt,
    version,
  };
}

/** Compares the lists with the counts of the report: an empty list must not pass for a scan without findings. */
function expectAll(type: string, { attacks, goals }: Findings, report: JsonObject, { expect }: ReportSource): void {
  const upTo = (most: number, member: string) => Math.min(most, numberOf(report[member]) ?? 0);
  if (type === 'STATIC') expect(ATTACKS_PART, attacks.length, upTo(MAX_ATTACKS, 'successful_attacks'));
  if (type === 'DYNAMIC') expect(GOALS_PART, goals.length, upTo(MAX_GOALS, 'total_goals'));
  if (type === 'CUSTOM') expect(PROMPTS_PART, attacks.length, upTo(MAX_ATTACKS, 'successful_attacks'));
}

async function reportOf({ status }: JsonObject, args: { job_id: string; job_type: string }, source: ReportSource) {
  try {
    return (await source.required('aisec-redteam-report-get', args)).record;
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

/** Reads the remediation; the service has none for custom scans. */
async function remediationsOf(
  type: string,
  id: string,
  source: ReportSource,
): Promise<readonly JsonObject[] | undefined> {
  if (type === 'CUSTOM') return undefined;
  const args = { job_id: id, job_type: type };
  const answer = await source.optional('The remediation', 'aisec-redteam-report-remediation-get', args);
  return answer === undefined ? undefined : objectsOf(answer.record['remediations']);
}
