/** Says what a failed scan means, and combines decisions about one text. */
import type { Cause, ContentKind, Decision } from './types.ts';

/** Causes that pass where the options say so: the service is away. Nothing else is a reason to pass. */
const FOLLOWS: readonly Cause[] = ['rate-limit', 'timeout', 'network', 'service', 'incomplete'];

/** Causes by the code of an error. A code that is not here is a fault of the caller. */
const BY_CODE = new Map<unknown, Cause>([
  ['authentication', 'authentication'],
  // An untrusted certificate may be somebody who listens: it never passes.
  ['tls', 'authentication'],
  ['permission', 'permission'],
  ['quota', 'quota'],
  ['rate-limit', 'rate-limit'],
  ['timeout', 'timeout'],
  ['network', 'network'],
  ['proxy', 'network'],
  // An answer that cannot be read may be a refusal.
  ['response', 'malformed'],
  ['service', 'service'],
  ['cancelled', 'cancelled'],
  ['precondition', 'profile'],
  ['not-found', 'profile'],
  ['conflict', 'profile'],
]);

/** A failure whose cause is known where it happens. */
export class Unscanned extends Error {
  readonly reason: Cause;

  constructor(reason: Cause) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Does what is in the hands of the caller, such as reading a content.
 * @throws Unscanned, with `reason` unless its own is known: an error of theirs that looks like that of a network must not pass
 */
export function blamed<Value>(reason: Cause, work: () => Value): Value {
  try {
    return work();
  } catch (thrown) {
    throw thrown instanceof Unscanned ? thrown : new Unscanned(reason);
  }
}

/** Finds the cause of an error; errors are told apart by `code`, because two copies of the library may be loaded. */
export function causeOf(thrown: unknown): Cause {
  try {
    return thrown instanceof Unscanned ? thrown.reason : causeIn(thrown);
  } catch {
    // What cannot be read, such as nothing, or a revoked proxy.
    return 'usage';
  }
}

function causeIn(thrown: unknown): Cause {
  const { code, status, message } = thrown as { code?: unknown; status?: unknown; message?: unknown };
  if (code === 'refused' && /profile/i.test(String(message))) return 'profile';
  // The service rejects the request; asking again later would change nothing.
  if (code === 'service' && Number(status) < 500) return 'usage';
  return BY_CODE.get(code) ?? 'usage';
}

/** Returns the action for a content without a complete verdict. */
export function actionFor(cause: Cause, onError: 'block' | 'allow'): 'block' | 'allow' {
  return FOLLOWS.includes(cause) ? onError : 'block';
}

/** Returns the decision to report: a block, else a part that no verdict covers, else a mask, else the last one. */
export function moreTelling(earlier: Decision | undefined, later: Decision): Decision {
  return earlier !== undefined && rankOf(earlier) > rankOf(later) ? earlier : later;
}

function rankOf({ action, unscanned }: Decision): number {
  if (action === 'block') return 3;
  if (unscanned !== undefined) return 2;
  return action === 'mask' ? 1 : 0;
}

/** Returns a block for a mask that cannot be put instead of the text. */
export function blockedIfMasked<Each extends Pick<Decision, 'action' | 'text'>>(decision: Each): Each {
  if (decision.action !== 'mask') return decision;
  const { text: _, ...rest } = decision;
  return { ...rest, action: 'block' } as Each;
}

/** Returns the decision about several scans of one call: the most telling, else the first. None of them can be masked. */
export function decisionOfAll(decisions: readonly Decision[]): Decision | undefined {
  const last = decisions.toReversed().map(blockedIfMasked);
  const found = last.reduce<Decision | undefined>(moreTelling, undefined);
  return found === undefined ? undefined : { ...found, cached: decisions.every(({ cached }) => cached) };
}

/** Returns the block of a content that cannot be read, and so cannot be scanned. */
export function unreadable(kind: ContentKind): Decision {
  return { kind, action: 'block', unscanned: 'unreadable', ms: 0, cached: false };
}
