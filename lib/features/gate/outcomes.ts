/** Why a red-team scan or a model scan cannot be decided on, although it has ended. */
import { grouped, plural } from '../../text/numbers.ts';
import type { ModelScan, OutputOf, RedTeamScan } from '../commands.ts';
import { partlyRun } from '../report/refusals.ts';
import type { TestedList } from '../report/tested.ts';
import { sentencesOf } from './finding.ts';

/** Explains why the attacks of a completed scan do not decide. @param subject begins the sentences */
export function undecidedScan(job: RedTeamScan, list: TestedList, subject: string): string | undefined {
  const { tested, noun, gap } = list;
  const unanswered = tested.filter(({ outcome }) => outcome === 'unanswered').length;
  return sentencesOf(
    incompleteScan(job, list, subject),
    tested.length === 0 && gap === undefined ? `${subject} has no ${noun}s: nothing was tested.` : undefined,
    unanswered === 0
      ? undefined
      : `${subject} has no complete result: ${grouped(unanswered)} of ${plural(tested.length, noun)} ${unanswered === 1 ? 'has' : 'have'} no outcome.`,
  );
}

/** Explains why attacks of a completed scan may be missing. @param subject begins the sentences */
export function incompleteScan(
  job: RedTeamScan,
  { noun, gap }: Pick<TestedList, 'noun' | 'gap'>,
  subject: string,
): string | undefined {
  const part = partlyRun(job);
  const inSentence = subject.slice(0, 1).toLowerCase() + subject.slice(1);
  return sentencesOf(
    part === undefined ? undefined : `${subject} is COMPLETED, but not whole. ${part}`,
    gap === undefined ? undefined : `The list of ${noun}s of ${inSentence} is not complete: ${gap}`,
  );
}

export function incompleteViolations(
  { rules_failed }: ModelScan,
  { gap, incomplete, record }: OutputOf<'aisec-model-security-scans-violations'>,
): string | undefined {
  const failed = rules_failed ?? 0;
  const violations = record.violations ?? [];
  const ids = violations.map(({ uuid }) => uuid ?? undefined).filter((id) => id !== undefined);
  const named = new Set(violations.map(({ rule_instance_uuid, rule_name }) => rule_instance_uuid ?? rule_name)).size;
  const reason =
    gap ??
    (incomplete === true ? `It is cut after ${plural(violations.length, 'violation')}.` : undefined) ??
    (new Set(ids).size < ids.length ? 'The service lists one violation twice.' : undefined) ??
    (named < failed ? `${plural(failed, 'rule')} failed, and the list of violations names ${named}.` : undefined);
  return reason === undefined ? undefined : `The list of violations is not complete: ${reason}`;
}
