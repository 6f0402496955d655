import { ConfigurationError } from '../../engine/errors.ts';
import type { Environment } from '../../hosts/terminal/host.ts';

const MIN_LENGTH = 16;
/** What a header can carry as a bearer token. */
const BEARER = /^[\w.~+/-]+=*$/;

/** Reads the token of a server from the environment. @throws ConfigurationError if it is too short, or could never match */
export function bearerToken(variable: string, environment: Environment): string | undefined {
  const token = environment[variable];
  if (token !== undefined && token.length < MIN_LENGTH) {
    throw new ConfigurationError(`${variable} is too short.`, {
      hint: `Give it ${MIN_LENGTH} characters or more, or remove it: a token is made for each start.`,
    });
  }
  if (token !== undefined && !BEARER.test(token)) {
    throw new ConfigurationError(`${variable} has a character that no bearer token can have.`, {
      hint: 'Use letters, digits and - . _ ~ + / only, or remove it: a token is made for each start.',
    });
  }
  return token;
}
