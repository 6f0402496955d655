/** The operator's policy of the guard; a caller may ask for the same or a stricter policy. */
import { HttpError } from '../responses/problems.ts';

/** Set at the start of the service. */
export interface GuardPolicy {
  /** The action for a text without a complete verdict. */
  readonly onError: 'block' | 'allow';
  /** Kinds of content whose masked text may pass. */
  readonly mask: readonly ('input' | 'output')[];
}

/** The default: nothing passes without a verdict, and nothing is masked in place of being blocked. */
export const STRICT: GuardPolicy = { onError: 'block', mask: [] };

/** Wishes of a caller; undefined keeps the operator's policy. */
export interface Wish {
  readonly on_error?: 'block' | 'allow' | undefined;
  readonly mask?: boolean | undefined;
  readonly timeout_ms?: number | undefined;
}

/**
 * Applies the wish of a caller.
 * @throws HttpError for a wish that is weaker than the policy: ignoring it would surprise its caller
 */
export function policyFor(policy: GuardPolicy, { on_error, mask, timeout_ms }: Wish): GuardPolicy {
  if (on_error === 'allow' && policy.onError === 'block') throw weaker('on_error', '--guard-on-error allow');
  if (mask === true && policy.mask.length === 0) throw weaker('mask', '--guard-mask input,output');
  return {
    // With a time limit of its own, a caller could let every text pass: a scan needs more than a millisecond.
    onError: timeout_ms === undefined ? (on_error ?? policy.onError) : 'block',
    mask: mask === false ? [] : policy.mask,
  };
}

function weaker(member: string, option: string): HttpError {
  return new HttpError(403, 'not-allowed', `${member} asks for less than the operator of the service has set.`, {
    hint: `Leave ${member} out. The operator can start the service with ${option}.`,
  });
}
