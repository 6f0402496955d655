/** Finds what makes the list of a red-team scan no evidence: rows are missing or of another scan, or contradict the scan. */
import { asText } from '../../core/json.ts';
import { numberOf } from '../../core/received.ts';
import { grouped, plural } from '../../text/numbers.ts';
import type { RedTeamScan } from '../commands.ts';
import { isContradicted, isPercent, SLACK } from './chance.ts';
import type { Attack, AttackRow } from './model.ts';

/** More than any scan has. A list that is cut would turn missing attacks into false differences. */
export const MAX_ROWS = 100_000;

/** What tells a list of a scan from another one. */
export type CountedScan = Partial<Pick<RedTeamScan, 'uuid' | 'total' | 'asr'>> & { readonly job_type?: unknown };

/** An attack, a goal or a prompt of the list. */
interface Row extends Pick<Attack, 'asr' | 'markedSafe'> {
  readonly id: string | undefined;
  readonly outcome: 'successful' | 'withstood' | 'unanswered';
  readonly row: AttackRow;
}

/** A list as it was read. */
export interface TestedRows {
  /** Why the service's pages do not make a whole list. */
  readonly gap?: string | undefined;
  readonly incomplete?: boolean | undefined;
  /** Number of entries, readable or not. */
  readonly entries: number;
  readonly tested: readonly Row[];
  readonly noun: string;
  /** The scan counts what the list has. A dynamic scan counts the streams of its goals. */
  readonly isCounted: boolean;
}

/** Explains in one sentence why a list is no evidence of what a completed scan found. */
export function gapIn(rows: TestedRows, job: CountedScan): string | undefined {
  return rows.gap ?? missingRows(rows, job) ?? strayRows(rows, job);
}

function missingRows(
  { incomplete, entries, tested, noun, isCounted }: TestedRows,
  { total }: CountedScan,
): string | undefined {
  if (incomplete === true || tested.length >= MAX_ROWS) return `It is cut after ${plural(tested.length, noun)}.`;
  if (tested.length < entries)
    return `It has ${grouped(entries - tested.length)} unreadable of ${plural(entries, noun)}.`;
  const expected = numberOf(total);
  if (expected === undefined) return undefined;
  if (isCounted && tested.length < expected)
    return `The service lists ${grouped(tested.length)} of ${plural(expected, noun)}.`;
  if (tested.length === 0) return expected > 0 ? `The service lists no ${noun}s.` : undefined;
  return expected > 0
    ? undefined
    : `The scan counts ${expected}, and the service lists ${plural(tested.length, noun)}.`;
}

function strayRows({ tested, noun }: TestedRows, { uuid }: CountedScan): string | undefined {
  const own = asText(uuid).toLowerCase();
  const strays = tested.filter(({ row: { job_id: job } }) => job !== undefined && job.toLowerCase() !== own);
  if (uuid !== undefined && strays.length > 0)
    return `The service lists ${plural(strays.length, noun)} of another scan.`;
  const ids = tested.map(({ id }) => id).filter((id) => id !== undefined);
  return new Set(ids).size < ids.length ? `The service lists one ${noun} twice.` : undefined;
}

/**
 * Explains that a success rate is impossible, or that the list says something else.
 * @param subject begins the sentence
 */
export function contradictionIn(
  { tested, noun, isCounted }: Pick<TestedRows, 'tested' | 'noun' | 'isCounted'>,
  { asr }: CountedScan,
  subject: string,
): string | undefined {
  const rate = numberOf(asr);
  if (rate === undefined) return undefined;
  if (isContradicted(rate)) return `${subject} has an impossible success rate: ${rate} %.`;
  const answered = tested.filter(({ outcome }) => outcome !== 'unanswered');
  const successful = answered.filter(({ outcome }) => outcome === 'successful');
  // People mark attacks as safe afterwards: whether the rate counts these is unknown.
  const sure = successful.filter(({ markedSafe }) => !markedSafe);
  const counted = { hits: successful.length, sure: sure.length, trials: answered.length, isSame: isCounted };
  const least = sure.reduce((sum, { asr: own }) => sum + (isPercent(own) ? own : 0), 0) / answered.length;
  if (!isContradicted(rate, counted) && !(isCounted && rate * SLACK < least)) return undefined;
  const found = `${grouped(successful.length)} successful of ${plural(answered.length, noun)}`;
  return `${subject} has a success rate of ${rate} %, which its list contradicts: ${found}.`;
}
