/** The verdict of a gate, which becomes an exit code, a screen, and report files. */
import type { Finding } from './finding.ts';
import type { Acceptance } from './policy/schema.ts';

/** The effect of a finding: it broke a limit, deserves a look, or is there for the record. */
export type Level = 'failure' | 'warning' | 'note';

export interface DecidedFinding extends Finding {
  readonly level: Level;
  /** The limit that it broke, or the acceptance that spared it: an option, or a line of the policy. */
  readonly because?: string;
  readonly accepted?: Acceptance;
}

/** A limit and its outcome. */
export interface Outcome {
  /** Where the limit stands: `--fail-on high`, or `aisec-policy.yml:5, redteam.fail_on`. */
  readonly source: string;
  /** Its line in the policy. */
  readonly place?: Finding['place'];
  /** The used part, such as `1 of at most 20 successful attacks`. */
  readonly used?: string;
  /** Why it is broken; absent if it holds. */
  readonly broken?: string;
  /** The limit concerns the result as a whole: no finding stands for it. */
  readonly isWhole?: boolean;
}

export interface BaselineCounts {
  /** Identifier of the scan that is the baseline. */
  readonly job: string;
  /** Withstood in the baseline. */
  readonly newlySuccessful: number;
  /** Successful, and without an outcome in the baseline. */
  readonly withoutOutcome: number;
  readonly open: number;
  readonly fixed: number;
  /** Successful in the baseline, and without an outcome now. */
  readonly lost: number;
}

export interface Verdict {
  /** Such as `model 5f0c...`. */
  readonly subject: string;
  readonly failed: boolean;
  /** Why there is no reliable verdict. It is never a pass. */
  readonly unfinished?: string;
  /** A sentence for people. */
  readonly summary: string;
  /** Findings that broke a limit come first, then the worst. */
  readonly findings: readonly DecidedFinding[];
  readonly limits: readonly Outcome[];
  /** Warnings about the policy, for people. */
  readonly notes?: readonly string[];
  readonly baseline?: BaselineCounts;
  /** The verdicts came from the simulated service, not from a tenant. */
  readonly simulated?: boolean;
}
