/** Easily recognized secrets, a service that uses them, and a search for them in all output. */
import type { Service, ServiceOptions, ServiceRequest, ServiceResponse } from '../../../fixtures/service/types.ts';
import { isObject } from '../../../lib/core/json.ts';
import { lineService } from '../../support/lines.ts';

/** With every character that some encoding or escaping would change. */
export const CANARIES = {
  clientSecret: 'canary/client+secret="one"&é%\\',
  runtimeKey: 'canary/runtime+key="two"&%2F\\',
} as const;

/** Members of answers whose values are secrets that the service created or stores. */
const ISSUED = ['access_token', 'api_key', 'auth_code', 'token', 'token_preview'];

export interface CanaryService extends Service {
  /** Returns the secrets that the service issued since its creation or the last `forget()`. */
  issued(): readonly string[];
  forget(): void;
}

type Handle = Service['handle'];

/**
 * The simulated service with the canaries for its own credentials.
 *
 * @param wrap changes its answers
 */
export function canaryService(
  options: ServiceOptions = {},
  wrap: (handle: Handle) => Handle = (handle) => handle,
): CanaryService {
  const service = lineService(options);
  const own = service.settings('');
  const issued = new Set<string>();
  const inside: Handle = (request, clock) => service.handle(translated(request, own), clock);
  const handle = wrap(inside);
  return {
    handle: (request, clock) => {
      const response = handle(request, clock);
      for (const secret of issuedIn(response)) issued.add(secret);
      return response;
    },
    settings: (origin) => ({
      ...service.settings(origin),
      AISEC_CLIENT_SECRET: CANARIES.clientSecret,
      AISEC_RUNTIME_API_KEY: CANARIES.runtimeKey,
    }),
    issued: () => [...issued],
    forget: () => issued.clear(),
  };
}

function translated(request: ServiceRequest, own: Readonly<Record<string, string>>): ServiceRequest {
  const key = request.headers['x-pan-token'];
  const real = { 'x-pan-token': own['AISEC_RUNTIME_API_KEY'] ?? '' };
  return {
    ...request,
    headers: key === CANARIES.runtimeKey ? { ...request.headers, ...real } : request.headers,
    body: request.body.replace(encodeURIComponent(CANARIES.clientSecret), own['AISEC_CLIENT_SECRET'] ?? ''),
  };
}

function issuedIn({ headers, body }: ServiceResponse): string[] {
  if (headers['content-type'] !== 'application/json' || !ISSUED.some((name) => body.includes(`"${name}"`))) return [];
  const found: string[] = [];
  const visit = (value: unknown) => {
    for (const [name, member] of Object.entries(isObject(value) || Array.isArray(value) ? value : {})) {
      if (ISSUED.includes(name) && typeof member === 'string' && member !== '') found.push(member);
      visit(member);
    }
  };
  try {
    visit(JSON.parse(body));
  } catch {
    // A response that is not JSON has no members.
  }
  return found;
}

/** The forms in which a secret may appear in a text. */
export function formsOf(secret: string, client: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const bytes = [secret, `${client}:${secret}`, `Bearer ${secret}`].map((text) => Buffer.from(text));
  return [
    ...[secret, escaped, JSON.stringify(escaped).slice(1, -1), encodeURIComponent(secret)],
    ...[new URLSearchParams({ s: secret }).toString().slice(2), Buffer.from(secret).toString('hex')],
    ...bytes.map((each) => each.toString('base64').replace(/=+$/, '')),
    ...bytes.map((each) => each.toString('base64url')),
  ];
}

/** Searches for secrets. @returns the secrets that appear in a text in any form */
export function searchFor(secrets: readonly string[], client: string): (text: string) => string[] {
  if (secrets.length === 0) return () => [];
  const owners = new Map(secrets.flatMap((secret) => formsOf(secret, client).map((form) => [form, secret] as const)));
  const forms = [...owners.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g');
  return (text) => [...new Set([...text.matchAll(pattern)].map(([form]) => owners.get(form) ?? form))];
}
