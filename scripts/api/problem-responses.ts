/** Shared responses: problems by status, and the run that a request started. */

import { head } from '../../lib/hosts/http/problems.ts';
import { jsonContent, refTo, responseRef } from '../../lib/hosts/http/route.ts';
import type { JsonSchema } from '../../lib/manifest/schema.ts';

/** The name of a response, when it is sent, and the code, detail and further members of its example. */
type Row = readonly [name: string, when: string, code: string, detail: string, more?: JsonSchema];

const LIST = { command: 'aisec-runtime-topics-list', argument: 'limit' };
const DELETE = { command: 'aisec-runtime-topics-delete' };
const FORBIDDEN =
  'The role or the toolsets of the token do not allow it, or a page of another origin sent the request.';
const USED = 'This Idempotency-Key was used for another request.';
const RETRY = { retryable: true };

const ROWS: Readonly<Record<number, Row>> = {
  400: ['BadRequest', 'The arguments are wrong.', 'arguments', 'limit must be at least 1.', LIST],
  401: ['Unauthorized', 'The token is missing, wrong or expired.', 'token', 'A valid bearer token is required.'],
  403: ['Forbidden', FORBIDDEN, 'not-allowed', 'aisec-runtime-topics-delete is not allowed for this client.', DELETE],
  404: ['NotFound', 'It does not exist, or belongs to another token.', 'not-found', 'There is no topic with this id.'],
  409: [
    'Conflict',
    'The state of the resource does not allow it.',
    'conflict',
    'There is already a topic with this name.',
  ],
  413: ['TooLarge', 'The body is too large.', 'size', 'The body is larger than 10 MB.'],
  415: ['WrongContentType', 'The body is not JSON.', 'content-type', 'The body must be application/json.'],
  422: ['KeyUsedBefore', USED, 'idempotency-key', USED],
  429: ['TooManyRequests', 'A rate or a quota is used up.', 'rate-limit', 'Too many requests.', RETRY],
  502: ['ServiceFailed', 'The service behind this one failed.', 'service', 'The service responded with 500.', RETRY],
  503: ['Unavailable', 'This service is busy or stopping.', 'busy', 'The service is overloaded.', RETRY],
  504: ['NoAnswer', 'The service behind this one did not respond.', 'timeout', 'No response within 60 s.', RETRY],
};

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds until the next attempt.', schema: { type: 'integer', minimum: 0 } },
};
const CHALLENGE = { 'WWW-Authenticate': { description: '`Bearer`.', schema: { type: 'string' } } };
const HEADERS: Readonly<Record<string, JsonSchema>> = { 401: CHALLENGE, 429: RETRY_AFTER, 503: RETRY_AFTER };

/** Refers to the problems with these statuses, and to a general problem for all others. */
export function problems(statuses: readonly number[]): JsonSchema {
  const named = statuses.map((status) => [status, responseRef(ROWS[status]?.[0] ?? 'Problem')] as const);
  return { ...Object.fromEntries(named), default: responseRef('Problem') };
}

/** Shared responses by name. */
export const RESPONSES: Readonly<Record<string, JsonSchema>> = {
  Accepted: {
    description: 'The work continues as a run.',
    headers: {
      Location: { description: 'Path of the run.', schema: { type: 'string', format: 'uri-reference' } },
      'Preference-Applied': {
        description: '`respond-async`, if the request preferred it.',
        schema: { type: 'string' },
      },
    },
    content: jsonContent(refTo('Run')),
  },
  ...Object.fromEntries(Object.entries(ROWS).map(([status, row]) => [row[0], response(status, row)])),
  Problem: { description: 'All other problems.', content: problemContent() },
};

function response(status: string, [, when, code, detail, more]: Row): JsonSchema {
  const example = { ...head(Number(status), code, detail), retryable: false, ...more };
  const headers = HEADERS[status];
  return { description: when, ...(headers === undefined ? {} : { headers }), content: problemContent({ example }) };
}

function problemContent(more: JsonSchema = {}): JsonSchema {
  return { 'application/problem+json': { schema: refTo('Problem'), ...more } };
}
