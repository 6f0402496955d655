/** The limits of a bulk scan: a blocked prompt is allowed only where the policy names its limit. */
import { grouped, plural, roundedBeside } from '../../text/numbers.ts';
import type { BulkEvidence } from './bulk.ts';
import { atMost, type CountLimit, type Limit } from './decide.ts';
import type { Finding } from './finding.ts';
import { type PolicyFile, placeIn } from './policy/policy.ts';

type Open = readonly Finding[];
type Check = Pick<Limit, 'check' | 'used'>;

/** Builds the limits: without a limit for all prompts, none may be blocked except by the detectors that have a limit. */
export function bulkLimits(evidence: BulkEvidence, file: PolicyFile | undefined): Limit[] {
  const { max_blocked: max, max_blocked_percent: percent, detectors = {} } = file?.policy.bulk ?? {};
  const at = (path: readonly string[], check: Check): Limit => ({
    ...(file === undefined ? { source: 'no blocked prompt' } : placeIn(file, ['bulk', ...path])),
    ...check,
  });
  return [
    ...(max === undefined ? [] : [at(['max_blocked'], countLimit(evidence, max))]),
    ...(percent === undefined ? [] : [at(['max_blocked_percent'], percentLimit(evidence, percent))]),
    ...(max === undefined && percent === undefined ? [at([], defaultLimit(evidence, Object.keys(detectors)))] : []),
    ...Object.entries(detectors).map(([detector, most]) =>
      at(['detectors', detector], detectorLimit(evidence, detector, most)),
    ),
  ];
}

function countLimit(evidence: BulkEvidence, max: number): Check {
  const above = max === 0 ? '' : `, more than ${grouped(max)}`;
  return blockedAtMost(evidence, () => true, {
    max,
    used: (blocked) => `${grouped(blocked)} of at most ${plural(max, 'blocked prompt')}`,
    reason: (blocked) => `${grouped(blocked)} of ${plural(evidence.prompts, 'prompt')} blocked${above}`,
  });
}

function percentLimit(evidence: BulkEvidence, percent: number): Check {
  const { prompts } = evidence;
  const blocked = counter(evidence, () => true);
  return atMost({
    max: percent,
    among: (open) => open,
    count: (open) => (prompts === 0 ? 0 : (100 * blocked(open)) / prompts),
    used: (share) => `${roundedBeside(share, percent)} % of at most ${percent} %`,
    reason: (share) =>
      `${roundedBeside(share, percent)} % of ${plural(prompts, 'prompt')} blocked, more than ${percent} %`,
  });
}

/** Allows no blocked prompt beyond the named detectors: a prompt that another detector blocks, too, has no limit. */
function defaultLimit(evidence: BulkEvidence, named: readonly string[]): Check {
  if (named.length === 0) return countLimit(evidence, 0);
  const isOther = (detectors: readonly string[]) =>
    detectors.length === 0 || detectors.some((detector) => !named.includes(detector));
  const beyond = `blocked, and not by ${named.join(' or ')} alone`;
  return blockedAtMost(evidence, isOther, {
    max: 0,
    used: (blocked) => `${grouped(blocked)} of at most 0 prompts ${beyond}`,
    reason: (blocked) => `${grouped(blocked)} of ${plural(evidence.prompts, 'prompt')} ${beyond}`,
  });
}

function detectorLimit(evidence: BulkEvidence, detector: string, max: number): Check {
  return blockedAtMost(evidence, (detectors) => detectors.includes(detector), {
    max,
    used: (blocked) => `${grouped(blocked)} of at most ${plural(max, 'prompt')} blocked by ${detector}`,
    reason: (blocked) => `${plural(blocked, 'prompt')} blocked by ${detector}, more than ${grouped(max)}`,
  });
}

type Fits = (detectors: readonly string[]) => boolean;

function blockedAtMost(evidence: BulkEvidence, fits: Fits, limit: Omit<CountLimit, 'among' | 'count'>): Check {
  const among = (open: Open) => open.filter(({ labels }) => fits(labels));
  return atMost({ ...limit, among, count: counter(evidence, fits) });
}

/** Counts prompts that are not accepted. The findings are the first ones of a long file; all of them count. */
function counter({ byDetectors, findings }: BulkEvidence, fits: Fits): (open: Open) => number {
  let all = 0;
  for (const [json, count] of byDetectors) if (fits(JSON.parse(json) as string[])) all += count;
  const kept = (some: Open) => some.filter(({ labels }) => fits(labels)).length;
  const first = kept(findings);
  return (open) => all - (first - kept(open));
}
