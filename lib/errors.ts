/**
 * Every way a command can end other than well. One class per exit code, subclasses where a user would act differently.
 * `message` says what happened, `hint` what to do next. Neither ever holds a secret, a body or a stack.
 */

export interface ErrorDetails {
  hint?: string | undefined;
  /** May the same line be run again as it is? */
  retryable?: boolean | undefined;
  /** The HTTP status, where the service answered. */
  status?: number | undefined;
  /** The service's id of the failed request, for its support. */
  requestId?: string | undefined;
  command?: string | undefined;
  argument?: string | undefined;
  /** Rows that belong to the message, such as what references a resource that cannot be deleted. */
  rows?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** The base of all errors that are shown to a user. */
export class AisecError extends Error {
  override readonly name: string = 'AisecError';
  readonly code: string = 'error';
  readonly exitCode: number = 8;
  readonly hint: string | undefined;
  retryable: boolean;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  command: string | undefined;
  argument: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message);
    this.hint = details.hint;
    this.retryable = details.retryable ?? false;
    this.status = details.status;
    this.requestId = details.requestId;
    this.command = details.command;
    this.argument = details.argument;
    this.rows = details.rows ?? [];
  }
}

/** Exit code 1: a gate that the caller asked for did not pass. */
export class GateError extends AisecError {
  override readonly name = 'GateError';
  override readonly code = 'gate';
  override readonly exitCode = 1;
}

/** Exit code 2: the line or an option is wrong; nothing was sent. */
export class UsageError extends AisecError {
  override readonly name: string = 'UsageError';
  override readonly code: string = 'usage';
  override readonly exitCode = 2;
}

/** One thing that is wrong with one argument. */
export interface Problem {
  argument?: string | undefined;
  message: string;
  hint?: string | undefined;
}

/** Exit code 2: arguments that cannot be accepted, all of them at once. */
export class ValidationError extends UsageError {
  override readonly name = 'ValidationError';
  override readonly code = 'arguments';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], details: ErrorDetails = {}) {
    const hints = problems.map((problem) => problem.hint).filter((hint) => hint !== undefined);
    super(problems.map((problem) => problem.message).join(' '), {
      hint: hints.length === 0 ? undefined : hints.join(' '),
      argument: problems.find((problem) => problem.argument !== undefined)?.argument,
      ...details,
    });
    this.problems = problems;
  }
}

/** Exit code 2: the service understood the request and refuses what is in it. */
export class RefusedError extends UsageError {
  override readonly name = 'RefusedError';
  override readonly code = 'refused';
}

/** Exit code 3: a setting is missing or wrong. */
export class ConfigurationError extends AisecError {
  override readonly name = 'ConfigurationError';
  override readonly code = 'configuration';
  override readonly exitCode = 3;
}

/** Exit code 4: the service does not know the credentials, or they lack a permission. */
export class AuthError extends AisecError {
  override readonly name: string = 'AuthError';
  override readonly code: string = 'authentication';
  override readonly exitCode = 4;
}

export class PermissionError extends AuthError {
  override readonly name = 'PermissionError';
  override readonly code = 'permission';
}

/** Exit code 5: the state of the resource does not allow it. */
export class PreconditionError extends AisecError {
  override readonly name: string = 'PreconditionError';
  override readonly code: string = 'precondition';
  override readonly exitCode = 5;
}

export class NotFoundError extends PreconditionError {
  override readonly name = 'NotFoundError';
  override readonly code = 'not-found';
}

export class ConflictError extends PreconditionError {
  override readonly name = 'ConflictError';
  override readonly code = 'conflict';
}

/** Exit code 6: a quota is used up. */
export class QuotaError extends AisecError {
  override readonly name = 'QuotaError';
  override readonly code = 'quota';
  override readonly exitCode = 6;
}

/** Exit code 7: the service asks for fewer requests. */
export class RateLimitError extends AisecError {
  override readonly name = 'RateLimitError';
  override readonly code = 'rate-limit';
  override readonly exitCode = 7;
  /** How long the service asks to wait, in milliseconds, where it says. */
  readonly waitMs: number | undefined;

  constructor(message: string, details: ErrorDetails & { waitMs?: number | undefined } = {}) {
    super(message, details);
    this.waitMs = details.waitMs;
  }
}

/** Exit code 8: the service failed, or refused a request that the runtime took for sound. */
export class ServiceError extends AisecError {
  override readonly name: string = 'ServiceError';
  override readonly code: string = 'service';
  override readonly exitCode = 8;
}

/** The service answered with something that is not what it promises. */
export class ResponseError extends ServiceError {
  override readonly name = 'ResponseError';
  override readonly code = 'response';
}

/** Exit code 9: no complete answer was received. */
export class NetworkError extends AisecError {
  override readonly name: string = 'NetworkError';
  override readonly code: string = 'network';
  override readonly exitCode = 9;
  /** May the service have received the request? */
  readonly sent: boolean;

  constructor(message: string, details: ErrorDetails & { sent?: boolean } = {}) {
    super(message, details);
    this.sent = details.sent ?? true;
  }
}

export class TimeoutError extends NetworkError {
  override readonly name = 'TimeoutError';
  override readonly code = 'timeout';
}

export class TlsError extends NetworkError {
  override readonly name = 'TlsError';
  override readonly code = 'tls';
}

export class ProxyError extends NetworkError {
  override readonly name = 'ProxyError';
  override readonly code = 'proxy';
}

/** Exit code 10: some of it was done, and the result says which. */
export class PartialError extends AisecError {
  override readonly name = 'PartialError';
  override readonly code = 'partial';
  override readonly exitCode = 10;
}

/** Exit code 130: the user stopped it. */
export class CancelledError extends AisecError {
  override readonly name = 'CancelledError';
  override readonly code = 'cancelled';
  override readonly exitCode = 130;
}

/** Exit code 8: a fault of this program. */
export class UnexpectedError extends AisecError {
  /** Where it happened, as the engine writes it: for a report, and not a part of what is shown. */
  readonly frames: readonly string[];

  constructor(message: string, frames: readonly string[], details: ErrorDetails = {}) {
    super(message, details);
    this.frames = frames;
  }
}

/** More of a text of others says nothing more about a fault. */
const LONGEST_TEXT = 2000;

/**
 * Any thrown value as an error that can be shown. What is not ours is a fault of this program.
 * @param redact takes secrets out of its text
 */
export function toAisecError(thrown: unknown, redact: (text: string) => string = (text) => text): AisecError {
  if (thrown instanceof AisecError) return thrown;
  const { text, stack } = wordsOf(thrown);
  const frames = stack.split('\n').filter((line) => /^\s*at /.test(line));
  return new UnexpectedError(`Unexpected failure: ${redact(text).slice(0, LONGEST_TEXT)}`, frames, {
    hint: 'This is a fault of aisec itself: run it again with a log of level debug, and report what that says.',
  });
}

/** Anything can be thrown, even what fails again when it is asked for its text. */
function wordsOf(thrown: unknown): { text: string; stack: string } {
  try {
    // Errors of the system come from another realm under some hosts, so their class says nothing.
    if (typeof thrown !== 'object' || thrown === null || !('message' in thrown))
      return { text: String(thrown), stack: '' };
    return { text: String(thrown.message), stack: 'stack' in thrown ? String(thrown.stack) : '' };
  } catch {
    return { text: 'unknown', stack: '' };
  }
}
