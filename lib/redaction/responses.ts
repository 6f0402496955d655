/** Redacts what the service answers: its errors are shown to people, and may repeat what was sent. */

import type { HttpResponse } from '../ports.ts';
import type { Runtime } from '../runtime.ts';
import { type Redaction, redaction } from './redact.ts';

/** Takes secrets out of a body, or out of a whole response with its headers. */
export interface Redact {
  body(text: string): string;
  response(response: HttpResponse): HttpResponse;
}

/** @param secrets values of secret arguments of the command at work */
export function redacting(
  { settings, shared }: Pick<Runtime, 'settings' | 'shared'>,
  secrets: readonly string[],
): Redact {
  const known = (token: string | undefined) =>
    [settings.client_secret, settings.runtime_api_key, token, ...secrets].filter(
      (secret): secret is string => (secret ?? '') !== '',
    );
  let last: { readonly token: string | undefined; readonly redact: Redaction } | undefined;
  // Asked each time, because tokens come and go.
  const current = () => {
    const { token } = shared;
    if (last?.token !== token || last === undefined) last = { token, redact: redaction({ secrets: known(token) }) };
    return last.redact;
  };
  return {
    body: (text) => redacted(text, current()),
    response: (response) => {
      const redact = current();
      const headers = Object.entries(response.headers).map(([name, value]) => [name, redact.text(value)] as const);
      return { ...response, headers: Object.fromEntries(headers), body: redacted(response.body, redact) };
    },
  };
}

/** JSON can write the same text in many ways, and a reader finds the secret in each of them. */
function redacted(body: string, { text, texts }: Redaction): string {
  try {
    const value: unknown = JSON.parse(body);
    return JSON.stringify(texts(value));
  } catch {
    return text(body);
  }
}
