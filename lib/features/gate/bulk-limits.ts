/** The limits of a bulk scan: a blocked prompt is allowed only where the policy names its limit. */
import { grouped, plural } from '../../text/numbers.ts';
import type { BulkEvidence } from './bulk.ts';
import type { Limit } from './decide.ts';
import type { Finding } from './finding.ts';
import { type PolicyFile, placeIn } from './policy/policy.ts';

type Open = readonly Finding[];

/** Builds the limits: without a limit for all prompts, none may be blocked except by the detectors that have a limit. */
export function bulkLimits(evidence: BulkEvidence, file: PolicyFile | undefined): Limit[] {
  const { max_blocked: max, max_blocked_percent: percent, detectors = {} } = file?.policy.bulk ?? {};
  const source = (...path: readonly string[]) =>
    file === undefined ? { source: 'no blocked prompt' } : placeIn(file, ['bulk', ...path]);
  const limits: Limit[] = [];
  if (max !== undefined) limits.push({ ...source('max_blocked'), ...countLimit(evidence, max) });
  if (percent !== undefined) limits.push({ ...source('max_blocked_percent'), ...percentLimit(evidence, percent) });
  if (max === undefined && percent === undefined)
    limits.push({ ...source(), ...defaultLimit(evidence, Object.keys(detectors)) });
  for (const [detector, most] of Object.entries(detectors))
    limits.push({ ...source('detectors', detector), ...detectorLimit(evidence, detector, most) });
  return limits;
}

type Check = Required<Pick<Limit, 'check' | 'used'>>;

function countLimit(evidence: BulkEvidence, max: number): Check {
  const blocked = counter(evidence, () => true);
  return {
    used: (open) => `${grouped(blocked(open))} of at most ${plural(max, 'blocked prompt')}`,
    check: (open) => {
      const above = max === 0 ? '' : `, more than ${grouped(max)}`;
      const reason = `${grouped(blocked(open))} of ${plural(evidence.prompts, 'prompt')} blocked${above}`;
      return blocked(open) > max ? { reason, by: open } : undefined;
    },
  };
}

function percentLimit(evidence: BulkEvidence, percent: number): Check {
  const { prompts } = evidence;
  const blocked = counter(evidence, () => true);
  const share = (open: Open) => (prompts === 0 ? 0 : (100 * blocked(open)) / prompts);
  const rounded = (open: Open) => Number(share(open).toFixed(2));
  return {
    used: (open) => `${rounded(open)} % of at most ${percent} %`,
    check: (open) => {
      const reason = `${rounded(open)} % of ${plural(prompts, 'prompt')} blocked, more than ${percent} %`;
      return share(open) > percent ? { reason, by: open } : undefined;
    },
  };
}

/** Allows no blocked prompt beyond the named detectors: a prompt that another detector blocks, too, has no limit. */
function defaultLimit(evidence: BulkEvidence, named: readonly string[]): Check {
  if (named.length === 0) return countLimit(evidence, 0);
  const isOther = (detectors: readonly string[]) =>
    detectors.length === 0 || detectors.some((detector) => !named.includes(detector));
  const blocked = counter(evidence, isOther);
  const beyond = `blocked, and not by ${named.join(' or ')} alone`;
  return {
    used: (open) => `${grouped(blocked(open))} of at most 0 prompts ${beyond}`,
    check: (open) => {
      const reason = `${grouped(blocked(open))} of ${plural(evidence.prompts, 'prompt')} ${beyond}`;
      return blocked(open) > 0 ? { reason, by: open.filter(({ labels }) => isOther(labels)) } : undefined;
    },
  };
}

function detectorLimit(evidence: BulkEvidence, detector: string, most: number): Check {
  const isBy = (detectors: readonly string[]) => detectors.includes(detector);
  const blocked = counter(evidence, isBy);
  return {
    used: (open) => `${grouped(blocked(open))} of at most ${plural(most, 'prompt')} blocked by ${detector}`,
    check: (open) => {
      const reason = `${plural(blocked(open), 'prompt')} blocked by ${detector}, more than ${grouped(most)}`;
      return blocked(open) > most ? { reason, by: open.filter(({ labels }) => isBy(labels)) } : undefined;
    },
  };
}

/** Counts prompts that are not accepted. The findings are the first ones of a long file; all of them count. */
function counter({ byDetectors, findings }: BulkEvidence, fits: (detectors: readonly string[]) => boolean) {
  let all = 0;
  for (const [json, count] of byDetectors) {
    const detectors: unknown = JSON.parse(json);
    if (Array.isArray(detectors) && fits(detectors.map(String))) all += count;
  }
  const kept = (some: Open) => some.filter(({ labels }) => fits(labels)).length;
  const first = kept(findings);
  return (open: Open) => all - (first - kept(open));
}
