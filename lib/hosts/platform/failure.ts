/** Converts failures for users of the platform. */
import { type AisecError, toAisecError, UnexpectedError } from '../../core/errors.ts';
import { redaction } from '../../redaction/redact.ts';
import { attempt, members, type PlatformGlobals } from './globals.ts';

const HINT = 'This is a bug in the integration: report it with the debug log of the instance.';

/** Converts a thrown value to an error; the stack of a bug goes to the debug log. */
export function failureOf(thrown: unknown, globals: PlatformGlobals): AisecError {
  const { text } = redaction({ secrets: attempt(() => secretsIn(globals)) ?? [] });
  const error = toAisecError(thrown, text);
  if (!(error instanceof UnexpectedError)) return error;
  const { message, frames, command } = error;
  attempt(() => globals.logDebug?.(text(`aisec: ${[message, ...frames].join('\n')}`)));
  return new UnexpectedError(message, [], { hint: HINT, command });
}

/** Reads secrets from the parameters: credentials are objects with a password, or a plain password. */
function secretsIn({ params }: PlatformGlobals): string[] {
  const credentials = [params['credentials'], params['client_secret'], params['runtime_api_key']];
  const texts = credentials.map((value) => (typeof value === 'string' ? value : members(value)['password']));
  return texts.filter((value): value is string => typeof value === 'string');
}
