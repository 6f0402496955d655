/** Reports what happened to a text: as a message and an exit code, or as JSON. */
import {
  type AisecError,
  AuthError,
  CancelledError,
  ConfigurationError,
  type ErrorDetails,
  GateError,
  NetworkError,
  PermissionError,
  PreconditionError,
  QuotaError,
  RateLimitError,
  ServiceError,
  TimeoutError,
  toAisecError,
  UsageError,
} from '../../../../core/errors.ts';
import { causeText, groundsOf } from '../../../../guard/cause-words.ts';
import { FOLLOWS } from '../../../../guard/decisions.ts';
import type { Cause, Decision } from '../../../../guard/guard.ts';

/** Outcome of the scans of one text. */
export class Tally {
  scans = 0;
  /** Scans without a complete verdict, by cause. */
  readonly unscanned = new Map<Cause, number>();
  /**
   * The decision to report: a block, otherwise a decision without a complete verdict, otherwise a mask, otherwise the
   * last decision.
   */
  decision: Decision | undefined;

  /** Counts a decision. @returns true for the first decision of its cause that passes without a complete verdict */
  add(decision: Decision): boolean {
    const { unscanned, action, verdict } = decision;
    if (verdict !== undefined || unscanned !== undefined) this.scans += 1;
    if (this.decision === undefined || rankOf(decision) >= rankOf(this.decision)) this.decision = decision;
    if (unscanned === undefined || action === 'block') return false;
    const count = this.unscanned.get(unscanned) ?? 0;
    this.unscanned.set(unscanned, count + 1);
    return count === 0;
  }
}

function rankOf({ action, unscanned }: Decision): number {
  if (action === 'block') return 3;
  return unscanned !== undefined ? 2 : action === 'mask' ? 1 : 0;
}

/** Warns that text passes although it has no complete verdict. */
export function passesText(cause: Cause): string {
  return `warning: text passes without a complete verdict: ${causeText(cause)} (${cause}).`;
}

const CLASSES: Readonly<Record<Cause, new (message: string, details: ErrorDetails) => AisecError>> = {
  authentication: AuthError,
  permission: PermissionError,
  profile: PreconditionError,
  usage: UsageError,
  quota: QuotaError,
  'rate-limit': RateLimitError,
  timeout: TimeoutError,
  network: NetworkError,
  service: ServiceError,
  incomplete: ServiceError,
  'unknown-action': ServiceError,
  malformed: ServiceError,
  unreadable: UsageError,
  cancelled: CancelledError,
};

const HINTS: Partial<Readonly<Record<Cause, string>>> = {
  profile: 'Option --profile is the security profile here. List them with: aisec runtime-profiles-list',
  timeout: 'Give a scan more time with --timeout SECONDS.',
};

const AWAY_HINT = 'Run it again; --on-error allow lets text pass while the service is unavailable.';

/** Returns the error for a text that was cut off. @param failure the error of the last failed scan */
export function cutError(decision: Decision, failure: unknown): AisecError {
  const { unscanned, profile, verdict, scanId, reportId } = decision;
  if (unscanned === undefined) {
    const ids = [scanId === undefined ? '' : `scan ${scanId}`, reportId === undefined ? '' : `report ${reportId}`];
    const named = ids.filter((id) => id !== '').join(', ');
    return new GateError(`The text was cut: ${verdict?.profile ?? 'the profile'} blocks it (${groundsOf(decision)}).`, {
      ...(named === '' ? {} : { hint: `At the service it is ${named}.` }),
    });
  }
  const thrown = failure === undefined ? undefined : toAisecError(failure);
  // Errors about settings concern the user's own values, and quote no text.
  if (thrown instanceof ConfigurationError) return thrown;
  const { status, requestId } = thrown ?? {};
  const response = status === undefined ? '' : `, HTTP ${status}`;
  const hint = HINTS[unscanned] ?? (FOLLOWS.includes(unscanned) ? AWAY_HINT : undefined);
  const message = `The text was cut: ${causeText(unscanned, profile)} (${unscanned}${response}).`;
  return new CLASSES[unscanned](message, { hint, status, requestId });
}

/** Returns the outcome for programs, without any of the content. */
export function outcomeJson({ decision, scans, unscanned }: Tally, error: AisecError | undefined, simulated: boolean) {
  const { text: _text, ...rest } = decision ?? { action: 'allow' as const };
  return {
    guard: {
      ...rest,
      scans,
      passed_unscanned: Object.fromEntries(unscanned),
      exit_code: error?.exitCode ?? 0,
      ...(error === undefined
        ? {}
        : { message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }),
      ...(simulated ? { simulated } : {}),
    },
  };
}
