/** The three gates: the data that each fetches, and the limits that it applies. Hosts show and write the verdict. */
import { ServiceError, UsageError } from '../../core/errors.ts';
import { asText, objectOf } from '../../core/json.ts';
import type { RunCommand } from '../../runtime/engine/command-port.ts';
import { type PromptFile, promptLines } from '../scans/bulk-file.ts';
import { type ArgumentsOf, type RedTeamScan, runCommand } from '../scans/commands.ts';
import type { OpenBulkFile } from '../scans/open-bulk-files.ts';
import { readTested } from '../scans/tested.ts';
import { readViolations } from '../scans/violations.ts';
import { type BulkEvidence, bulkEvidence, bulkLimits, joinedEvidence } from './bulk.ts';
import { decide, type Evidence, type Verdict } from './decide.ts';
import { sentencesOf } from './finding.ts';
import {
  checkRuleNames,
  hasOutcome,
  incompleteViolations,
  modelEvidence,
  modelLimits,
  unexamined,
  unexplainedBlock,
} from './model.ts';
import { type PolicyFile, placeIn } from './policy/policy.ts';
import {
  asrOf,
  baselineEvidence,
  checkBaseline,
  incompleteScan,
  noResult,
  otherScan,
  redTeamEvidence,
  undecided,
  undecidedScan,
} from './red-team.ts';
import {
  hasLimits,
  type RedTeamOptions,
  type RedTeamResult,
  redTeamLimits,
  refuseImpossible,
} from './red-team-limits.ts';

export interface GateTools {
  readonly ask: RunCommand;
  readonly policy?: PolicyFile | undefined;
  /** In milliseconds since the epoch. */
  readonly now: number;
}

/** More than any tenant has. A truncated list never passes. */
const MAX_ROWS = 1_000_000;

/** Decides on a model scan. @param uuid of the scan */
export async function gateModel(uuid: string, { ask, policy, now }: GateTools): Promise<Verdict> {
  const { record: scan } = await runCommand(ask, 'aisec-model-security-scans-get', { uuid });
  const found = await runCommand(ask, 'aisec-model-security-scans-violations', { uuid, limit: MAX_ROWS });
  // Remediations are only in the raw response.
  const { violations } = objectOf(found.raw);
  const evidence = modelEvidence(scan, readViolations(violations ?? found.record.violations));
  if (policy !== undefined) await checkRuleNames(policy, evidence.findings, ask);
  const other = otherScan(uuid, scan, 'model scan');
  if (other !== undefined) return decide({ ...evidence, findings: [], unfinished: other }, { limits: [], policy, now });
  if (!hasOutcome(scan)) return decide(evidence, { limits: [], policy, now });
  const limits = [...modelLimits(scan, policy), ...unexplainedBlock(scan, evidence)];
  const unfinished = sentencesOf(unexamined(scan), incompleteViolations(scan, found));
  return decide({ ...evidence, unfinished }, { limits, policy, now });
}

export interface BulkRequest extends OpenBulkFile {
  /** The file of the prompts, in which findings are located. */
  readonly input?: PromptFile | undefined;
}

/** Decides on bulk scans with one verdict. @throws UsageError if the scan read a different file of prompts */
export async function gateBulk(
  requests: readonly BulkRequest[],
  { policy, now }: Omit<GateTools, 'ask'>,
): Promise<Verdict> {
  const read: BulkEvidence[] = [];
  for (const { reader, name, input } of requests)
    read.push(await bulkEvidence(reader, name, input === undefined ? undefined : await promptLines(input)));
  const evidence = joinedEvidence(read);
  return decide(evidence, { limits: bulkLimits(evidence, policy), policy, now });
}

export interface RedTeamRequest extends RedTeamOptions {
  readonly jobId: string;
  /** Identifier of an earlier scan. */
  readonly baseline?: string | undefined;
}

/** Reports whether a request sets any limit. */
export function limitsAnything({ baseline, ...options }: Omit<RedTeamRequest, 'jobId'>, policy?: PolicyFile): boolean {
  return baseline !== undefined || hasLimits(options, policy);
}

/** Refuses, before a wait, any request that a gate would refuse after it. @throws UsageError */
export async function checkRedTeam(
  job: RedTeamScan,
  { baseline, ...options }: Omit<RedTeamRequest, 'jobId'>,
  { ask, policy }: Pick<GateTools, 'ask' | 'policy'>,
): Promise<void> {
  refuseImpossible(job, options, policy);
  if (baseline !== undefined)
    checkBaseline((await runCommand(ask, 'aisec-redteam-scan-get', { job_id: baseline })).record, job);
}

/** Decides on a red-team scan. @throws UsageError without any limit */
export async function gateRedTeam({ jobId, baseline, ...options }: RedTeamRequest, tools: GateTools): Promise<Verdict> {
  const { ask, policy, now } = tools;
  if (!limitsAnything({ baseline, ...options }, policy)) {
    throw new UsageError('A red-team gate needs a limit.', {
      hint: 'Add --max-asr N, --fail-on critical|high|medium|low, --baseline JOB_ID, or a policy with redteam.',
    });
  }
  const jobOf = async (job_id: string) => (await runCommand(ask, 'aisec-redteam-scan-get', { job_id })).record;
  const job = await jobOf(jobId);
  refuseImpossible(job, options, policy);
  const other = otherScan(jobId, job, 'red-team scan');
  const earlier = baseline === undefined ? undefined : await jobOf(baseline);
  if (earlier !== undefined) checkBaseline(earlier, job);
  const wrong = other ?? (earlier === undefined ? undefined : otherScan(baseline ?? '', earlier, 'baseline'));
  const read = wrong ?? (await readScans(job, earlier, ask));
  if (typeof read === 'string') return decide(undecided(job, read), { limits: [], policy, now });
  const evidence = policy === undefined ? read.evidence : locatedIn(policy, read.evidence);
  const report = policy?.policy.redteam?.frameworks === undefined ? undefined : await reportOf(job, ask);
  const limits = redTeamLimits({ job, tested: read.tested, evidence, report }, options, policy);
  return decide(evidence, { limits, policy, now });
}

/** A red-team scan has no file in the repository, so its findings point to the policy that limits them. */
function locatedIn(policy: PolicyFile, evidence: Evidence): Evidence {
  const { place } = placeIn(policy, ['redteam']);
  return { ...evidence, findings: evidence.findings.map((finding) => ({ ...finding, place })) };
}

/**
 * Reads the scan and its baseline. Evidence that may lack findings says why; then broken limits still fail the gate,
 * and nothing passes it. @returns the evidence, or the reason why there is nothing to decide on
 */
async function readScans(
  job: RedTeamScan,
  baseline: RedTeamScan | undefined,
  ask: RunCommand,
): Promise<Pick<RedTeamResult, 'evidence' | 'tested'> | string> {
  if (asrOf(job) === undefined) return noResult(job);
  if (baseline !== undefined && asrOf(baseline) === undefined) return noResult(baseline, 'The baseline');
  const list = await readTested(job, ask);
  const unfinished = undecidedScan(job, list, 'The red-team scan');
  const { tested } = list;
  if (baseline === undefined) return { tested, evidence: { ...redTeamEvidence(job, tested), unfinished } };
  const earlier = await readTested(baseline, ask);
  // An attack missing from the baseline's list would count as new.
  const doubt = incompleteScan(baseline, earlier, 'The baseline');
  if (doubt !== undefined) return doubt;
  const against = baselineEvidence({ job, tested }, { job: baseline, tested: earlier.tested });
  return { tested, evidence: { ...against, unfinished } };
}

async function reportOf({ uuid, job_type }: RedTeamScan, ask: RunCommand) {
  const args = { job_id: asText(uuid), job_type: asText(job_type) } as ArgumentsOf<'aisec-redteam-report-get'>;
  return (await runCommand(ask, 'aisec-redteam-report-get', args)).record;
}

interface Named {
  readonly uuid?: string | null | undefined;
  readonly name?: string | null | undefined;
}

/**
 * Finds the id of the record with this name or id.
 * @throws UsageError if several records match, or none (then the error lists the names)
 */
function idOf(records: readonly Named[], wanted: string, noun: string): string {
  const found = records.filter(({ uuid, name }) => uuid === wanted || name === wanted);
  const [only] = found;
  if (only !== undefined && found.length === 1) return asText(only.uuid);
  const names = records.map(({ name }) => asText(name)).slice(0, 20);
  throw new UsageError(`${found.length === 0 ? 'No' : `${found.length}`} ${noun} is called "${wanted.slice(0, 80)}".`, {
    hint: found.length > 1 ? 'Give its id instead.' : `There are: ${names.join(', ')}.`,
  });
}

export interface ModelScanRequest {
  readonly uri: string;
  /** Name or id. */
  readonly securityGroup: string;
  readonly wait: boolean;
}

/** Scans a model. @returns the scan's id @throws ServiceError if the scan is not waited for */
export async function scanModel({ uri, securityGroup, wait }: ModelScanRequest, { ask }: GateTools): Promise<string> {
  const { records } = await runCommand(ask, 'aisec-model-security-groups-list', { limit: MAX_ROWS });
  const args = { model_uri: uri, security_group_uuid: idOf(records, securityGroup, 'security group'), wait };
  const id = asText((await runCommand(ask, 'aisec-model-security-scans-create', args)).record.uuid);
  return wait ? id : throwStarted('model scan', `aisec gate model ${id}`);
}

export interface RedTeamScanRequest {
  /** Name or id. */
  readonly target: string;
  /** Other arguments of `aisec-redteam-scan-create`, which checks them. */
  readonly args: Readonly<Record<string, string>>;
  readonly wait: boolean;
}

/** Starts a red-team scan. @returns its id @throws ServiceError if the scan is not waited for */
export async function startRedTeam({ target, args, wait }: RedTeamScanRequest, tools: GateTools): Promise<string> {
  const { ask, now } = tools;
  const { records } = await runCommand(ask, 'aisec-redteam-targets-list', { limit: MAX_ROWS });
  const { record } = await runCommand(ask, 'aisec-redteam-scan-create', {
    name: `gate ${new Date(now).toISOString().slice(0, 16).replace('T', ' ')}`,
    job_type: 'STATIC',
    ...args,
    target_uuid: idOf(records, target, 'red-team target'),
    wait,
  });
  const id = asText(record.uuid);
  return wait ? id : throwStarted('red-team scan', `aisec gate redteam ${id}`);
}

function throwStarted(noun: string, command: string): never {
  throw new ServiceError(`The ${noun} has been started, and has no result yet.`, {
    hint: `Add --wait to decide when it has ended, or decide later with: ${command}`,
  });
}
