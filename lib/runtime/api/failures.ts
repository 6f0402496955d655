/** Translates responses with an error status into errors with hints, using one table. */
import {
  type AisecError,
  AuthError,
  ConflictError,
  type ErrorDetails,
  NotFoundError,
  PermissionError,
  PreconditionError,
  QuotaError,
  RefusedError,
  ServiceError,
} from '../../core/errors.ts';
import { asText, isObject, type JsonObject, objectOf, objectsOf, receivedJson } from '../../core/json.ts';
import type { HttpResponse, Method } from '../../core/ports.ts';
import { isOwn } from '../../core/text/own.ts';
import { type PlaneWire, REQUEST_ID_HEADERS } from '../../core/wire.ts';
import { OUTCOME_UNKNOWN, rateLimited } from './exchange.ts';

export interface FailedRequest {
  readonly method: Method;
  readonly response: HttpResponse;
  readonly plane: Pick<PlaneWire, 'title' | 'auth'>;
  readonly now: number;
  /** The request may have changed something in the service. */
  readonly changes: boolean;
  /** The command's own hints, by status. */
  readonly hints: Readonly<Partial<Record<number, string>>>;
}

type Maker = new (message: string, details: ErrorDetails) => AisecError;

interface Row {
  make: Maker;
  text: string;
  hint: string;
}

const CHECK_ARGUMENTS = 'Check the arguments against the message.';

const ROWS: Readonly<Record<number, Row>> = {
  400: { make: RefusedError, text: 'rejected the request', hint: CHECK_ARGUMENTS },
  401: { make: AuthError, text: 'does not accept the credentials', hint: '' },
  402: { make: QuotaError, text: 'reports that the quota is used up', hint: 'Ask for more, or wait for its renewal.' },
  403: { make: PermissionError, text: 'denied access', hint: '' },
  404: { make: NotFoundError, text: 'found nothing', hint: 'Check the id or the name with the list command.' },
  409: {
    make: ConflictError,
    text: 'reports a conflict',
    hint: 'It exists already, changed in between, or is still in use.',
  },
  412: { make: PreconditionError, text: 'reports a failed precondition', hint: CHECK_ARGUMENTS },
  413: { make: RefusedError, text: 'rejects the request as too large', hint: 'Send less data in one request.' },
  415: { make: RefusedError, text: 'rejects this type of content', hint: CHECK_ARGUMENTS },
  422: { make: RefusedError, text: 'rejected the request', hint: CHECK_ARGUMENTS },
};

/** Error codes that are more specific than the status of their response, each with the status that fits. */
const MEANINGS: Readonly<Record<string, number>> = { QUOTA_EXCEEDED: 402 };

const AUTH_HINTS: Readonly<Record<'token' | 'key', Readonly<Record<number, string>>>> = {
  token: {
    401: 'Check API Client ID and API Client Secret, and that the client belongs to the tenant.',
    403: 'Ask for a role that grants this permission to the API client.',
  },
  key: {
    401: 'Set the Runtime API Key.',
    403: 'The Runtime API Key is invalid, or belongs to another region: check it and Scanner API Base URL.',
  },
};

/** Creates the error for a response that is not a success. */
export function failure({ method, response, plane, now, changes, hints }: FailedRequest): AisecError {
  const { status } = response;
  if (status === 429) return rateLimited(response, plane.title, now, requestIdOf(response));
  const reason = errorMessageIn(response.body);
  const code = codeIn(response.body);
  const meaning = (isOwn(MEANINGS, code) ? MEANINGS[code] : undefined) ?? status;
  const row = ROWS[meaning] ?? fallback(status);
  const unknown = changes && status >= 500 ? OUTCOME_UNKNOWN : undefined;
  const standard = AUTH_HINTS[plane.auth][meaning] ?? row.hint;
  return new row.make(
    `The ${plane.title} ${row.text} (HTTP ${status} to ${method})${reason === '' ? '.' : `: ${reason}`}`,
    {
      hint: hints[meaning] ?? unknown ?? standard,
      status,
      requestId: requestIdOf(response),
      retryable: status >= 500 && !changes,
      outcomeUnknown: unknown !== undefined,
      rows: referencesIn(response.body),
    },
  );
}

function fallback(status: number): Row {
  if (status >= 300 && status < 400) {
    const hint = 'Redirects are not followed with credentials: set the new address.';
    return { make: ServiceError, text: 'answered with a redirect', hint };
  }
  if (status >= 500)
    return { make: ServiceError, text: 'failed', hint: 'Try again later; if it persists, contact its support.' };
  return { make: ServiceError, text: 'gave an unexpected response', hint: 'Check the address of the service.' };
}

/** Returns the service's id of a request, for a support ticket. */
export function requestIdOf({ headers }: HttpResponse): string | undefined {
  const name = REQUEST_ID_HEADERS.filter((header) => headers[header] !== undefined)[0];
  return name === undefined ? undefined : headers[name]?.slice(0, 100);
}

/** Returns the message of an error body; never the whole body. */
export function errorMessageIn(body: string): string {
  const value = parsed(body);
  if (typeof value === 'string') return oneLine(value);
  const member = (name: string) => value?.[name];
  const nested = member('error');
  const candidates = [
    member('error_message'),
    member('message'),
    member('error_description'),
    isObject(nested) ? nested['message'] : nested,
    member('detail'),
    validationErrorsIn(member('detail')),
  ];
  return oneLine(String(candidates.filter((text) => typeof text === 'string' && text !== '')[0] ?? ''));
}

/** Joins a list of validation errors: `{loc: ["body", "name"], msg}`. */
function validationErrorsIn(detail: unknown): string {
  const sentences = objectsOf(detail).map(({ loc, msg }) => {
    const field = Array.isArray(loc) ? loc.slice(1).map(asText).join('.') : '';
    return field === '' ? asText(msg ?? '') : `${field}: ${asText(msg ?? '')}`;
  });
  return sentences.join('; ');
}

/** Returns the code of an error body: at the top level, in `error` or in `detail`. */
function codeIn(body: string): string {
  const value = objectOf(parsed(body));
  const objects = [value, objectOf(value['error']), objectOf(value['detail'])];
  const codes = objects.map(({ code, error_code }) => code ?? error_code);
  return codes.filter((code) => typeof code === 'string')[0] ?? '';
}

function referencesIn(body: string): readonly JsonObject[] {
  const value = parsed(body);
  return typeof value === 'object' ? objectsOf(value['payload']) : [];
}

function parsed(body: string): JsonObject | string | undefined {
  const value = receivedJson(body);
  return typeof value === 'string' || isObject(value) ? value : undefined;
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text of the service must not move a terminal's cursor
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return plain.length > 300 ? `${plain.slice(0, 300)}...` : plain;
}
