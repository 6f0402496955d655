/** What a service says in an error is shown to people, and a service may repeat what it was sent: secrets are taken out of it. */
import { type Redaction, redaction } from '../log/redact.ts';
import type { HttpResponse } from '../ports.ts';
import type { Runtime } from '../runtime.ts';

/** Takes secrets out of what travelled: out of a body, or out of a whole answer with its headers. */
export interface Conceal {
  body(text: string): string;
  response(response: HttpResponse): HttpResponse;
}

/** @param secrets values of secret arguments of the command at work */
export function concealing(
  { settings, shared }: Pick<Runtime, 'settings' | 'shared'>,
  secrets: readonly string[],
): Conceal {
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
    body: (text) => concealed(text, current()),
    response: (response) => {
      const redact = current();
      const headers = Object.entries(response.headers).map(([name, value]) => [name, redact.text(value)] as const);
      return { ...response, headers: Object.fromEntries(headers), body: concealed(response.body, redact) };
    },
  };
}

/** JSON can write the same text in many ways, and whoever reads it finds the secret in each of them. */
function concealed(body: string, { text, texts }: Redaction): string {
  try {
    const value: unknown = JSON.parse(body);
    return JSON.stringify(texts(value));
  } catch {
    return text(body);
  }
}
