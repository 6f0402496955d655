/** Refuses limits that a kind of red-team scan can never break: they would pass whatever the scan found. */
import { UsageError } from '../../core/errors.ts';
import { asText } from '../../core/json.ts';
import type { RedTeamScan } from '../commands.ts';
import { GOALS, knownName } from './policy/names.ts';
import { type AttackLimit, type PolicyFile, placeIn } from './policy/policy.ts';
import type { RedTeamOptions } from './red-team-limits.ts';

const COUNTS = 'Use --max-asr N, or in the policy redteam.max_asr_percent or redteam.limits with max_successful alone';

/** Limits that decide instead, by type of scan. */
const INSTEAD: Readonly<Record<string, string>> = {
  CUSTOM: `${COUNTS}.`,
  DYNAMIC: `${COUNTS} or with the type of a goal as its category: ${GOALS.join(', ')}.`,
};

/**
 * Refuses limits by severity, category or framework where the service gives none.
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
