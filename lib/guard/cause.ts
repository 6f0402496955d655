/** Says what a failed scan means. */
import type { Cause } from './types.ts';

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
