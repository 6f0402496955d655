/** Failures as the users of the platform see them. */
import { type AisecError, toAisecError, UnexpectedError } from '../../errors.ts';
import { redaction } from '../../redaction/redact.ts';
import { attempt, members, type PlatformGlobals } from './globals.ts';

const HINT = 'This is a fault of the integration itself: report it with the debug log of the instance.';

/** Any thrown value as an error to show. Where a fault of the program happened goes to the debug log. */
export function failureOf(thrown: unknown, globals: PlatformGlobals): AisecError {
  const { text } = redaction({ secrets: attempt(() => secretsIn(globals)) ?? [] });
  const error = toAisecError(thrown, text);
  if (!(error instanceof UnexpectedError)) return error;
  const { message, frames, command } = error;
  attempt(() => globals.logDebug?.(text(`aisec: ${[message, ...frames].join('\n')}`)));
  return new UnexpectedError(message, [], { hint: HINT, command });
}

/** Credentials are objects with a password, or the password alone. */
function secretsIn({ params }: PlatformGlobals): string[] {
  const given = [params['credentials'], params['client_secret'], params['runtime_api_key']];
  const texts = given.map((value) => (typeof value === 'string' ? value : members(value)['password']));
  return texts.filter((value): value is string => typeof value === 'string');
}
