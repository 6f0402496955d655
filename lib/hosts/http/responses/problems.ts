/** Problem documents (RFC 9457): what happened, where, and what to do next. */
import { AisecError, type Problem as ArgumentProblem, toAisecError } from '../../../core/errors.ts';
import { detailOf, errorProblem, head, type ProblemAnswer, type ProblemDocument } from './error-document.ts';

export const PROBLEM_TYPE = 'application/problem+json';

export interface ProblemOptions {
  readonly hint?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryable?: boolean;
  /** All problems of parameters and members. */
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

/** Returns the error of a resource that does not exist, or belongs to another token. */
export function notFound(what: string, hint?: string): HttpError {
  return new HttpError(404, 'not-found', `There is no such ${what}.`, { hint });
}

/** Returns the error of a token that may no longer run the command from which a resource comes. */
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
  [400, ['json', 'Send one JSON object, and no member twice.']],
  [404, ['not-found', 'See the routes in /openapi.json.']],
  [405, ['method', 'See the routes in /openapi.json.']],
  [413, ['size', 'Send large inputs as files: POST /v1/files, and pass the id in entry_id.']],
  [414, ['size', 'Send arguments in the body.']],
  [415, ['content-type', 'Send the arguments with content-type: application/json.']],
  [503, ['busy', 'Try again later.']],
]);

/** Recognises errors of the server: only they carry a status below 500, or 503 for an overload. */
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
