/** Interprets failed scans, and combines decisions about one text. */
import type { Cause, ContentKind, Decision } from './types.ts';

/** Causes for which the options may let content pass: the service is unavailable. No other cause lets content pass. */
export const FOLLOWS: readonly Cause[] = ['rate-limit', 'timeout', 'network', 'service', 'incomplete'];

/** Maps error codes to causes. A code that is missing here means that the caller made a mistake. */
const BY_CODE = new Map<unknown, Cause>([
  ['authentication', 'authentication'],
  // An untrusted certificate may mean an eavesdropper, so content never passes.
  ['tls', 'authentication'],
  ['permission', 'permission'],
  ['quota', 'quota'],
  ['rate-limit', 'rate-limit'],
  ['timeout', 'timeout'],
  ['network', 'network'],
  ['proxy', 'network'],
  // An unreadable answer may be a refusal.
  ['response', 'malformed'],
  ['service', 'service'],
  ['cancelled', 'cancelled'],
  ['precondition', 'profile'],
  ['not-found', 'profile'],
  ['conflict', 'profile'],
]);

/** A failure with a known cause. */
export class Unscanned extends Error {
  readonly reason: Cause;

  constructor(reason: Cause) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Runs code that the caller controls, such as reading content.
 * @throws Unscanned with `reason`, unless the error is already one: the caller's error must not pass because it looks
 * like a network error
 */
export function blamed<Value>(reason: Cause, work: () => Value): Value {
  try {
    return work();
  } catch (thrown) {
    throw thrown instanceof Unscanned ? thrown : new Unscanned(reason);
  }
}

/** Finds the cause of an error; goes by `code`, because two copies of the library may be loaded. */
export function causeOf(thrown: unknown): Cause {
  try {
    return thrown instanceof Unscanned ? thrown.reason : causeIn(thrown);
  } catch {
    // An unreadable value, such as undefined or a revoked proxy.
    return 'usage';
  }
}

function causeIn(thrown: unknown): Cause {
  const { code, status, message } = thrown as { code?: unknown; status?: unknown; message?: unknown };
  if (code === 'refused' && /profile/i.test(String(message))) return 'profile';
  // The service rejects the request; a retry would change nothing.
  if (code === 'service' && Number(status) < 500) return 'usage';
  return BY_CODE.get(code) ?? 'usage';
}

/** Returns the action for a content without a complete verdict. */
export function actionFor(cause: Cause, onError: 'block' | 'allow'): 'block' | 'allow' {
  return FOLLOWS.includes(cause) ? onError : 'block';
}

/** Returns the decision to report: a block, else a part without a verdict, else a mask, else the last decision. */
export function moreTelling(earlier: Decision | undefined, later: Decision): Decision {
  return earlier !== undefined && rankOf(earlier) > rankOf(later) ? earlier : later;
}

function rankOf({ action, unscanned }: Decision): number {
  if (action === 'block') return 3;
  if (unscanned !== undefined) return 2;
  return action === 'mask' ? 1 : 0;
}

/** Turns a mask into a block if the masked text cannot replace the original. */
export function blockedIfMasked<Each extends Pick<Decision, 'action' | 'text'>>(decision: Each): Each {
  if (decision.action !== 'mask') return decision;
  const { text: _, ...rest } = decision;
  return { ...rest, action: 'block' } as Each;
}

/**
 * Returns the decision about several scans of one call: the most severe, else the first. Their content cannot be
 * masked.
 */
export function decisionOfAll(decisions: readonly Decision[]): Decision | undefined {
  const last = decisions.toReversed().map(blockedIfMasked);
  const found = last.reduce<Decision | undefined>(moreTelling, undefined);
  return found === undefined ? undefined : { ...found, cached: decisions.every(({ cached }) => cached) };
}

/** Returns the block for content that is unreadable and so cannot be scanned. */
export function unreadable(kind: ContentKind): Decision {
  return { kind, action: 'block', unscanned: 'unreadable', ms: 0, cached: false };
}
