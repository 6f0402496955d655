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

/** Explains why attacks of a completed scan may be missing, or are not those of its rate. @param subject begins the sentences */
export function incompleteScan(
  job: RedTeamScan,
  { noun, gap, contradiction }: Pick<TestedList, 'noun' | 'gap' | 'contradiction'>,
  subject: string,
): string | undefined {
  const part = partlyRun(job);
  const inSentence = subject.slice(0, 1).toLowerCase() + subject.slice(1);
  return sentencesOf(
    part === undefined ? undefined : `${subject} is COMPLETED, but not whole. ${part}`,
    gap === undefined ? contradiction(subject) : `The list of ${noun}s of ${inSentence} is not complete: ${gap}`,
  );
}

/** Explains that the service sent the wrong scan, or does not say which scan it sent. */
export function otherScan(
  asked: string,
  { uuid }: { readonly uuid?: string | null | undefined },
  noun: string,
): string | undefined {
  if (typeof uuid !== 'string') return `The service does not say whether it sent the ${noun} ${asked}.`;
  if (uuid.toLowerCase() === asked.toLowerCase()) return undefined;
  return `The service sent another scan than the ${noun} ${asked}: ${uuid}.`;
}

/** Explains why a model scan with an outcome does not decide: it reports an error, or did not run its rules on any file. */
export function unexamined(scan: ModelScan): string | undefined {
  const { error_code, error_message, total_rules, enabled_rule_count_snapshot: enabled } = scan;
  const { rules_passed, rules_failed, total_files_scanned: files } = scan;
  const error = [error_code, error_message].filter(Boolean).join(': ');
  const rules = total_rules || (enabled ?? 0);
  const [passed, failed] = [rules_passed ?? 0, rules_failed ?? 0];
  const ran = passed + failed;
  return sentencesOf(
    error === '' ? undefined : `The scan reports an error: ${error}.`,
    ran > 0 && ran === rules ? undefined : `The scan ran ${grouped(ran)} of ${plural(rules, 'rule')}.`,
    enabled === undefined || enabled === null || enabled === rules
      ? undefined
      : `The scan counts ${plural(rules, 'rule')}, and its group has ${grouped(enabled)} enabled.`,
    failed < 0 ? `The scan counts ${plural(failed, 'failed rule')}.` : undefined,
    (files ?? 0) > 0 ? undefined : noFiles(files),
  );
}

function noFiles(files: ModelScan['total_files_scanned']): string {
  return typeof files === 'number' ? 'No file was scanned.' : 'The scan does not say how many files it scanned.';
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
