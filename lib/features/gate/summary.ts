/** Writes what a gate has decided in sentences for people. */
import { sentencesOf } from './finding.ts';

/** The sentences of a result. */
export interface Sentences {
  /** One sentence about a result that holds all limits. */
  readonly passed: string;
  /** One sentence that follows every decision. */
  readonly remark?: string;
  /** Why the result is not complete: without a broken limit there is no verdict. */
  readonly unfinished?: string | undefined;
}

/** The result as a screen names it whose first line says what was judged: the subject has its id alone. */
export interface Named {
  /** Such as `model`. */
  readonly kind: string;
  readonly id: string;
  readonly address: string;
  /** The summary without the address. */
  readonly summary: string;
}

/** Writes the sentences for people. @param reasons of the limits that are broken */
export function summaryOf(
  reasons: readonly string[],
  { passed, unfinished, remark }: Sentences,
  accepted: number,
): string {
  const failed = reasons.length > 0;
  const sentences = sentencesOf(
    failed ? `${reasons.join('; ')}.` : (unfinished ?? passed),
    failed ? unfinished : undefined,
    accepted === 0 ? undefined : `${accepted} accepted by the policy.`,
    remark,
  );
  return sentences ?? '';
}

/** Adds the summary without the address. */
export function namedOf({ kind, id, address }: Omit<Named, 'summary'>, summary: string): Named {
  return { kind, id, address, summary };
}
