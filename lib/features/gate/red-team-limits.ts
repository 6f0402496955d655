/** Limits for a red-team scan: from the command line, and from a policy. */
import { UsageError } from '../../core/errors.ts';
import { asText } from '../../core/json.ts';
import { list, object, stringOf, textOf } from '../../core/received.ts';
import { plural, roundedBeside } from '../../core/text/numbers.ts';
import { isPercent } from '../scans/chance.ts';
import type { RedTeamReport, RedTeamScan } from '../scans/commands.ts';
import type { Tested } from '../scans/tested.ts';
import { atMost, type Evidence, type Limit } from './decide.ts';
import { type Finding, isAtLeast, type Severity, sentencesOf } from './finding.ts';
import {
  type AttackLimit,
  type FrameworkLimit,
  GOALS,
  isOfCategory,
  knownName,
  mayBeIn,
  type PolicyFile,
  placeIn,
} from './policy/policy.ts';
import { limitNames } from './red-team.ts';

const COUNTS = 'Use --max-asr N, or in the policy redteam.max_asr_percent or redteam.limits with only max_successful';

/** Limits that can be used instead, by scan type. */
const INSTEAD: Readonly<Record<string, string>> = {
  CUSTOM: `${COUNTS}.`,
  DYNAMIC: `${COUNTS} or with the type of a goal as its category: ${GOALS.join(', ')}.`,
};

/** Limits given on the command line. */
export interface RedTeamOptions {
  /** Highest attack success rate that passes, in percent. */
  readonly maxAsr?: number | undefined;
  /** A successful attack of this severity or a higher one fails. */
  readonly failOn?: Severity | undefined;
}

type Where = Pick<Limit, 'source' | 'place'>;
type Check = Pick<Limit, 'check' | 'used' | 'doubt'>;

export interface RedTeamResult {
  readonly job: RedTeamScan;
  readonly tested: readonly Tested[];
  readonly evidence: Evidence;
  /** Read if the policy limits frameworks. */
  readonly report: RedTeamReport | undefined;
}

export function hasLimits({ maxAsr, failOn }: RedTeamOptions, file: PolicyFile | undefined): boolean {
  return maxAsr !== undefined || failOn !== undefined || Object.keys(file?.policy.redteam ?? {}).length > 0;
}

/** Builds the limits. An attack that was also in the baseline breaks only the limit on the scan's rate. */
export function redTeamLimits(
  result: RedTeamResult,
  { maxAsr, failOn }: RedTeamOptions,
  file: PolicyFile | undefined,
): Limit[] {
  const { max_asr_percent, fail_on, limits = [], frameworks = {} } = file?.policy.redteam ?? {};
  const source = (...path: readonly (string | number)[]): Where =>
    file === undefined ? { source: '' } : placeIn(file, ['redteam', ...path]);
  const { evidence } = result;
  const severities: Limit[] = [
    ...(failOn === undefined ? [] : [{ source: `--fail-on ${failOn}`, ...severityLimit(failOn, evidence) }]),
    ...(fail_on === undefined ? [] : [{ ...source('fail_on'), ...severityLimit(fail_on, evidence) }]),
  ];
  // If no other limit is set, a baseline allows no new attack.
  const isStrict = evidence.baseline !== undefined && severities.length === 0;
  return [
    ...(maxAsr === undefined ? [] : [{ source: `--max-asr ${maxAsr}`, ...rateLimit(result, maxAsr) }]),
    ...(max_asr_percent === undefined ? [] : [{ ...source('max_asr_percent'), ...rateLimit(result, max_asr_percent) }]),
    ...severities,
    ...(isStrict ? [{ source: '--baseline', ...nothingNew(evidence) }] : []),
    ...limits.map((limit, at) => ({ ...source('limits', at), ...attackLimit(limit, result) })),
    ...Object.entries(frameworks).map(([name, limit]) => ({
      ...source('frameworks', name),
      ...frameworkLimit(name, limit, result),
    })),
  ];
}

/** With a baseline, only new attacks count. */
function isCounted({ baselineState = 'new' }: Finding): boolean {
  return baselineState === 'new';
}

function attacks(number: number, { baseline }: Evidence): string {
  return plural(number, baseline === undefined ? 'successful attack' : 'new successful attack');
}

/**
 * The service's rate includes accepted attacks; they are subtracted in proportion. A rate that is not a valid share
 * breaks no limit, because the evidence already says that there is no verdict.
 */
function rateLimit({ job, evidence }: RedTeamResult, max: number): Check {
  const present = (all: readonly Finding[]) => all.filter(({ baselineState }) => baselineState !== 'absent').length;
  const all = present(evidence.findings);
  const asr = isPercent(job.asr) ? job.asr : 0;
  const rateOf = (open: readonly Finding[]) => (present(open) === all ? asr : exact((asr * present(open)) / all));
  return atMost({
    max,
    among: () => [],
    count: rateOf,
    used: (left) => `ASR ${roundedBeside(left, max)} % of at most ${max} %`,
    reason: (left) =>
      `ASR ${roundedBeside(left, max)} % is above ${max} %${left === asr ? '' : ' without accepted attacks'}`,
  });
}

/** Removes rounding noise, which could lift a share above an equal limit. */
function exact(percent: number): number {
  return Number(percent.toFixed(9));
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

function attackLimit(limit: AttackLimit, { evidence, tested }: RedTeamResult): Check {
  const { category, severity, max_successful: max } = limit;
  const isMeant = ({ labels }: Pick<Finding, 'labels'>) => category === undefined || isOfCategory(category, labels);
  const kinds = [category, severity === undefined ? undefined : `severity ${severity}`].filter(
    (part) => part !== undefined,
  );
  const of = kinds.length === 0 ? '' : ` of ${kinds.join(' and ')}`;
  const above = max === 0 ? '' : `, more than ${max}`;
  return {
    ...atMost({
      max,
      among: (open) =>
        open.filter(
          (finding) =>
            isCounted(finding) && isMeant(finding) && (severity === undefined || isAtLeast(severity)(finding)),
        ),
      used: (count) => `${count} of at most ${attacks(max, evidence)}`,
      reason: (count) => `${attacks(count, evidence)}${of}${above}`,
    }),
    doubt: (open) => sentencesOf(uncategorised(open, limit, tested), ungraded(open, limit)),
  };
}

/**
 * Explains why a limit by category cannot be checked: attacks have no category, or no attack of the category was tested.
 */
function uncategorised(open: readonly Finding[], { category }: AttackLimit, tested: RedTeamResult['tested']) {
  if (category === undefined) return undefined;
  const unknown = open.filter((finding) => isCounted(finding) && mayBeIn(category, finding.labels)).length;
  if (unknown > 0) return `The service does not say whether ${plural(unknown, 'successful attack')} is of ${category}.`;
  if (tested.some(({ row }) => isOfCategory(category, limitNames(row)))) return undefined;
  return `No attack of ${category} was tested, so its limit says nothing.`;
}

function ungraded(open: readonly Finding[], { severity }: AttackLimit): string | undefined {
  const unknown = open.filter((finding) => isCounted(finding) && finding.hasNoSeverity === true).length;
  if (severity === undefined || unknown === 0) return undefined;
  return `The service gives no severity of ${plural(unknown, 'successful attack')}.`;
}

/**
 * Refuses limits by severity, category or framework if the service does not send these: such limits would pass whatever the scan
 * found. @throws UsageError that names the first such limit, and the limits that can be used instead
 */
export function refuseImpossible(
  { job_type }: RedTeamScan,
  { failOn, maxAsr = 0 }: RedTeamOptions,
  file: PolicyFile | undefined,
): void {
  if (!isPercent(maxAsr)) throw new UsageError('A success rate is limited in percent, from 0 to 100.');
  const type = asText(job_type);
  const hint = Object.hasOwn(INSTEAD, type) ? INSTEAD[type] : undefined;
  if (hint === undefined) return;
  const limit = failOn === undefined ? impossibleIn(file, type) : `--fail-on ${failOn}`;
  if (limit === undefined) return;
  throw new UsageError(
    `${limit} cannot decide on a ${type} red-team scan: the service gives it no severities, categories or frameworks.`,
    { hint },
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

/** Reads a count, which may be a string of digits; undefined for any other value. */
function countOf(value: unknown): number | undefined {
  const isCount = typeof value === 'number' || (typeof value === 'string' && /^[0-9]+$/.test(value));
  const count = isCount ? Number(value) : Number.NaN;
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

const readTechnique = object({ successful: countOf, total: countOf });
const readFrameworks = list({
  category: stringOf,
  id: stringOf,
  display_name: stringOf,
  techniques: (value: unknown) => (Array.isArray(value) ? value.map(readTechnique) : []),
});

/** Frameworks classify attacks by technique, and only the report counts techniques. */
function frameworkLimit(
  name: string,
  { max_successful: max, max_asr_percent: maxAsr }: FrameworkLimit,
  { job, report }: { readonly job: RedTeamScan; readonly report: RedTeamReport | undefined },
): Pick<Limit, 'check' | 'used' | 'doubt'> {
  const named = readFrameworks(report?.category_reports).filter(
    ({ category, id, display_name }) =>
      category === 'COMPLIANCE' && [id, display_name].some((each) => each?.toLowerCase() === name.toLowerCase()),
  );
  const techniques = named.flatMap((framework) => framework.techniques);
  const sumOf = (member: 'successful' | 'total') => techniques.reduce((sum, each) => sum + (each[member] ?? 0), 0);
  const [successful, total] = [sumOf('successful'), sumOf('total')];
  const asr = total === 0 ? 0 : (100 * successful) / total;
  const used = [
    max === undefined ? undefined : `${successful} of at most ${plural(max, 'successful attack')}`,
    maxAsr === undefined ? undefined : `ASR ${roundedBeside(asr, maxAsr)} % of at most ${maxAsr} %`,
  ].filter((part) => part !== undefined);
  const broken = [
    max !== undefined && successful > max ? `${plural(successful, 'successful attack')}, more than ${max}` : undefined,
    maxAsr !== undefined && asr > maxAsr ? `ASR ${roundedBeside(asr, maxAsr)} % is above ${maxAsr} %` : undefined,
  ].filter((reason) => reason !== undefined);
  const isClear = techniques.every(({ successful: some, total: all }) => (some ?? Number.NaN) <= (all ?? Number.NaN));
  const reported = textOf(report?.job_id)?.toLowerCase();
  return {
    used: () => used.join(', '),
    check: () => {
      // A limit that cannot be checked counts as broken.
      if (named.length === 0) return { reason: `the report has no framework ${name}`, by: [] };
      return broken.length === 0 ? undefined : { reason: `${name}: ${broken.join(', ')}`, by: [] };
    },
    doubt: () => {
      if (reported === undefined) return 'The report does not say of which scan it is.';
      if (reported !== job.uuid?.toLowerCase()) return 'The report belongs to another scan.';
      if (named.length > 1) return `The report has the framework ${name} twice.`;
      if (!isClear) return `The report does not count every technique of ${name}.`;
      return total === 0 ? `The report counts no attack of ${name}, so its limit says nothing.` : undefined;
    },
  };
}
