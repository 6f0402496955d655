/** Why a red-team scan or a model scan cannot be decided on, although it has ended. */
import { type JsonObject, objectsOf } from '../../engine/json.ts';
import type { CommandOutput } from '../../engine/run-command.ts';
import { grouped, plural } from '../../text/numbers.ts';
import { partlyRun } from '../report/refusals.ts';
import type { TestedList } from '../report/tested.ts';

/**
 * Explains why the attacks of a completed scan do not decide.
 * @param job output of `aisec-redteam-scan-get`
 * @param subject begins the sentences
 */
export function undecidedScan(job: JsonObject, list: TestedList, subject: string): string | undefined {
  const { tested, noun, gap } = list;
  const unanswered = tested.filter(({ outcome }) => outcome === 'unanswered').length;
  const reasons = [
    incompleteScan(job, list, subject),
    tested.length === 0 && gap === undefined ? `${subject} has no ${noun}s: nothing was tested.` : undefined,
    unanswered === 0
      ? undefined
      : `${subject} has no complete result: ${grouped(unanswered)} of ${plural(tested.length, noun)} ${unanswered === 1 ? 'has' : 'have'} no outcome.`,
  ];
  return joined(reasons);
}

/** Explains why attacks of a completed scan may be missing. */
export function incompleteScan(
  job: JsonObject,
  { noun, gap }: Pick<TestedList, 'noun' | 'gap'>,
  subject: string,
): string | undefined {
  const part = partlyRun(job);
  return joined([
    part === undefined ? undefined : `${subject} is COMPLETED, but not whole. ${part}`,
    gap === undefined ? undefined : `The list of ${noun}s of ${lowered(subject)} is not complete: ${gap}`,
  ]);
}

/**
 * Explains why violations of a model scan may be missing.
 * @param scan output of `aisec-model-security-scans-get`
 * @param found output of `aisec-model-security-scans-violations`
 */
export function incompleteViolations(scan: JsonObject, { gap, incomplete, record }: CommandOutput): string | undefined {
  const violations = objectsOf(record['violations']);
  const failed = Number(scan['rules_failed'] ?? 0);
  const ids = violations.map(({ uuid }) => uuid).filter((id) => id !== undefined && id !== null);
  const named = new Set(violations.map(({ rule_instance_uuid, rule_name }) => rule_instance_uuid ?? rule_name)).size;
  const reason =
    gap ??
    (incomplete === true ? `It is cut after ${plural(violations.length, 'violation')}.` : undefined) ??
    (new Set(ids).size < ids.length ? 'The service lists one violation twice.' : undefined) ??
    (named < failed ? `${plural(failed, 'rule')} failed, and the list of violations names ${named}.` : undefined);
  return reason === undefined ? undefined : `The list of violations is not complete: ${reason}`;
}

function joined(reasons: readonly (string | undefined)[]): string | undefined {
  const known = reasons.filter((reason) => reason !== undefined);
  return known.length === 0 ? undefined : known.join(' ');
}

function lowered(subject: string): string {
  return subject.slice(0, 1).toLowerCase() + subject.slice(1);
}
