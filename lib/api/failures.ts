/** From an answer with an error status to the error that a user sees: one table, hints included. */
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
} from '../errors.ts';
import { asText, isObject, type JsonObject, objectOf, objectsOf, receivedJson } from '../json.ts';
import type { HttpResponse, Method } from '../ports.ts';
import { isOwn } from '../text/own.ts';
import { OUTCOME_UNKNOWN, rateLimited } from './exchange.ts';
import { type PlaneWire, REQUEST_ID_HEADERS } from './wire.ts';

export { RefusedError } from '../errors.ts';

export interface Failed {
  readonly method: Method;
  readonly response: HttpResponse;
  readonly plane: Pick<PlaneWire, 'title' | 'auth'>;
  readonly now: number;
  /** Could the request have changed something without our knowing? */
  readonly changes: boolean;
  /** What the command itself knows about a status, or about what a code of the body means. */
  readonly hints: Readonly<Partial<Record<number, string>>>;
}

type Maker = new (message: string, details: ErrorDetails) => AisecError;

interface Row {
  make: Maker;
  text: string;
  hint: string;
}

const CHECK_ARGUMENTS = 'Check the arguments against what the service says.';

const ROWS: Readonly<Record<number, Row>> = {
  400: { make: RefusedError, text: 'refused the request', hint: CHECK_ARGUMENTS },
  401: { make: AuthError, text: 'does not accept the credentials', hint: '' },
  402: { make: QuotaError, text: 'says that the quota is used up', hint: 'Ask for more, or wait until it is renewed.' },
  403: { make: PermissionError, text: 'denied access', hint: '' },
  404: { make: NotFoundError, text: 'found nothing', hint: 'Check the id or the name with the list command.' },
  409: {
    make: ConflictError,
    text: 'reports a conflict',
    hint: 'It exists already, changed in between, or is still in use.',
  },
  412: { make: PreconditionError, text: 'says that a precondition is not met', hint: CHECK_ARGUMENTS },
  413: { make: RefusedError, text: 'says that the request is too large', hint: 'Send less at once.' },
  415: { make: RefusedError, text: 'does not take this kind of content', hint: CHECK_ARGUMENTS },
  422: { make: RefusedError, text: 'refused the request', hint: CHECK_ARGUMENTS },
};

/** Codes of a body that say more than the status beside them, and the status that would have said it. */
const MEANINGS: Readonly<Record<string, number>> = { QUOTA_EXCEEDED: 402 };

const AUTH_HINTS: Readonly<Record<'token' | 'key', Readonly<Record<number, string>>>> = {
  token: {
    401: 'Check API Client ID and API Client Secret, and that the client belongs to the tenant.',
    403: 'Ask the tenant for a role that permits this to the API client.',
  },
  key: {
    401: 'Set the Runtime API Key.',
    403: 'The Runtime API Key is wrong, revoked or expired, or belongs to another region: check it and Scanner API Base URL.',
  },
};

/** The error for an answer that is not a success. */
export function failure({ method, response, plane, now, changes, hints }: Failed): AisecError {
  const { status } = response;
  if (status === 429) return rateLimited(response, plane.title, now, requestIdOf(response));
  const said = saidBy(response.body);
  const code = codeIn(response.body);
  const meaning = (isOwn(MEANINGS, code) ? MEANINGS[code] : undefined) ?? status;
  const row = ROWS[meaning] ?? fallback(status);
  const unknown = changes && status >= 500 ? OUTCOME_UNKNOWN : undefined;
  const standard = AUTH_HINTS[plane.auth][meaning] ?? row.hint;
  return new row.make(
    `The ${plane.title} ${row.text} (HTTP ${status} to ${method})${said === '' ? '.' : `: ${said}`}`,
    {
      hint: hints[meaning] ?? unknown ?? standard,
      status,
      requestId: requestIdOf(response),
      retryable: status >= 500 && !changes,
      rows: referencesIn(response.body),
    },
  );
}

function fallback(status: number): Row {
  if (status >= 300 && status < 400) {
    const hint = 'Redirects are not followed with credentials: set the address it moved to.';
    return { make: ServiceError, text: 'answered with a redirect', hint };
  }
  if (status >= 500)
    return { make: ServiceError, text: 'failed', hint: 'Try again later; if it stays, ask its support.' };
  return { make: ServiceError, text: 'gave an unexpected answer', hint: 'Check the address of the service.' };
}

/** The service's id of a request, for its support. */
export function requestIdOf({ headers }: HttpResponse): string | undefined {
  const name = REQUEST_ID_HEADERS.filter((header) => headers[header] !== undefined)[0];
  return name === undefined ? undefined : headers[name]?.slice(0, 100);
}

/** The one sentence of an error body that is meant for people; never the body as a whole. */
export function saidBy(body: string): string {
  const value = parsed(body);
  if (typeof value === 'string') return tidy(value);
  const member = (name: string) => value?.[name];
  const nested = member('error');
  const candidates = [
    member('error_message'),
    member('message'),
    member('error_description'),
    isObject(nested) ? nested['message'] : nested,
    member('detail'),
    placesIn(member('detail')),
  ];
  return tidy(String(candidates.filter((text) => typeof text === 'string' && text !== '')[0] ?? ''));
}

/** A list of what is wrong where, as validators write it: `{loc: ["body", "name"], msg}`. */
function placesIn(detail: unknown): string {
  const sentences = objectsOf(detail).map(({ loc, msg }) => {
    const place = Array.isArray(loc) ? loc.slice(1).map(asText).join('.') : '';
    return place === '' ? asText(msg ?? '') : `${place}: ${asText(msg ?? '')}`;
  });
  return sentences.join('; ');
}

/** The code of an error body: beside the message, or where the message is. */
function codeIn(body: string): string {
  const value = objectOf(parsed(body));
  const places = [value, objectOf(value['error']), objectOf(value['detail'])];
  const codes = places.map(({ code, error_code }) => code ?? error_code);
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

function tidy(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a service says must not move a terminal's cursor
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return plain.length > 300 ? `${plain.slice(0, 300)}...` : plain;
}
