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
} from '../../errors.ts';
import { BusyError } from '../../runs/port.ts';

export const PROBLEM_TYPE = 'application/problem+json';

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

export interface ProblemOptions {
  readonly hint?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryable?: boolean;
  /** The member of the body that it concerns. */
  readonly pointer?: string;
}

/** A request that HTTP itself refuses, before any command. */
export class HttpError extends Error {
  readonly statusCode: number;
  readonly code: string;
  readonly options: ProblemOptions;

  constructor(statusCode: number, code: string, detail: string, options: ProblemOptions = {}) {
    super(detail);
    this.statusCode = statusCode;
    this.code = code;
    this.options = options;
  }
}

/** Returns the error of something that does not exist, or belongs to others. */
export function notFound(what: string, hint?: string): HttpError {
  return new HttpError(404, 'not-found', `There is no such ${what}.`, hint === undefined ? {} : { hint });
}

/** A problem with the headers of its response. */
export interface ProblemAnswer {
  readonly body: ProblemDocument;
  readonly headers: Readonly<Record<string, string>>;
}

/** Converts anything that was thrown. */
export function problemOf(thrown: unknown): ProblemAnswer {
  if (thrown instanceof HttpError) return ownProblem(thrown);
  const refused = refusal(thrown);
  return refused === undefined ? errorProblem(toAisecError(thrown)) : ownProblem(refused);
}

/** Converts the error of a command to a document, for a result that contains it. */
export function documentOf(thrown: unknown): ProblemDocument {
  return problemOf(thrown).body;
}

function ownProblem({ statusCode, code, message, options }: HttpError): ProblemAnswer {
  const { hint, headers = {}, retryable = false, pointer } = options;
  const body = {
    ...head(statusCode, code, message),
    retryable,
    ...(hint === undefined ? {} : { hint }),
    ...(pointer === undefined ? {} : { errors: [detailOf({ argument: pointer, message })] }),
  };
  return { body, headers };
}

function head(status: number, code: string, detail: string) {
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

function errorProblem(error: AisecError): ProblemAnswer {
  const status = STATUS.find(([kind]) => error instanceof kind)?.[1] ?? 500;
  const { code, message, hint, retryable, command, argument, requestId } = error;
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

function detailOf({ argument, message, hint }: ArgumentProblem): ProblemDetail {
  return {
    detail: message,
    ...(argument === undefined ? {} : { pointer: `#/${argument.replace(/~/g, '~0').replace(/\//g, '~1')}` }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** What the server says of a request that it could not read, by status. */
const REFUSALS: ReadonlyMap<number, readonly [code: string, hint: string]> = new Map([
  [400, ['json', 'Send one JSON object, and no member twice.']],
  [404, ['not-found', 'See the routes in /openapi.json.']],
  [405, ['method', 'See the routes in /openapi.json.']],
  [413, ['size', 'Send large inputs as files: POST /v1/files, and pass the id in entry_id.']],
  [414, ['size', 'Send arguments in the body.']],
  [415, ['content-type', 'Send the arguments with content-type: application/json.']],
  [503, ['busy', 'Try again later.']],
]);

/** Recognises what the server refused; only its errors carry a status below 500, or that of an overload. */
function refusal(thrown: unknown): HttpError | undefined {
  if (!(thrown instanceof Error) || !('statusCode' in thrown) || typeof thrown.statusCode !== 'number')
    return undefined;
  const { statusCode, message } = thrown;
  const known = REFUSALS.get(statusCode);
  if (known === undefined) return statusCode < 500 ? new HttpError(statusCode, 'request', message) : undefined;
  const [code, hint] = known;
  const overloaded = statusCode === 503 ? { headers: { 'retry-after': '10' }, retryable: true } : {};
  return new HttpError(statusCode, code, message, { hint, ...overloaded });
}
