/** Shared responses: problems by status, and the run that a request started. */
import type { JsonSchema } from '../../../manifest/schema.ts';
import { jsonContent, problemName, refTo } from './parts.ts';

/** Examples: a status, its title, and what happened. */
interface Row {
  readonly status: number;
  readonly title: string;
  readonly when: string;
  readonly code: string;
  readonly detail: string;
  readonly hint?: string;
  readonly retryable?: true;
  readonly more?: JsonSchema;
}

const ROWS: readonly Row[] = [
  {
    status: 400,
    title: 'Bad Request',
    when: 'The arguments are wrong, the body is not JSON, or the service refused its content.',
    code: 'arguments',
    detail: 'limit must be at least 1.',
    more: { command: 'aisec-runtime-topics-list', argument: 'limit' },
  },
  {
    status: 401,
    title: 'Unauthorized',
    when: 'The token is missing, wrong or expired.',
    code: 'token',
    detail: 'A bearer token is required.',
    hint: 'Send the header Authorization: Bearer with your token.',
  },
  {
    status: 403,
    title: 'Forbidden',
    when: 'The role or the toolsets of the token do not allow it, or the request comes from a page of another origin.',
    code: 'not-allowed',
    detail: 'aisec-runtime-topics-delete is not allowed for this client.',
    more: { command: 'aisec-runtime-topics-delete' },
  },
  {
    status: 404,
    title: 'Not Found',
    when: 'There is no such command, run, session, file or resource of the service.',
    code: 'not-found',
    detail: 'There is no topic with this id.',
  },
  {
    status: 409,
    title: 'Conflict',
    when: 'The state of the resource does not allow it.',
    code: 'conflict',
    detail: 'There is a topic of this name.',
  },
  {
    status: 413,
    title: 'Payload Too Large',
    when: 'The body is too large.',
    code: 'size',
    detail: 'The body is larger than 10 MB.',
  },
  {
    status: 415,
    title: 'Unsupported Media Type',
    when: 'The body has another content type.',
    code: 'content-type',
    detail: 'The body has to be application/json.',
  },
  {
    status: 422,
    title: 'Unprocessable Entity',
    when: 'The Idempotency-Key was used for another request.',
    code: 'idempotency-key',
    detail: 'This Idempotency-Key was used for another request.',
  },
  {
    status: 429,
    title: 'Too Many Requests',
    when: 'Too many requests, or a quota of the service is used up.',
    code: 'rate-limit',
    detail: 'Too many requests.',
    hint: 'Wait as long as Retry-After says.',
    retryable: true,
  },
  {
    status: 502,
    title: 'Bad Gateway',
    when: 'The service behind this one failed, or refused the credentials of this one.',
    code: 'service',
    detail: 'The service responded with 500.',
    retryable: true,
    more: { upstreamStatus: 500 },
  },
  {
    status: 503,
    title: 'Service Unavailable',
    when: 'This service is busy, stopping, or lacks a setting.',
    code: 'busy',
    detail: 'Too much work is waiting.',
    retryable: true,
  },
  {
    status: 504,
    title: 'Gateway Timeout',
    when: 'The service behind this one did not respond in time.',
    code: 'timeout',
    detail: 'The service did not respond within 60 s.',
    retryable: true,
  },
];

/** Statuses whose responses say when to try again. */
const WITH_RETRY_AFTER = [429, 503];

const ACCEPTED: JsonSchema = {
  description: 'The work goes on as a run.',
  headers: {
    Location: { description: 'Path of the run.', schema: { type: 'string', format: 'uri-reference' } },
    'Preference-Applied': {
      description: '`respond-async`, where the request preferred it.',
      schema: { type: 'string' },
    },
  },
  content: jsonContent(refTo('Run')),
};

/** Shared responses by name. */
export function sharedResponses(): Readonly<Record<string, JsonSchema>> {
  const general = { description: 'Every other problem.', content: problemContent() };
  return {
    Accepted: ACCEPTED,
    ...Object.fromEntries(ROWS.map((row) => [problemName(row.status), response(row)])),
    Problem: general,
  };
}

function response({ when, more, ...row }: Row): JsonSchema {
  const { status, title, code, detail, hint, retryable = false } = row;
  const type = `urn:aisec:problem:${code}`;
  const example = { type, title, status, detail, code, retryable, ...(hint === undefined ? {} : { hint }), ...more };
  return {
    description: when,
    ...(WITH_RETRY_AFTER.includes(status) ? { headers: { 'Retry-After': RETRY_AFTER } } : {}),
    ...(status === 401 ? { headers: { 'WWW-Authenticate': AUTHENTICATE } } : {}),
    content: problemContent(example),
  };
}

const RETRY_AFTER = { description: 'Seconds until the next try.', schema: { type: 'integer', minimum: 0 } };
const AUTHENTICATE = { description: '`Bearer`.', schema: { type: 'string' } };

function problemContent(example?: JsonSchema): JsonSchema {
  return {
    'application/problem+json': { schema: refTo('Problem'), ...(example === undefined ? {} : { example }) },
  };
}
