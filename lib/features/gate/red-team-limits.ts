/** Limits for a red-team scan: from the command line, and from a policy. */
import { UsageError } from '../../core/errors.ts';
import { asText } from '../../core/json.ts';
import { list, stringOf } from '../../core/received.ts';
import { plural } from '../../text/numbers.ts';
import type { RedTeamReport, RedTeamScan } from '../commands.ts';
import { atMost, type Evidence, type Limit } from './decide.ts';
import { type Finding, isAtLeast, type Severity } from './finding.ts';
import { GOALS, knownName } from './policy/names.ts';
import { type AttackLimit, type FrameworkLimit, type PolicyFile, placeIn } from './policy/policy.ts';

const COUNTS = 'Use --max-asr N, or in the policy redteam.max_asr_percent or redteam.limits with max_successful alone';

/** Limits that decide instead, by type of scan. */
const INSTEAD: Readonly<Record<string, string>> = {
  CUSTOM: `${COUNTS}.`,
  DYNAMIC: `${COUNTS} or with the type of a goal as its category: ${GOALS.join(', ')}.`,
};

/** Limits of the command line. */
export interface RedTeamOptions {
  /** Highest attack success rate that passes, in percent. */
  readonly maxAsr?: number | undefined;
  /** A successful attack of this severity or a higher one fails. */
  readonly failOn?: Severity | undefined;
}

type Where = Pick<Limit, 'source' | 'place'>;
type Check = Pick<Limit, 'check' | 'used'>;

export interface RedTeamResult {
  readonly job: RedTeamScan;
  readonly evidence: Evidence;
  /** Read if the policy limits frameworks. */
  readonly report: RedTeamReport | undefined;
}

export function hasLimits({ maxAsr, failOn }: RedTeamOptions, file: PolicyFile | undefined): boolean {
  return maxAsr !== undefined || failOn !== undefined || Object.keys(file?.policy.redteam ?? {}).length > 0;
}

/** Builds the limits. An attack that a baseline has too breaks none, except the rate of the scan. */
export function redTeamLimits(
  result: RedTeamResult,
  { maxAsr, failOn }: RedTeamOptions,
  file: PolicyFile | undefined,
): Limit[] {
  const { max_asr_percent, fail_on, limits = [], frameworks = {} } = file?.policy.redteam ?? {};
  const source = (...path: readonly (string | number)[]): Where =>
    file === undefined ? { source: '' } : placeIn(file, ['redteam', ...path]);
  const { evidence, report } = result;
  const severities: Limit[] = [
    ...(failOn === undefined ? [] : [{ source: `--fail-on ${failOn}`, ...severityLimit(failOn, evidence) }]),
    ...(fail_on === undefined ? [] : [{ ...source('fail_on'), ...severityLimit(fail_on, evidence) }]),
  ];
  // Without a limit of its own, a baseline allows nothing new.
  const isStrict = evidence.baseline !== undefined && severities.length === 0;
  return [
    ...(maxAsr === undefined ? [] : [{ source: `--max-asr ${maxAsr}`, ...rateLimit(result, maxAsr) }]),
    ...(max_asr_percent === undefined ? [] : [{ ...source('max_asr_percent'), ...rateLimit(result, max_asr_percent) }]),
    ...severities,
    ...(isStrict ? [{ source: '--baseline', ...nothingNew(evidence) }] : []),
    ...limits.map((limit, at) => ({ ...source('limits', at), ...attackLimit(limit, evidence) })),
    ...Object.entries(frameworks).map(([name, limit]) => ({
      ...source('frameworks', name),
      ...frameworkLimit(name, limit, report),
    })),
  ];
}

/** Against a baseline, only what is new counts. */
function isCounted({ baselineState = 'new' }: Finding): boolean {
  return baselineState === 'new';
}

function attacks(number: number, { baseline }: Evidence): string {
  return plural(number, baseline === undefined ? 'successful attack' : 'new successful attack');
}

/** The service's rate includes accepted attacks; they are subtracted in proportion. */
function rateLimit({ job, evidence }: RedTeamResult, max: number): Check {
  const present = (all: readonly Finding[]) => all.filter(({ baselineState }) => baselineState !== 'absent').length;
  const all = present(evidence.findings);
  const asr = Number(job.asr);
  return atMost({
    max,
    among: () => [],
    count: (open) => (all === 0 ? asr : (asr * present(open)) / all),
    used: (left) => `ASR ${rounded(left)} % of at most ${max} %`,
    reason: (left) =>
      `ASR ${rounded(left)} % is above ${max} %${rounded(left) === asr ? '' : ' without accepted attacks'}`,
  });
}

function rounded(percent: number): number {
  return Number(percent.toFixed(2));
}

function severityLimit(severity: Severity, evidence: Evidence): Check {
  const orHigher = severity === 'critical' ? '' : ' or higher';
  return atMost({
    max: 0,
    among: (open) => open.filter(isCounted).filter(isAtLeast(severity)),
    reason: (count) => `${attacks(count, evidence)} of severity ${severity}${orHigher}`,
  });
}

function nothingNew(evidence: Evidence): Check {
  return atMost({
    max: 0,
    among: (open) => open.filter(isCounted),
    reason: (count) => attacks(count, evidence),
  });
}

function attackLimit({ category, severity, max_successful: max }: AttackLimit, evidence: Evidence): Check {
  const isMeant = ({ labels }: Finding) =>
    category === undefined || labels.some((label) => knownName(label, [category]) !== undefined);
  const kinds = [category, severity === undefined ? undefined : `severity ${severity}`].filter(
    (part) => part !== undefined,
  );
  const of = kinds.length === 0 ? '' : ` of ${kinds.join(' and ')}`;
  const above = max === 0 ? '' : `, more than ${max}`;
  return atMost({
    max,
    among: (open) =>
      open.filter(
        (finding) => isCounted(finding) && isMeant(finding) && (severity === undefined || isAtLeast(severity)(finding)),
      ),
    used: (count) => `${count} of at most ${attacks(max, evidence)}`,
    reason: (count) => `${attacks(count, evidence)}${of}${above}`,
  });
}

/** Reads the frameworks of a report with their techniques. A count may be a text. */
const readFrameworks = list({
  category: stringOf,
  id: stringOf,
  display_name: stringOf,
  techniques: list({ successful: Number, total: Number }),
});

/** Frameworks classify attacks by techniques, which only the report counts. */
function frameworkLimit(name: string, limit: FrameworkLimit, report: RedTeamReport | undefined): Check {
  const { max_successful: max, max_asr_percent: maxAsr } = limit;
  const framework = readFrameworks(report?.category_reports).find(
    ({ category, id, display_name }) =>
      category === 'COMPLIANCE' && [id, display_name].some((each) => each?.toLowerCase() === name.toLowerCase()),
  );
  const techniques = framework?.techniques ?? [];
  const successful = techniques.reduce((sum, each) => sum + (each.successful || 0), 0);
  const total = techniques.reduce((sum, each) => sum + (each.total || 0), 0);
  const asr = total === 0 ? 0 : rounded((100 * successful) / total);
  const used = [
    max === undefined ? undefined : `${successful} of at most ${plural(max, 'successful attack')}`,
    maxAsr === undefined ? undefined : `ASR ${asr} % of at most ${maxAsr} %`,
  ].filter((part) => part !== undefined);
  const broken = [
    max !== undefined && successful > max ? `${plural(successful, 'successful attack')}, more than ${max}` : undefined,
    maxAsr !== undefined && asr > maxAsr ? `ASR ${asr} % is above ${maxAsr} %` : undefined,
  ].filter((reason) => reason !== undefined);
  return {
    used: () => used.join(', '),
    check: () => {
      // A limit that cannot be checked does not hold.
      if (framework === undefined) return { reason: `the report has no framework ${name}`, by: [] };
      return broken.length === 0 ? undefined : { reason: `${name}: ${broken.join(', ')}`, by: [] };
    },
  };
}

/**
 * Refuses limits by severity, category or framework where the service gives none: they would pass whatever the scan found.
 * @throws UsageError that names the first such limit, and what decides instead
 */
export function refuseImpossible(
  { job_type }: RedTeamScan,
  { failOn }: Pick<RedTeamOptions, 'failOn'>,
  file: PolicyFile | undefined,
): void {
  const type = asText(job_type);
  if (!Object.hasOwn(INSTEAD, type)) return;
  const limit = failOn === undefined ? impossibleIn(file, type) : `--fail-on ${failOn}`;
  if (limit === undefined) return;
  throw new UsageError(
    `${limit} cannot decide on a ${type} red-team scan: the service gives it no severities, categories or frameworks.`,
    { hint: INSTEAD[type] ?? '' },
  );
}

function impossibleIn(file: PolicyFile | undefined, type: string): string | undefined {
  const { fail_on, limits = [], frameworks = {} } = file?.policy.redteam ?? {};
  const at = limits.findIndex((limit) => isImpossible(limit, type));
  const [framework] = Object.keys(frameworks);
  const path = [
    fail_on === undefined ? undefined : ['fail_on'],
    at < 0 ? undefined : ['limits', at],
    framework === undefined ? undefined : ['frameworks', framework],
  ].find((each) => each !== undefined);
  return file === undefined || path === undefined ? undefined : placeIn(file, ['redteam', ...path]).source;
}

function isImpossible({ category, severity }: AttackLimit, type: string): boolean {
  if (severity !== undefined) return true;
  return category !== undefined && !(type === 'DYNAMIC' && knownName(category, GOALS) !== undefined);
}
