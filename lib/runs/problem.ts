/** Problem documents (RFC 9457): what happened, where, and what to do next. */
import { STATUS_CODES } from 'node:http';
import {
  type AisecError,
  type Problem as ArgumentProblem,
  AuthError,
  CancelledError,
  ConfigurationError,
  ConflictError,
  NetworkError,
  NotAllowedError,
  NotFoundError,
  PartialError,
  PreconditionError,
  QuotaError,
  RateLimitError,
  ServiceError,
  toAisecError,
  UsageError,
  ValidationError,
} from '../engine/errors.ts';
import { withoutMachine } from './machine-words.ts';
import { BusyError } from './port.ts';

/** One problem of one argument. */
export interface ProblemDetail {
  readonly detail: string;
  /** JSON pointer into the body of the request, as a fragment. */
  readonly pointer?: string;
  readonly hint?: string;
}

/** The body of every failed request. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** For programs; docs/http.md lists them. */
  readonly code: string;
  /** The same request may be sent again unchanged. */
  readonly retryable: boolean;
  readonly hint?: string;
  readonly command?: string;
  readonly argument?: string;
  readonly errors?: readonly ProblemDetail[];
  /** The status that the service responded with, and its id of that request. */
  readonly upstreamStatus?: number;
  readonly upstreamRequestId?: string;
}

/** A problem with the headers of its response. */
export interface ProblemAnswer {
  readonly body: ProblemDocument;
  readonly headers: Readonly<Record<string, string>>;
}

/** Converts the error of a command to a document. */
export function documentOf(thrown: unknown): ProblemDocument {
  return errorProblem(toAisecError(thrown)).body;
}

/** Returns the members that every problem has. */
export function head(status: number, code: string, detail: string) {
  const title = status === CLIENT_CLOSED ? 'Client Closed Request' : (STATUS_CODES[status] ?? 'Error');
  return { type: `urn:aisec:problem:${code}`, title, status, detail, code };
}

const CLIENT_CLOSED = 499;

/** The first class that fits decides. */
const STATUS: readonly (readonly [abstract new (...args: never[]) => AisecError, number])[] = [
  [NotAllowedError, 403],
  [UsageError, 400],
  [ConfigurationError, 503],
  // The caller's own token was accepted: the service does not accept ours.
  [AuthError, 502],
  [NotFoundError, 404],
  [ConflictError, 409],
  [PreconditionError, 409],
  [QuotaError, 429],
  [RateLimitError, 429],
  [BusyError, 503],
  [NetworkError, 504],
  [CancelledError, CLIENT_CLOSED],
  [PartialError, 502],
  [ServiceError, 502],
];

const RETRY_SECONDS = 60;

/** Converts the error of a command. */
export function errorProblem(error: AisecError): ProblemAnswer {
  const status = STATUS.find(([kind]) => error instanceof kind)?.[1] ?? 500;
  const { code, retryable, command, argument, requestId } = error;
  const message = withoutMachine(error.message);
  const hint = error.hint === undefined ? undefined : withoutMachine(error.hint);
  const waitMs = error instanceof RateLimitError ? error.waitMs : undefined;
  const waits = status === 429 || error instanceof BusyError;
  const seconds = waitMs === undefined ? RETRY_SECONDS : Math.max(1, Math.ceil(waitMs / 1000));
  return {
    body: {
      ...head(status, code, message),
      retryable,
      ...(hint === undefined ? {} : { hint }),
      ...(command === undefined ? {} : { command }),
      ...(argument === undefined ? {} : { argument }),
      ...(error instanceof ValidationError ? { errors: error.problems.map(detailOf) } : {}),
      ...(error.status === undefined ? {} : { upstreamStatus: error.status }),
      ...(requestId === undefined ? {} : { upstreamRequestId: requestId }),
    },
    headers: waits ? { 'retry-after': String(seconds) } : {},
  };
}

/** Describes a problem of one argument. */
export function detailOf({ argument, message, hint }: ArgumentProblem): ProblemDetail {
  return {
    detail: withoutMachine(message),
    ...(argument === undefined ? {} : { pointer: `#/${argument.replace(/~/g, '~0').replace(/\//g, '~1')}` }),
    ...(hint === undefined ? {} : { hint: withoutMachine(hint) }),
  };
}
