/** Ways in which a command may fail, some of them designed to make it reveal its secrets. */
import type { Service, ServiceOptions, ServiceRequest, ServiceResponse } from '../../../fixtures/service/types.ts';
import { everywhere, LINE_SECRETS } from '../../support/lines.ts';
import { CANARIES } from './canaries.ts';

type Handle = Service['handle'];

export interface Trouble {
  readonly what: string;
  readonly options?: ServiceOptions;
  readonly wrap?: (handle: Handle) => Handle;
  readonly flags?: readonly string[];
  /** Every command fails on it. */
  readonly fatal: boolean;
  /** Happens once per service. */
  readonly once?: boolean;
}

export const TROUBLES: readonly Trouble[] = [
  { what: 'in a dry run', flags: ['--dry-run'], fatal: false },
  { what: 'with a failing service', options: { faults: everywhere('500') }, fatal: true },
  { what: 'with a refusing service', options: { faults: everywhere('400') }, fatal: true },
  { what: 'when the connection is lost', options: { faults: everywhere('drop') }, fatal: true },
  { what: 'when the answer is cut off', options: { faults: everywhere('truncate') }, fatal: true },
  { what: 'when the token has expired', options: { faults: ['expired-token'] }, fatal: false, once: true },
  { what: 'when no token is available', options: { faults: ['500@/oauth2'] }, fatal: false },
  { what: 'when all credentials are refused', options: { faults: ['401'] }, fatal: true },
  { what: 'when an error repeats the request', wrap: repeating(400, JSON.stringify), fatal: true },
  { what: 'when an error repeats it with every character escaped', wrap: repeating(503, escapedJson), fatal: true },
  { what: 'when the token address repeats the request', wrap: repeatingAt('/oauth2', 401), fatal: false },
  { what: 'when a page repeats the request instead of an answer', wrap: (handle) => page(handle), fatal: true },
];

function isToken({ url }: ServiceRequest): boolean {
  return url.includes('/oauth2/');
}

/** Every secret in a request, and its credentials as sent. */
function secretsIn({ headers, body }: ServiceRequest): string[] {
  const sent = [headers['authorization'], headers['x-pan-token']].filter((value) => value !== undefined);
  const given = LINE_SECRETS.filter((secret) => body.includes(secret));
  return [...sent, ...given, ...(body.includes('client_secret=') ? [CANARIES.clientSecret, body] : [])];
}

/** All texts of an error, in every place where a client may look for them. */
function refusal(request: ServiceRequest, status: number, write: (value: unknown) => string): ServiceResponse {
  const secrets = secretsIn(request);
  const reason = `refused: ${[...secrets, ...secrets.map((text) => Buffer.from(text).toString('base64'))].join(' ')}`;
  const body = {
    ...{
      error_message: reason,
      message: reason,
      error: { message: reason, code: reason },
      detail: [{ loc: [reason], msg: reason }],
    },
    payload: secrets.map((secret) => ({ profile: secret, [secret]: 1 })),
  };
  const headers = { 'content-type': 'application/json', 'x-request-id': secrets[0] ?? '', 'x-aisec-simulated': '1' };
  return { status, headers, body: write(body), latencyMs: 0 };
}

function repeating(status: number, write: (value: unknown) => string): (handle: Handle) => Handle {
  return (handle) => (request, clock) => (isToken(request) ? handle(request, clock) : refusal(request, status, write));
}

function repeatingAt(path: string, status: number): (handle: Handle) => Handle {
  return (handle) => (request, clock) =>
    request.url.includes(path) ? refusal(request, status, JSON.stringify) : handle(request, clock);
}

function page(handle: Handle): Handle {
  return (request, clock) => {
    if (isToken(request)) return handle(request, clock);
    const [first = ''] = secretsIn(request);
    const headers = { 'content-type': 'text/html', 'x-request-id': first };
    // Downloads are kept unchanged.
    const status = request.headers['accept'] === '*/*' ? 503 : 200;
    return { status, headers, body: `<html>${secretsIn(request).join('<p>')}</html>`, latencyMs: 0 };
  };
}

/** JSON that says the same as any other and looks like nothing. */
function escapedJson(value: unknown): string {
  const text = (inner: string) =>
    `"${Array.from({ length: inner.length }, (_, at) => `\\u${inner.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`;
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return `[${value.map(escapedJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${text(name)}:${escapedJson(member)}`)
    .join(',')}}`;
}
