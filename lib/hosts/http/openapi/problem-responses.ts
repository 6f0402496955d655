/** Shared responses: problems by status, and the run that a request started. */
import type { JsonSchema } from '../../../manifest/schema.ts';
import { head } from '../../../runs/problem.ts';
import { jsonContent, refTo, responseRef } from './parts.ts';

interface Row {
  /** Name of the response. */
  readonly name: string;
  /** When the service responds with it. */
  readonly when: string;
  /** Members of an example. */
  readonly example: JsonSchema & { readonly code: string; readonly detail: string };
  readonly headers?: JsonSchema;
}

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds until the next try.', schema: { type: 'integer', minimum: 0 } },
};

const ROWS: Readonly<Record<number, Row>> = {
  400: {
    name: 'BadRequest',
    when: 'The arguments are wrong, the body is not JSON, or the service refused its content.',
    example: {
      ...{ code: 'arguments', detail: 'limit must be at least 1.' },
      ...{ command: 'aisec-runtime-topics-list', argument: 'limit' },
    },
  },
  401: {
    name: 'Unauthorized',
    when: 'The token is missing, wrong or expired.',
    example: {
      ...{ code: 'token', detail: 'A bearer token is required.' },
      hint: 'Send the header "Authorization: Bearer" with your token.',
    },
    headers: { 'WWW-Authenticate': { description: '`Bearer`.', schema: { type: 'string' } } },
  },
  403: {
    name: 'Forbidden',
    when: 'The role or the toolsets of the token do not allow it, or the request comes from a page of another origin.',
    example: {
      ...{ code: 'not-allowed', detail: 'aisec-runtime-topics-delete is not allowed for this client.' },
      command: 'aisec-runtime-topics-delete',
    },
  },
  404: {
    name: 'NotFound',
    when: 'There is no such command, run, session, file or resource of the service.',
    example: { code: 'not-found', detail: 'There is no topic with this id.' },
  },
  409: {
    name: 'Conflict',
    when: 'The state of the resource does not allow it.',
    example: { code: 'conflict', detail: 'There is a topic of this name.' },
  },
  413: {
    name: 'TooLarge',
    when: 'The body is too large.',
    example: { code: 'size', detail: 'The body is larger than 10 MB.' },
  },
  415: {
    name: 'WrongContentType',
    when: 'The body has another content type.',
    example: { code: 'content-type', detail: 'The body must be application/json.' },
  },
  422: {
    name: 'KeyUsedBefore',
    when: 'The Idempotency-Key was used for another request.',
    example: { code: 'idempotency-key', detail: 'This Idempotency-Key was used for another request.' },
  },
  429: {
    name: 'TooManyRequests',
    when: 'The token sends too many requests, or a quota of the service is used up.',
    example: {
      ...{ code: 'rate-limit', detail: 'This token may send 600 requests a minute.' },
      ...{ hint: 'Wait for the seconds of Retry-After.', retryable: true },
    },
    headers: RETRY_AFTER,
  },
  502: {
    name: 'ServiceFailed',
    when: 'The service behind this one failed, or refused its credentials.',
    example: { code: 'service', detail: 'The service responded with 500.', retryable: true, upstreamStatus: 500 },
  },
  503: {
    name: 'Unavailable',
    when: 'This service is busy, stopping, or lacks a setting.',
    example: { code: 'busy', detail: 'The service is overloaded.', retryable: true },
    headers: RETRY_AFTER,
  },
  504: {
    name: 'NoAnswer',
    when: 'The service behind this one did not respond in time.',
    example: { code: 'timeout', detail: 'The service did not respond within 60 s.', retryable: true },
  },
};

/** Refers to the problems of these statuses, and to a general one for every other. */
export function problems(statuses: readonly number[]): JsonSchema {
  const named = statuses.map((status) => [status, responseRef(ROWS[status]?.name ?? 'Problem')] as const);
  return { ...Object.fromEntries(named), default: responseRef('Problem') };
}

/** Shared responses by name. */
export const RESPONSES: Readonly<Record<string, JsonSchema>> = {
  Accepted: {
    description: 'The work goes on as a run.',
    headers: {
      Location: { description: 'Path of the run.', schema: { type: 'string', format: 'uri-reference' } },
      'Preference-Applied': {
        description: '`respond-async`, where the request preferred it.',
        schema: { type: 'string' },
      },
    },
    content: jsonContent(refTo('Run')),
  },
  ...Object.fromEntries(Object.entries(ROWS).map(([status, row]) => [row.name, response(Number(status), row)])),
  Problem: { description: 'Every other problem.', content: problemContent() },
};

function response(status: number, { when, headers, example: { code, detail, ...more } }: Row): JsonSchema {
  const example = { ...head(status, code, detail), retryable: false, ...more };
  return { description: when, ...(headers === undefined ? {} : { headers }), content: problemContent({ example }) };
}

function problemContent(more: JsonSchema = {}): JsonSchema {
  return { 'application/problem+json': { schema: refTo('Problem'), ...more } };
}
