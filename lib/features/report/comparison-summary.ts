/** The parts of a comparison that its page, the terminal and programs share: numbers, wording of reasons, and JSON. */
import { asText } from '../../core/json.ts';
import { textOf } from '../../core/received.ts';
import { plural } from '../../core/text/numbers.ts';
import {
  type Chance,
  intervalJson,
  LEVEL,
  pairedChance,
  probabilityText,
  scanInterval,
  unpairedChance,
} from '../scans/chance.ts';
import type { ComparisonData, Side } from '../scans/collect/collect-comparison.ts';
import { type Comparison, outcomeOf, type Pair, type Reason, recordOf, shownOf } from '../scans/compare.ts';
import { timeOf } from '../scans/format.ts';
import type { Tested } from '../scans/tested.ts';

/** Words that follow a number of attacks. */
const REASONS: Readonly<Record<Reason, string>> = {
  'only-after': 'only in the second scan',
  'only-before': 'only in the first scan',
  changed: 'with a text that has changed',
  unanswered: 'without an answer in one of the scans',
};

const NOUNS: Readonly<Record<string, string>> = { DYNAMIC: 'goal', CUSTOM: 'prompt' };

/** Returns the noun for the tests of a scan type, such as `goal`. */
export function nounOf(type: string): string {
  return NOUNS[type] ?? 'attack';
}

/** Counts, by reason, the attacks that cannot be compared, and how many of them were successful in a scan. */
export function reasonCounts({ incomparable }: Comparison) {
  const reasons = Object.keys(REASONS) as Reason[];
  return reasons.flatMap((reason) => {
    const own = incomparable.filter((pair) => pair.reason === reason);
    return own.length === 0
      ? []
      : [{ reason, text: REASONS[reason], count: own.length, successful: own.filter(isSuccessful).length }];
  });
}

/** Reports whether an attack was successful in either scan. */
export function isSuccessful({ before, after }: Pair): boolean {
  return [before, after].some((records) => outcomeOf(records) === 'successful');
}

/**
 * Counts the attacks with an outcome in both scans, and the successful ones, so that both rates cover the same attacks.
 */
export function commonOf({ new: added, fixed, open, withstood }: Comparison) {
  return {
    attacks: added.length + fixed.length + open.length + withstood.length,
    before: fixed.length + open.length,
    after: added.length + open.length,
  };
}

/** A statistical test of the difference between two scans, and the attacks that it counted. */
export interface ScanChance extends Chance {
  /** Such as `the 6 attacks in both scans`. */
  readonly of: string;
}

/**
 * Tests whether the difference between two scans may be due to chance: compares the attacks in both scans if they are
 * at least half of the larger scan, otherwise the numbers of successful attacks.
 * @returns undefined if a scan has no attack with an answer
 */
export function chanceIn({ comparison, before, after, type }: ComparisonData): ScanChance | undefined {
  const { new: added, fixed } = comparison;
  const [first, second] = [countsOf(before), countsOf(after)];
  if (first.trials === 0 || second.trials === 0) return undefined;
  const { attacks } = commonOf(comparison);
  const noun = nounOf(type);
  if (attacks * 2 >= Math.max(first.trials, second.trials))
    return { ...pairedChance(added.length, fixed.length), of: `the ${plural(attacks, noun)} in both scans` };
  return { ...unpairedChance(first, second), of: `all ${noun}s` };
}

function countsOf({ tested }: Side) {
  const answered = tested.filter(({ outcome }) => outcome !== 'unanswered');
  return { hits: answered.filter(({ outcome }) => outcome === 'successful').length, trials: answered.length };
}

/** Formats the outcome of the test, such as `within chance: p = 0.5, exact McNemar test of the 6 attacks in both scans`. */
export function chanceText({ within, p, test, of }: ScanChance): string {
  return `${within ? 'within chance' : 'larger than chance'}: ${probabilityText(p)}, ${test} of ${of}`;
}

/** Returns the difference between two numbers with at most two decimals; undefined if either is unknown. */
export function changeOf(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : Number((after - before).toFixed(2));
}

/** Lists notes for the reader, for example on different targets or the order of the scans. */
export function remarksOn({ before, after, sameTarget }: ComparisonData): readonly string[] {
  const name = ({ job }: Side) => textOf(job.target_name) ?? 'unnamed';
  const at = ({ job }: Side) => timeOf(job.completed_at) ?? 0;
  return [
    sameTarget ? undefined : `The scans attacked two targets: ${name(before)} and ${name(after)}.`,
    at(before) > at(after)
      ? 'The first scan is the newer one; to see what is new since then, name the earlier one first.'
      : undefined,
  ].filter((remark) => remark !== undefined);
}

export function comparisonJson(data: ComparisonData) {
  const { type, before, after, comparison, histories, missing, simulated } = data;
  const { new: added, fixed, open, withstood, incomparable } = comparison;
  return {
    type,
    before: sideJson(before),
    after: sideJson(after),
    change: { asr: changeOf(before.asr, after.asr) ?? null, score: changeOf(before.score, after.score) ?? null },
    chance: chanceJson(chanceIn(data)),
    counts: {
      new: added.length,
      fixed: fixed.length,
      open: open.length,
      withstood: withstood.length,
      notComparable: incomparable.length,
    },
    common: commonOf(comparison),
    new: added.map(pairJson),
    fixed: fixed.map(pairJson),
    open: open.map(pairJson),
    withstood: withstood.map(pairJson),
    notComparable: incomparable.map((pair) => ({ reason: pair.reason, ...pairJson(pair) })),
    history: histories.map(({ target, points }) => ({
      target: target ?? null,
      scans: points.map(({ id, name, finishedAt, asr, interval, score }) => ({
        uuid: id,
        name: name ?? null,
        finishedAt: finishedAt ?? null,
        asr: asr ?? null,
        asrInterval: intervalJson(interval),
        score: score ?? null,
      })),
    })),
    remarks: remarksOn(data),
    missing: missing.map(({ what, why }) => ({ what, why })),
    ...(simulated ? { simulated } : {}),
  };
}

function chanceJson(chance: ScanChance | undefined) {
  if (chance === undefined) return null;
  const { test, p, within, of } = chance;
  return { test, p, level: LEVEL, within, of };
}

function sideJson({ job, asr, score, tested }: Side) {
  return {
    uuid: asText(job.uuid),
    name: textOf(job.name) ?? null,
    target: textOf(job.target_name) ?? null,
    targetId: textOf(job.target_id) ?? null,
    finishedAt: textOf(job.completed_at) ?? null,
    asr: asr ?? null,
    asrInterval: intervalJson(scanInterval({ ...job, asr })),
    score: score ?? null,
    attacks: tested.length,
    successful: tested.filter(({ outcome }) => outcome === 'successful').length,
  };
}

function pairJson(pair: Pair) {
  const { severity, where = [], text } = shownOf(pair) ?? {};
  return {
    severity: severity ?? null,
    kind: where,
    text: text ?? null,
    before: recordJson(recordOf(pair.before)),
    after: recordJson(recordOf(pair.after)),
  };
}

function recordJson(tested: Tested | undefined) {
  if (tested === undefined) return null;
  const { id, outcome, asr, markedSafe } = tested;
  return { id: id ?? null, outcome, asr: asr ?? null, ...(markedSafe ? { markedSafe } : {}) };
}
