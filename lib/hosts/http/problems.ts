/** Problem documents (RFC 9457): what happened, where, and what to do next. */
import { STATUS_CODES } from 'node:http';
import {
  AisecError,
  type Problem as ArgumentProblem,
  type ErrorObject,
  RateLimitError,
  toAisecError,
} from '../../core/errors.ts';
import { BusyError, CallerQueueFullError, TenantQueueFullError } from '../../runs/port.ts';

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
  /** Code for programs; docs/http.md lists the codes. */
  readonly code: string;
  /** The same request may be sent again unchanged. */
  readonly retryable: boolean;
  readonly hint?: string;
  readonly command?: string;
  readonly argument?: string;
  readonly errors?: readonly ProblemDetail[];
  /** The status of the service's response, and the id that the service gave the request. */
  readonly upstreamStatus?: number;
  readonly upstreamRequestId?: string;
}

/** A problem with the headers of its response. */
export interface ProblemAnswer {
  readonly body: ProblemDocument;
  readonly headers: Readonly<Record<string, string>>;
}

const CLIENT_CLOSED = 499;
const SERVER_ERROR = 500;

/** Statuses by error code; any other code is a server error. */
const STATUS: ReadonlyMap<string, number> = new Map([
  ['usage', 400],
  ['refused', 400],
  ['arguments', 400],
  ['not-allowed', 403],
  ['not-found', 404],
  ['conflict', 409],
  ['precondition', 409],
  ['context-size', 409],
  ['quota', 429],
  ['rate-limit', 429],
  ['cancelled', CLIENT_CLOSED],
  // The caller's own token was accepted: the service rejected the credentials of this process.
  ['authentication', 502],
  ['permission', 502],
  ['partial', 502],
  ['service', 502],
  ['response', 502],
  ['busy', 503],
  ['configuration', 503],
  ['network', 504],
  ['timeout', 504],
  ['tls', 504],
  ['proxy', 504],
]);

const RETRY_SECONDS = 60;

/** Returns the members common to every problem. */
export function head(status: number, code: string, detail: string) {
  const title = status === CLIENT_CLOSED ? 'Client Closed Request' : (STATUS_CODES[status] ?? 'Error');
  return { type: `urn:aisec:problem:${code}`, title, status, detail, code };
}

/** Converts the error of a command, with the headers of its response. */
export function errorProblem(error: AisecError): ProblemAnswer {
  const body = errorDocument({ ...error.toJSON(), hint: hintOf(error) });
  const waitMs = error instanceof RateLimitError ? error.waitMs : undefined;
  const seconds = waitMs === undefined ? RETRY_SECONDS : Math.max(1, Math.ceil(waitMs / 1000));
  const waits = body.status === 429 || error instanceof BusyError;
  return { body, headers: waits ? { 'retry-after': String(seconds) } : {} };
}

/** Converts the plain error of a run. */
export function errorDocument(error: ErrorObject): ProblemDocument {
  const { code, retryable, command, argument, requestId, problems } = error;
  const hint = error.hint === undefined ? undefined : withoutMachine(error.hint);
  return {
    ...head(STATUS.get(code) ?? SERVER_ERROR, code, withoutMachine(error.message)),
    retryable,
    ...(hint === undefined ? {} : { hint }),
    ...(command === undefined ? {} : { command }),
    ...(argument === undefined ? {} : { argument }),
    ...(problems === undefined ? {} : { errors: problems.map(detailOf) }),
    ...(error.status === undefined ? {} : { upstreamStatus: error.status }),
    ...(requestId === undefined ? {} : { upstreamRequestId: requestId }),
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

/** Returns an error's hint, with the HTTP request that helps. */
function hintOf(error: AisecError): string | undefined {
  if (error instanceof TenantQueueFullError) return 'Try again later, or run it without Prefer: respond-async.';
  if (error instanceof CallerQueueFullError) return 'Wait for runs to end, or stop some.';
  return error.hint;
}

const PROCESS = /process \d+ on [^\s,]*[^\s,.](?: in another container)?/g;
const REDIS = /Redis at \S+/g;
/**
 * Matches the folders of an absolute path, but not URLs of the service. Quoted text is the caller's own, and is kept.
 */
const PATH = /(^|[\s(=])(?!\/v\d+\/)(?:\/[^\s/"'(),;]+)+\/(?=[^\s/"'(),;])/g;

/**
 * Removes processes and hosts from a text, and shortens paths to file names: a caller must not learn details of the
 * machine.
 */
function withoutMachine(text: string): string {
  return text.replace(PROCESS, 'another process').replace(REDIS, 'Redis').replace(PATH, '$1');
}

export const PROBLEM_TYPE = 'application/problem+json';

export interface ProblemOptions {
  readonly hint?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryable?: boolean;
  /** All problems with parameters and members. */
  readonly problems?: readonly ArgumentProblem[];
}

/** A request that HTTP itself refuses, before any command. */
export class HttpError extends AisecError {
  override readonly name = 'HttpError';
  override readonly code: string;
  readonly statusCode: number;
  readonly options: ProblemOptions;

  constructor(statusCode: number, code: string, detail: string, options: ProblemOptions = {}) {
    super(detail, { hint: options.hint, retryable: options.retryable });
    this.statusCode = statusCode;
    this.code = code;
    this.options = options;
  }
}

/** Returns the error for a resource that does not exist, or belongs to another token. */
export function notFound(what: string, hint?: string): HttpError {
  return new HttpError(404, 'not-found', `There is no such ${what}.`, { hint });
}

/** Returns the error for a token that may no longer run the command that produced a resource. */
export function notNow(what: string, command: string, hint: string): HttpError {
  const detail = `This ${what} has results of ${command}, which this token may not run now.`;
  return new HttpError(403, 'not-allowed', detail, { hint });
}

/** Converts any thrown value. */
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
  const { hint, headers = {}, retryable = false, problems } = options;
  const body = {
    ...head(statusCode, code, message),
    retryable,
    ...(hint === undefined ? {} : { hint }),
    ...(problems === undefined ? {} : { errors: problems.map(detailOf) }),
  };
  return { body, headers };
}

/** Codes and hints of requests that the server could not read, by status. */
const REFUSALS: ReadonlyMap<number, readonly [code: string, hint: string]> = new Map([
  [400, ['json', 'Send one JSON object without duplicate members.']],
  [404, ['not-found', 'See the routes in /openapi.json.']],
  [405, ['method', 'See the routes in /openapi.json.']],
  [413, ['size', 'Send large inputs as files: POST /v1/files, and pass the id in entry_id.']],
  [414, ['size', 'Send arguments in the body.']],
  [415, ['content-type', 'Send the arguments with content-type: application/json.']],
  [503, ['busy', 'Try again later.']],
]);

/** Recognises errors of the HTTP server: only they have a status below 500, or 503 for an overload. */
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
