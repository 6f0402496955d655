/**
 * Compares two red-team scans attack by attack. Two attacks are the same if the target was sent the same text; shared
 * identifiers of the service tell apart attacks with equal texts, and recognize an attack whose text has changed.
 */
import { worstFirst } from './rank-attacks.ts';
import type { Outcome, Tested } from './tested.ts';

/** The records of one attack in both scans; a scan may contain it several times or not at all. */
export interface Pair {
  readonly before: readonly Tested[];
  readonly after: readonly Tested[];
}

/** Why the outcomes of a pair cannot be compared. */
export type Reason = 'only-before' | 'only-after' | 'changed' | 'unanswered';

export interface Incomparable extends Pair {
  readonly reason: Reason;
}

/** Every attack of both scans is in exactly one of these lists, worst first. */
export interface Comparison {
  /** Withstood before, successful now. */
  readonly new: readonly Pair[];
  /** Successful before, withstood now. */
  readonly fixed: readonly Pair[];
  readonly open: readonly Pair[];
  readonly withstood: readonly Pair[];
  readonly incomparable: readonly Incomparable[];
}

/** Returns a key that all records of one attack share; undefined if the record cannot be matched this way. */
type KeyOf = (tested: Tested) => string | undefined;

/** From the safest match to the loosest; a record that is matched once is not matched again. */
const KEYS: readonly KeyOf[] = [
  (tested) => joined(tested.sharedId, tested.group, textKey(tested)),
  (tested) => joined(tested.group, textKey(tested)),
  ({ sharedId }) => sharedId,
];

export function compareTested(before: readonly Tested[], after: readonly Tested[]): Comparison {
  const pairs = matched(before, after);
  const comparable: Record<Change, Pair[]> = { new: [], fixed: [], open: [], withstood: [] };
  const incomparable: Incomparable[] = [];
  for (const pair of pairs) {
    const reason = reasonOf(pair);
    if (reason === undefined) comparable[changeOf(pair)].push(pair);
    else incomparable.push({ ...pair, reason });
  }
  return {
    new: sorted(comparable.new),
    fixed: sorted(comparable.fixed),
    open: sorted(comparable.open),
    withstood: sorted(comparable.withstood),
    incomparable: sorted(incomparable),
  };
}

function matched(before: readonly Tested[], after: readonly Tested[]): Pair[] {
  const pairs: Pair[] = [];
  let [left, right] = [before, after];
  for (const keyOf of KEYS) {
    const [own, others] = [grouped(left, keyOf), grouped(right, keyOf)];
    for (const [key, records] of own) {
      const same = others.get(key);
      if (same !== undefined) pairs.push({ before: records, after: same });
    }
    const isAlone = (among: ReadonlyMap<string, unknown>) => (tested: Tested) => {
      const key = keyOf(tested);
      return key === undefined || !among.has(key);
    };
    [left, right] = [left.filter(isAlone(others)), right.filter(isAlone(own))];
  }
  return [
    ...pairs,
    ...left.map((tested) => ({ before: [tested], after: [] })),
    ...right.map((tested) => ({ before: [], after: [tested] })),
  ];
}

function grouped(all: readonly Tested[], keyOf: KeyOf): ReadonlyMap<string, readonly Tested[]> {
  const groups = new Map<string, Tested[]>();
  for (const tested of all) {
    const key = keyOf(tested);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [tested]);
    else group.push(tested);
  }
  return groups;
}

function joined(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : JSON.stringify(parts);
}

/** Normalises white space and accents, which do not distinguish attacks. */
export function textKey({ text }: Pick<Tested, 'text'>): string | undefined {
  return text?.normalize('NFC').replace(/\s+/g, ' ').trim();
}

function reasonOf({ before, after }: Pair): Reason | undefined {
  if (after.length === 0) return 'only-before';
  if (before.length === 0) return 'only-after';
  const texts = new Set(before.map(textKey));
  if (!after.some((tested) => texts.has(textKey(tested)))) return 'changed';
  return [before, after].some((records) => outcomeOf(records) === 'unanswered') ? 'unanswered' : undefined;
}

type Change = Exclude<keyof Comparison, 'incomparable'>;

function changeOf({ before, after }: Pair): Change {
  const hit = outcomeOf(after) === 'successful';
  if (outcomeOf(before) === 'successful') return hit ? 'open' : 'fixed';
  return hit ? 'new' : 'withstood';
}

/** Returns the outcome of an attack, which a scan may contain several times: one success is enough. */
export function outcomeOf(records: readonly Tested[]): Outcome | undefined {
  const outcomes = records.map(({ outcome }) => outcome);
  const ranked: readonly Outcome[] = ['successful', 'withstood'];
  return ranked.find((outcome) => outcomes.includes(outcome)) ?? outcomes[0];
}

/** Returns the record that represents an attack: the record with the worst outcome. */
export function recordOf(records: readonly Tested[]): Tested | undefined {
  const outcome = outcomeOf(records);
  return records.find((tested) => tested.outcome === outcome);
}

/** Returns the record that describes a pair: preferably a successful record, from the later scan. */
export function shownOf({ before, after }: Pair): Tested | undefined {
  const records = [recordOf(after), recordOf(before)].filter((record) => record !== undefined);
  return records.find(({ outcome }) => outcome === 'successful') ?? records[0];
}

function sorted<P extends Pair>(pairs: readonly P[]): P[] {
  const ranked = pairs.map((pair) => {
    const { severity, asr, markedSafe = false } = shownOf(pair) ?? {};
    return { pair, severity, asr, markedSafe };
  });
  return worstFirst(ranked).map(({ pair }) => pair);
}
