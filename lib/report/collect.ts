/** Gathers what a report page shows of a red-team scan. */
import type { Ask } from '../ask.ts';
import { PermissionError, ServiceError } from '../errors.ts';
import { type JsonObject, objectsOf } from '../json.ts';
import { staticFindings } from './collect-attacks.ts';
import { dynamicFindings } from './collect-goals.ts';
import { customFindings } from './collect-prompts.ts';
import { type Inquiry, inquiry } from './inquiry.ts';
import type { ReportData } from './model.ts';
import { numberOf, textOf } from './words.ts';

/** What differs by the type of a scan. */
export type Findings = Pick<ReportData, 'attacks' | 'goals' | 'promptSets' | 'properties'>;

const NO_FINDINGS: Findings = { attacks: [], goals: [], promptSets: [], properties: [] };

export interface Making {
  /** When the page is made, in milliseconds since the epoch. */
  readonly madeAt: number;
  /** Of this program. */
  readonly version: string;
  /** A line about work in progress, for a person who waits. */
  readonly progress: (line: string) => void;
}

/**
 * @param jobId identifier of the scan
 * @throws ServiceError for a scan that has no report yet, or has none that may be read; AisecError of every kind
 */
export async function collect(jobId: string, ask: Ask, { madeAt, version, progress }: Making): Promise<ReportData> {
  const asked = inquiry(ask);
  const { record: job } = await asked.need('aisec-redteam-scan-get', { job_id: jobId });
  const id = textOf(job['uuid']) ?? jobId;
  refuseUnfinished(job, id);
  const type = textOf(job['job_type']) ?? 'STATIC';
  const report = await reportOf(job, { job_id: id, job_type: type }, asked);
  const findings = await findingsOf(type, id, asked, progress);
  return {
    job,
    report,
    type,
    ...findings,
    successful: type === 'DYNAMIC' ? numberOf(report['goals_achieved']) : numberOf(report['successful_attacks']),
    remediations: await remediationsOf(type, id, asked),
    losses: asked.losses,
    simulated: asked.simulated(),
    madeAt,
    version,
  };
}

/** What is to be done about a scan without a report. */
const NEXT: Readonly<Record<string, (id: string) => string>> = {
  FAILED: (id) => `See why: !aisec-redteam-scan-error-logs job_id=${id}`,
  ABORTED: () => 'Somebody stopped it: create another one to go on.',
};

/** A scan that stayed partial may have a report: that shows when it is asked for. */
function refuseUnfinished({ status, progress }: JsonObject, id: string): void {
  if (status === 'COMPLETED' || status === 'PARTIALLY_COMPLETE') return;
  const state = textOf(status) ?? 'not told';
  const next = NEXT[state]?.(id) ?? `Wait until it is COMPLETED: !aisec-redteam-scan-get job_id=${id}`;
  throw new ServiceError(`The red-team scan ${id} has no report: its status is ${state}, at ${String(progress)}.`, {
    hint: next,
  });
}

async function reportOf({ status }: JsonObject, args: { job_id: string; job_type: string }, asked: Inquiry) {
  try {
    return (await asked.need('aisec-redteam-report-get', args)).record;
  } catch (thrown) {
    if (status === 'COMPLETED' || !(thrown instanceof PermissionError)) throw thrown;
    throw new ServiceError(`The red-team scan ${args.job_id} stayed partial, and its report is locked.`, {
      hint: `Unlock it for one quota credit: !aisec-redteam-report-generate-partial job_id=${args.job_id}`,
    });
  }
}

async function findingsOf(type: string, id: string, asked: Inquiry, progress: Making['progress']): Promise<Findings> {
  switch (type) {
    case 'STATIC':
      return { ...NO_FINDINGS, attacks: await staticFindings(id, asked, progress) };
    case 'DYNAMIC':
      return { ...NO_FINDINGS, ...(await dynamicFindings(id, asked, progress)) };
    case 'CUSTOM':
      return { ...NO_FINDINGS, ...(await customFindings(id, asked, progress)) };
    default:
      return NO_FINDINGS;
  }
}

/** The service publishes none for scans with prompts of one's own. */
async function remediationsOf(type: string, id: string, asked: Inquiry): Promise<readonly JsonObject[] | undefined> {
  if (type === 'CUSTOM') return undefined;
  const args = { job_id: id, job_type: type };
  const answer = await asked.want('The remediation', 'aisec-redteam-report-remediation-get', args);
  return answer === undefined ? undefined : objectsOf(answer.record['remediations']);
}
