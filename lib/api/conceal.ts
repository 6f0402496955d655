/** What a service says in an error is shown to people, and a service may repeat what it was sent: secrets are taken out of it. */
import { redaction } from '../log/redact.ts';
import type { Runtime } from '../runtime.ts';

export type Conceal = (text: string) => string;

/** @param secrets values of secret arguments of the command at work */
export function concealing({ settings, tokens }: Runtime, secrets: readonly string[]): Conceal {
  return (text) => {
    const own = [settings.client_secret, settings.runtime_api_key, tokens.read()?.['access_token'], ...secrets];
    return redaction({ secrets: own.filter((secret): secret is string => (secret ?? '') !== '') }).text(text);
  };
}
