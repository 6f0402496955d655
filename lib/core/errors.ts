/**
 * Errors of commands: one class per exit code, with subclasses where the user has to act differently.
 * `message` says what happened, `hint` what to do next. They never contain secrets, bodies or stack traces.
 */

/** The base of all errors that users see. */
export class AisecError extends Error {
  override readonly name: string = 'AisecError';
  readonly code: string = 'error';
  readonly exitCode: number = 8;
  hint: string | undefined;
  /** The same command may be run again unchanged. */
  retryable: boolean;
  /** The service may have made the change. */
  readonly outcomeUnknown: boolean;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** The service's id of the failed request, for a support ticket. */
  readonly requestId: string | undefined;
  /** Rows to show with the message, such as the references to a resource that cannot be deleted. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  command: string | undefined;
  argument: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message);
    this.hint = details.hint;
    this.retryable = details.retryable ?? false;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.status = details.status;
    this.requestId = details.requestId;
    this.command = details.command;
    this.argument = details.argument;
    this.rows = details.rows ?? [];
  }

  /** Returns the error as plain data; unknown members are undefined. */
  toJSON(): ErrorObject {
    const { code, message, hint, retryable, command, argument, status, requestId } = this;
    return { code, message, hint, retryable, command, argument, status, requestId };
  }
}

/** Optional details of an error. */
export type ErrorDetails = {
  -readonly [Name in Detail | 'outcomeUnknown' | 'rows']?: AisecError[Name] | undefined;
};

type Detail = 'hint' | 'retryable' | 'command' | 'argument' | 'status' | 'requestId';

/** An error as plain data, which the command line prints for programs. */
export interface ErrorObject extends Readonly<Pick<AisecError, 'code' | 'message' | Detail>> {
  /** The problems of invalid arguments, one by one. */
  readonly problems?: readonly Problem[];
}

/** Exit code 1: a requested gate did not pass. */
export class GateError extends AisecError {
  override readonly name = 'GateError';
  override readonly code = 'gate';
  override readonly exitCode = 1;
}

/** Exit code 2: the command line or an option is wrong; nothing was sent. */
export class UsageError extends AisecError {
  override readonly name: string = 'UsageError';
  override readonly code: string = 'usage';
  override readonly exitCode = 2;
}

/** Exit code 2: this client may not run the command. */
export class NotAllowedError extends UsageError {
  override readonly name = 'NotAllowedError';
  override readonly code = 'not-allowed';
}

/** One problem of one argument. */
export interface Problem {
  argument?: string | undefined;
  message: string;
  hint?: string | undefined;
  /** Line of the file that contains it. */
  line?: number | undefined;
}

/** Enough for every entry of the longest list that the service accepts. */
export const MAX_PROBLEMS = 100;

/** Exit code 2: invalid arguments; one error reports all the problems. */
export class ValidationError extends UsageError {
  override readonly name = 'ValidationError';
  override readonly code = 'arguments';
  readonly problems: readonly Problem[];

  /** @param all every problem; the error keeps the first hundred */
  constructor(all: readonly Problem[], details: ErrorDetails = {}) {
    const problems = all.slice(0, MAX_PROBLEMS);
    const hints = problems.map((problem) => problem.hint).filter((hint) => hint !== undefined);
    super(problems.map((problem) => problem.message).join(' '), {
      hint: hints.length === 0 ? undefined : hints.join(' '),
      argument: problems.find((problem) => problem.argument !== undefined)?.argument,
      ...details,
    });
    this.problems = problems;
  }

  override toJSON(): ErrorObject {
    return { ...super.toJSON(), problems: this.problems };
  }
}

/** Exit code 2: the service rejects the content of the request. */
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

/** Exit code 4: the service does not accept the credentials. */
export class AuthError extends AisecError {
  override readonly name: string = 'AuthError';
  override readonly code: string = 'authentication';
  override readonly exitCode = 4;
}

/** The credentials are valid, but lack a permission. */
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

/** The resource does not exist. */
export class NotFoundError extends PreconditionError {
  override readonly name = 'NotFoundError';
  override readonly code = 'not-found';
}

/** The resource exists already, is in use, or has changed in the meantime. */
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

/** Exit code 7: too many requests. */
export class RateLimitError extends AisecError {
  override readonly name = 'RateLimitError';
  override readonly code = 'rate-limit';
  override readonly exitCode = 7;
  /** The delay that the service asks for, in milliseconds. */
  readonly waitMs: number | undefined;

  constructor(message: string, details: ErrorDetails & { waitMs?: number | undefined } = {}) {
    super(message, details);
    this.waitMs = details.waitMs;
  }
}

/** Exit code 8: the service failed, or rejected a valid request. */
export class ServiceError extends AisecError {
  override readonly name: string = 'ServiceError';
  override readonly code: string = 'service';
  override readonly exitCode = 8;
}

/** The response of the service has an unexpected form. */
export class ResponseError extends ServiceError {
  override readonly name = 'ResponseError';
  override readonly code = 'response';
}

/** The hint for a response of an unexpected form. */
export const SERVICE_CHANGED = 'The service may have changed: report this with the command.';

/** Exit code 9: no complete response was received. */
export class NetworkError extends AisecError {
  override readonly name: string = 'NetworkError';
  override readonly code: string = 'network';
  override readonly exitCode = 9;
  /** The service may have received the request. */
  readonly sent: boolean;

  constructor(message: string, details: ErrorDetails & { sent?: boolean } = {}) {
    super(message, details);
    this.sent = details.sent ?? true;
  }
}

/** The time limit of the command or of one attempt has passed. */
export class TimeoutError extends NetworkError {
  override readonly name = 'TimeoutError';
  override readonly code = 'timeout';
}

/** The certificate is not trusted, or the TLS handshake failed. */
export class TlsError extends NetworkError {
  override readonly name = 'TlsError';
  override readonly code = 'tls';
}

/** The proxy cannot be reached, or rejects the request. */
export class ProxyError extends NetworkError {
  override readonly name = 'ProxyError';
  override readonly code = 'proxy';
}

/** Exit code 10: only some of the work was done; the result shows which. */
export class PartialError extends AisecError {
  override readonly name = 'PartialError';
  override readonly code = 'partial';
  override readonly exitCode = 10;
}

/** Exit code 130: the user stopped the command. */
export class CancelledError extends AisecError {
  override readonly name = 'CancelledError';
  override readonly code = 'cancelled';
  override readonly exitCode = 130;
}

/** Exit code 8: a bug in this program. */
export class UnexpectedError extends AisecError {
  /** Stack frames for a bug report; never part of the message. */
  readonly frames: readonly string[];

  constructor(message: string, frames: readonly string[], details: ErrorDetails = {}) {
    super(message, details);
    this.frames = frames;
  }
}

/** Maximum length of third-party text in messages. */
const MAX_TEXT_LENGTH = 2000;

/**
 * Converts any thrown value to an error for the user; an unknown error is reported as a bug in this program.
 * @param redact removes secrets from its text
 */
export function toAisecError(thrown: unknown, redact: (text: string) => string = (text) => text): AisecError {
  if (thrown instanceof AisecError) return thrown;
  const { text, stack } = textOf(thrown);
  const frames = stack.split('\n').filter((line) => /^\s*at /.test(line));
  return new UnexpectedError(`Unexpected failure: ${redact(text).slice(0, MAX_TEXT_LENGTH)}`, frames, {
    hint: 'This is a bug in aisec: run it again with log level debug, and report the log.',
  });
}

/** Reads message and stack of any thrown value, even if its getters throw. */
function textOf(thrown: unknown): { text: string; stack: string } {
  try {
    // On some hosts, system errors come from another realm, where `instanceof` fails.
    if (typeof thrown !== 'object' || thrown === null || !('message' in thrown))
      return { text: String(thrown), stack: '' };
    return { text: String(thrown.message), stack: 'stack' in thrown ? String(thrown.stack) : '' };
  } catch {
    return { text: 'unknown', stack: '' };
  }
}
