/** Redacts responses of the service: its error messages are shown to users, and may repeat parts of the request. */
import type { HttpResponse } from '../ports.ts';
import type { Runtime } from '../runtime.ts';
import { type Redaction, redaction } from './redact.ts';

/** Redacts a body, or a whole response with its headers. */
export interface Redact {
  body(text: string): string;
  /** Redacts a body for people: members with the names of secrets are masked too, whatever their values are. */
  named(text: string): unknown;
  response(response: HttpResponse): HttpResponse;
}

/** Creates the redactor of a command. @param secrets values of its secret arguments */
export function responseRedaction(
  { settings, shared }: Pick<Runtime, 'settings' | 'shared'>,
  secrets: readonly string[],
): Redact {
  const known = (token: string | undefined) =>
    [settings.client_secret, settings.runtime_api_key, token, ...secrets].filter(
      (secret): secret is string => (secret ?? '') !== '',
    );
  let last: { readonly token: string | undefined; readonly redact: Redaction } | undefined;
  // Computed on each use, because tokens change.
  const current = () => {
    const { token } = shared;
    if (last?.token !== token || last === undefined) {
      last = { token, redact: redaction({ secrets: known(token), showContent: true }) };
    }
    return last.redact;
  };
  return {
    body: (text) => redacted(text, current()),
    named: (body) => current().fields({ body })['body'],
    response: (response) => {
      const redact = current();
      const headers = Object.entries(response.headers).map(([name, value]) => [name, redact.text(value)] as const);
      return { ...response, headers: Object.fromEntries(headers), body: redacted(response.body, redact) };
    },
  };
}

/** Redacts parsed JSON, because JSON can encode the same text in many ways. */
function redacted(body: string, { text, texts }: Redaction): string {
  try {
    const value: unknown = JSON.parse(body);
    return JSON.stringify(texts(value));
  } catch {
    return text(body);
  }
}
