/** Adds to decisions why they are so, for callers that show them to people. */
import { groundsOf } from '../../../guard/cause-words.ts';
import type { Decision } from '../../../guard/types.ts';

export interface ReasonedDecision extends Decision {
  /** In words. */
  readonly reason: string;
}

/** Words the reason of a decision. */
export function reasoned(decision: Decision): ReasonedDecision {
  return { ...decision, reason: groundsOf(decision) };
}
