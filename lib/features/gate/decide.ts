/** Checks every limit against the findings, and marks the findings that break a limit. */
import { didYouMean } from '../../runtime/arguments/suggest.ts';
import type { Interval } from '../scans/chance.ts';
import { type Finding, isAtLeast, SEVERITIES, sentencesOf } from './finding.ts';
import { type Acceptance, type LimitPlace, type PolicyFile, placeIn } from './policy/policy.ts';

/** Effect of a finding: it broke a limit, deserves a look, or is only recorded. */
export type Level = 'failure' | 'warning' | 'note';

export interface DecidedFinding extends Finding {
  readonly level: Level;
  /** The limit that the finding broke, or the entry that accepted it: an option, or a line of the policy. */
  readonly because?: string;
  readonly accepted?: Acceptance;
}

/** A limit and its outcome. */
export interface Outcome {
  /** Where the limit is set: `--fail-on high`, or `aisec-policy.yml:5, redteam.fail_on`. */
  readonly source: string;
  /** Its line in the policy. */
  readonly place?: Finding['place'];
  /** How much of the limit is used, such as `1 of at most 20 successful attacks`. */
  readonly used?: string;
  /** Why the limit is broken; absent if it holds. */
  readonly broken?: string;
  /** Why the limit cannot be checked, in one sentence. */
  readonly doubt?: string;
  /** The limit concerns the result as a whole, not any one finding. */
  readonly isWhole?: boolean;
}

export interface BaselineCounts {
  /** Identifier of the scan that is the baseline. */
  readonly job: string;
  /** Successful now, withstood in the baseline. */
  readonly newlySuccessful: number;
  /** Successful now, without an outcome in the baseline. */
  readonly withoutOutcome: number;
  readonly open: number;
  readonly fixed: number;
  /** Successful in the baseline, and without an outcome now. */
  readonly lost: number;
}

/** Sentences that describe a result. */
interface Sentences {
  /** One sentence about a result that is within all limits. */
  readonly passed: string;
  /** One sentence that follows every decision. */
  readonly remark?: string;
  /** Why the result is incomplete: then there is no verdict unless a limit is broken. */
  readonly unfinished?: string | undefined;
}

/** Names the result for a screen whose first line already says what was judged, so that the subject is only the id. */
interface Named {
  /** Such as `model`. */
  readonly kind: string;
  readonly id: string;
  readonly address: string;
  /** The summary without the address. */
  readonly summary: string;
}

/** The decision, which becomes an exit code, a screen, and report files. */
export interface Verdict {
  /** Such as `model 5f0c...`. */
  readonly subject: string;
  /** The command that shows the result, for hints. */
  readonly see?: string;
  readonly failed: boolean;
  /** Why there is no reliable verdict; the gate then never passes. */
  readonly unfinished?: string;
  /** A sentence for people. */
  readonly summary: string;
  readonly named?: Named;
  /** Findings that broke a limit come first, then the most severe. */
  readonly findings: readonly DecidedFinding[];
  readonly limits: readonly Outcome[];
  /** Warnings about the policy, for people. */
  readonly notes?: readonly string[];
  readonly baseline?: BaselineCounts;
  readonly rate?: Rate;
  /** The verdicts came from the simulated service, not from a tenant. */
  readonly simulated?: boolean;
}

/** The input of a decision. */
export interface Evidence extends Sentences {
  readonly subject: string;
  /** The command that shows the result, for hints. */
  readonly see?: string;
  readonly findings: readonly Finding[];
  /** A name for the result, with the sentences that change if they leave out the address. */
  readonly named?: Omit<Named, 'summary'> & Omit<Sentences, 'remark'>;
  readonly baseline?: BaselineCounts;
  readonly rate?: Rate;
  readonly simulated?: boolean;
}

/** Attack success rate of the whole scan in percent, with its interval if known. */
export interface Rate {
  readonly asr: number;
  readonly interval?: Interval;
}

export interface Limit {
  /** Where the limit is set, for messages. */
  readonly source: string;
  /** Its line in the policy. */
  readonly place?: LimitPlace['place'];
  /** @param open findings that the policy does not accept. @returns undefined if the limit holds */
  check(open: readonly Finding[]): Broken | undefined;
  /** Returns how much of the limit is used, such as `1 of at most 20 successful attacks`. */
  readonly used?: (open: readonly Finding[]) => string;
  /** Explains in one sentence why the limit cannot be checked; called only if the limit is not broken. */
  readonly doubt?: (open: readonly Finding[]) => string | undefined;
}

export interface Broken {
  /** Such as `3 successful attacks are high or worse`. */
  readonly reason: string;
  /** The reason, for use next to the address of the result. */
  readonly brief?: string;
  /** The findings that broke the limit; empty if the limit concerns the result as a whole. */
  readonly by: readonly Finding[];
}

export interface CountLimit {
  readonly max: number;
  readonly among: (open: readonly Finding[]) => readonly Finding[];
  /** Counts the findings. Needed only if some that count were not kept. */
  readonly count?: (open: readonly Finding[]) => number;
  readonly reason: (count: number) => string;
  readonly brief?: (count: number) => string;
  readonly used?: (count: number) => string;
}

export function atMost({
  max,
  among,
  count = (open) => among(open).length,
  reason,
  brief = reason,
  used,
}: CountLimit): Pick<Limit, 'check' | 'used'> {
  return {
    ...(used === undefined ? {} : { used: (open) => used(count(open)) }),
    check: (open) => {
      const found = count(open);
      return found > max ? { reason: reason(found), brief: brief(found), by: among(open) } : undefined;
    },
  };
}

export interface Terms {
  readonly limits: readonly Limit[];
  readonly policy?: PolicyFile | undefined;
  /** In milliseconds since the epoch: acceptances expire. */
  readonly now: number;
}

interface Checked {
  readonly limit: Limit;
  readonly broken: Broken | undefined;
  readonly doubt: string | undefined;
}

export function decide(evidence: Evidence, { limits, policy, now }: Terms): Verdict {
  const { subject, findings, named, baseline, rate, simulated } = evidence;
  const today = new Date(now).toISOString().slice(0, 10);
  const acceptances = acceptancesIn(policy);
  const acceptanceOf = ({ fingerprint }: Finding) => {
    const acceptance = acceptances.get(fingerprint);
    return acceptance === undefined || acceptance.accepted.expires < today ? undefined : acceptance;
  };
  const open = findings.filter((finding) => acceptanceOf(finding) === undefined);
  const checked = [...limits, ...expiries(acceptances, today)].map((limit): Checked => {
    const broken = limit.check(open);
    return { limit, broken, doubt: broken === undefined ? limit.doubt?.(open) : undefined };
  });
  const unsure = <S extends Sentences>(sentences: S): S => ({
    ...sentences,
    unfinished: sentencesOf(sentences.unfinished, ...new Set(checked.map(({ doubt }) => doubt))),
  });
  const { unfinished } = unsure(evidence);
  const broken = checked.flatMap((each) => each.broken ?? []);
  const failed = broken.length > 0;
  const accepted = findings.length - open.length;
  const notes = unfinished === undefined ? unmatched(acceptances, findings) : [];
  const reasons = broken.map(({ reason }) => reason);
  const briefs = broken.map(({ reason, brief = reason }) => brief);
  return {
    subject,
    ...(evidence.see === undefined ? {} : { see: evidence.see }),
    failed,
    ...(unfinished === undefined || failed ? {} : { unfinished }),
    summary: summaryOf(reasons, unsure(evidence), accepted),
    ...(named === undefined
      ? {}
      : {
          named: {
            kind: named.kind,
            id: named.id,
            address: named.address,
            summary: summaryOf(briefs, unsure({ ...evidence, ...named }), accepted),
          },
        }),
    findings: decidedFindings(findings, checked, acceptanceOf),
    limits: checked.map((each) => outcomeOf(each, open)),
    ...(notes.length === 0 ? {} : { notes }),
    ...(baseline === undefined ? {} : { baseline }),
    ...(rate === undefined ? {} : { rate }),
    ...(simulated === true ? { simulated } : {}),
  };
}

/** Writes the sentences for people. @param reasons why limits are broken */
function summaryOf(reasons: readonly string[], { passed, unfinished, remark }: Sentences, accepted: number): string {
  const failed = reasons.length > 0;
  const sentences = sentencesOf(
    failed ? `${reasons.join('; ')}.` : (unfinished ?? passed),
    failed ? unfinished : undefined,
    accepted === 0 ? undefined : `${accepted} accepted by the policy.`,
    remark,
  );
  return sentences ?? '';
}

function decidedFindings(
  findings: readonly Finding[],
  checked: readonly Checked[],
  acceptanceOf: (finding: Finding) => Located | undefined,
): DecidedFinding[] {
  const blame = new Map<Finding, string>();
  for (const { limit, broken } of checked) {
    for (const finding of broken?.by ?? []) if (!blame.has(finding)) blame.set(finding, limit.source);
  }
  const decided = findings.map((finding): DecidedFinding => {
    const acceptance = acceptanceOf(finding);
    if (acceptance !== undefined)
      return { ...finding, level: 'note', because: acceptance.source, accepted: acceptance.accepted };
    const because = blame.get(finding);
    return because === undefined ? { ...finding, level: levelOf(finding) } : { ...finding, level: 'failure', because };
  });
  return decided.sort(byRank);
}

function outcomeOf({ limit: { source, place, used }, broken, doubt }: Checked, open: readonly Finding[]): Outcome {
  return {
    source,
    ...(place === undefined ? {} : { place }),
    ...(used === undefined ? {} : { used: used(open) }),
    ...(doubt === undefined ? {} : { doubt }),
    ...(broken === undefined ? {} : { broken: broken.reason, isWhole: broken.by.length === 0 }),
  };
}

interface Located extends LimitPlace {
  readonly accepted: Acceptance;
}

function acceptancesIn(policy: PolicyFile | undefined): ReadonlyMap<string, Located> {
  if (policy === undefined) return new Map();
  const all = policy.policy.accepted ?? [];
  return new Map(all.map((accepted, at) => [accepted.finding, { accepted, ...placeIn(policy, ['accepted', at]) }]));
}

/**
 * Lists the acceptances that match no finding, because they are misspelt or about another result, or because the finding is
 * fixed.
 */
function unmatched(acceptances: ReadonlyMap<string, Located>, findings: readonly Finding[]): string[] {
  const known = [...new Set(findings.map(({ fingerprint }) => fingerprint))];
  return [...acceptances.values()]
    .filter(({ accepted: { finding } }) => !known.includes(finding))
    .map(({ accepted: { finding }, source }) => {
      const near = didYouMean(finding, known);
      return `${source} matches no finding of this result: ${finding}.${near === undefined ? '' : ` ${near}`}`;
    });
}

/** An expired acceptance fails the gate, whatever the other limits allow: its owner promised a review by that day. */
function expiries(acceptances: ReadonlyMap<string, Located>, today: string): Limit[] {
  return [...acceptances.values()]
    .filter(({ accepted: { expires } }) => expires < today)
    .map(({ accepted: { finding: fingerprint, expires, owner }, ...where }) => ({
      ...where,
      ...atMost({
        max: 0,
        among: (open) =>
          open.filter((finding) => finding.fingerprint === fingerprint && finding.baselineState !== 'absent'),
        reason: () => `the acceptance of ${fingerprint} by ${owner} expired on ${expires}`,
      }),
    }));
}

/** Only findings that broke a limit are failures. */
function levelOf(finding: Finding): Level {
  if (finding.baselineState === 'absent') return 'note';
  return isAtLeast('medium')(finding) ? 'warning' : 'note';
}

const LEVELS: readonly Level[] = ['failure', 'warning', 'note'];

function byRank(one: DecidedFinding, other: DecidedFinding): number {
  const level = LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level);
  return level === 0 ? SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) : level;
}
