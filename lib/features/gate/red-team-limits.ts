/** Limits for a red-team scan: from the command line, and from a policy. */
import { asText, type JsonObject, objectsOf } from '../../engine/json.ts';
import { plural } from '../../text/numbers.ts';
import type { Evidence, Limit } from './decide.ts';
import { type Finding, isAtLeast, type Severity } from './finding.ts';
import { knownName } from './policy/names.ts';
import {
  type AttackLimit,
  type FrameworkLimit,
  type PolicyFile,
  placeIn,
  type RedTeamPolicy,
} from './policy/policy.ts';

/** Limits of the command line. */
export interface RedTeamOptions {
  /** Highest attack success rate that passes, in percent. */
  readonly maxAsr?: number | undefined;
  /** A successful attack of this severity or a higher one fails. */
  readonly failOn?: Severity | undefined;
}

type Where = Pick<Limit, 'source' | 'place'>;

/** What the limits are about. */
export interface RedTeamResult {
  /** Output of `aisec-redteam-scan-get`. */
  readonly job: JsonObject;
  readonly evidence: Evidence;
  /** Output of `aisec-redteam-report-get`, if the policy limits frameworks. */
  readonly report: JsonObject | undefined;
}

/** Tells whether there is any limit. */
export function hasLimits({ maxAsr, failOn }: RedTeamOptions, file: PolicyFile | undefined): boolean {
  return maxAsr !== undefined || failOn !== undefined || Object.keys(file?.policy.redteam ?? {}).length > 0;
}

/** Builds the limits. An attack that a baseline has too breaks none, except the rate of the scan. */
export function redTeamLimits(
  result: RedTeamResult,
  { maxAsr, failOn }: RedTeamOptions,
  file: PolicyFile | undefined,
): Limit[] {
  const policy: RedTeamPolicy = file?.policy.redteam ?? {};
  const source = (...path: readonly (string | number)[]): Where =>
    file === undefined ? { source: '' } : placeIn(file, ['redteam', ...path]);
  const { evidence } = result;
  const severities = [
    failOn === undefined ? undefined : atLeast(failOn, { source: `--fail-on ${failOn}` }, evidence),
    policy.fail_on === undefined ? undefined : atLeast(policy.fail_on, source('fail_on'), evidence),
  ].filter((limit) => limit !== undefined);
  const hasBaseline = evidence.baseline !== undefined;
  return [
    ...(maxAsr === undefined ? [] : [rate(result, maxAsr, { source: `--max-asr ${maxAsr}` })]),
    ...(policy.max_asr_percent === undefined ? [] : [rate(result, policy.max_asr_percent, source('max_asr_percent'))]),
    ...severities,
    // Without a limit of its own, a baseline allows nothing new.
    ...(hasBaseline && severities.length === 0 ? [nothingNew()] : []),
    ...(policy.limits ?? []).map((limit, at) => byLabels(limit, source('limits', at), evidence)),
    ...Object.entries(policy.frameworks ?? {}).map(([name, limit]) =>
      byFramework(name, limit, result.report, source('frameworks', name)),
    ),
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
function rate({ job, evidence }: RedTeamResult, max: number, where: Where): Limit {
  const present = (all: readonly Finding[]) => all.filter(({ baselineState }) => baselineState !== 'absent').length;
  const all = present(evidence.findings);
  const asr = Number(job['asr']);
  const without = (open: readonly Finding[]) => (all === 0 ? asr : (asr * present(open)) / all);
  return {
    ...where,
    used: (open) => `ASR ${Number(without(open).toFixed(2))} % of at most ${max} %`,
    check: (open) => {
      const left = without(open);
      const value = Number(left.toFixed(2));
      const remark = value === asr ? '' : ` without accepted attacks`;
      return left > max ? { reason: `ASR ${value} % is above ${max} %${remark}`, by: [] } : undefined;
    },
  };
}

function atLeast(severity: Severity, where: Where, evidence: Evidence): Limit {
  return {
    ...where,
    check: (open) => {
      const by = open.filter(isCounted).filter(isAtLeast(severity));
      const reason = `${attacks(by.length, evidence)} of severity ${severity}${severity === 'critical' ? '' : ' or higher'}`;
      return by.length > 0 ? { reason, by } : undefined;
    },
  };
}

function nothingNew(): Limit {
  return {
    source: '--baseline',
    check: (open) => {
      const by = open.filter(isCounted);
      return by.length > 0 ? { reason: plural(by.length, 'new successful attack'), by } : undefined;
    },
  };
}

function byLabels({ category, severity, max_successful: max }: AttackLimit, where: Where, evidence: Evidence): Limit {
  const isMeant = ({ labels }: Finding) =>
    category === undefined || labels.some((label) => knownName(label, [category]) !== undefined);
  const kind = [category, severity === undefined ? undefined : `severity ${severity}`].filter(
    (part) => part !== undefined,
  );
  const among = (open: readonly Finding[]) =>
    open
      .filter(isCounted)
      .filter((finding) => isMeant(finding) && (severity === undefined || isAtLeast(severity)(finding)));
  return {
    ...where,
    used: (open) => `${among(open).length} of at most ${attacks(max, evidence)}`,
    check: (open) => {
      const by = among(open);
      const of = kind.length === 0 ? '' : ` of ${kind.join(' and ')}`;
      const reason = `${attacks(by.length, evidence)}${of}${max === 0 ? '' : `, more than ${max}`}`;
      return by.length > max ? { reason, by } : undefined;
    },
  };
}

/** Frameworks classify attacks by techniques, which only the report counts. */
function byFramework(name: string, limit: FrameworkLimit, report: JsonObject | undefined, where: Where): Limit {
  const framework = objectsOf(report?.['category_reports']).find(
    ({ category, id, display_name }) =>
      category === 'COMPLIANCE' &&
      [id, display_name].some((each) => asText(each ?? '').toLowerCase() === name.toLowerCase()),
  );
  const techniques = objectsOf(framework?.['techniques']);
  const sum = (member: string) => techniques.reduce((total, each) => total + (Number(each[member]) || 0), 0);
  const [successful, total] = [sum('successful'), sum('total')];
  const asr = total === 0 ? 0 : Number(((100 * successful) / total).toFixed(2));
  const { max_successful: max, max_asr_percent: max_asr } = limit;
  const used = [
    max === undefined ? undefined : `${successful} of at most ${plural(max, 'successful attack')}`,
    max_asr === undefined ? undefined : `ASR ${asr} % of at most ${max_asr} %`,
  ].filter((part) => part !== undefined);
  return {
    ...where,
    used: () => used.join(', '),
    check: () => {
      // A limit that cannot be checked does not hold.
      if (framework === undefined) return { reason: `the report has no framework ${name}`, by: [] };
      const reasons = [
        max !== undefined && successful > max
          ? `${plural(successful, 'successful attack')}, more than ${max}`
          : undefined,
        max_asr !== undefined && asr > max_asr ? `ASR ${asr} % is above ${max_asr} %` : undefined,
      ].filter((reason) => reason !== undefined);
      return reasons.length === 0 ? undefined : { reason: `${name}: ${reasons.join(', ')}`, by: [] };
    },
  };
}
