/** Common parts of the subcommands that serve. */
import type { StartOptions } from '../../../../client/types.ts';
import { ConfigurationError, UsageError } from '../../../../core/errors.ts';
import type { Settings } from '../../../../core/parameters.ts';
import { codeOf } from '../../../../node/system/system-error.ts';
import type { Options } from '../../line/cli-options.ts';
import { chosenQueue, simulationOptions } from '../../line/configuration.ts';
import type { Environment, TerminalHost } from '../../ui/host.ts';

export const LOOPBACK = '127.0.0.1';

/** Returns the options of a server's API client. */
export function startOptions(options: Options, { environment, stderr }: TerminalHost): StartOptions {
  const { config, profile, simulate, filesDirectory, timeoutSeconds, logLevel, quiet, logContent } = options;
  const queue = chosenQueue(options, environment);
  return {
    environment,
    // As strings, because the settings checks read strings.
    settings: options.settings as unknown as Settings,
    ...(config === undefined ? {} : { configFile: config }),
    ...(profile === undefined ? {} : { profile }),
    ...(simulate ? { simulate: simulationOptions(options) } : {}),
    ...(filesDirectory === undefined ? {} : { filesDirectory }),
    ...(queue === undefined ? {} : { queue }),
    ...(timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1000 }),
    ...(quiet || logLevel === 'silent'
      ? {}
      : { log: { level: logLevel ?? 'warn', stream: stderr, content: logContent } }),
  };
}

const MIN_TOKEN_LENGTH = 16;
/** Characters that a header can carry as a bearer token. */
const BEARER = /^[\w.~+/-]+=*$/;

/** Reads the token of a server from the environment. @throws ConfigurationError if it is too short, or could never match */
export function bearerToken(variable: string, environment: Environment): string | undefined {
  const token = environment[variable];
  if (token !== undefined && token.length < MIN_TOKEN_LENGTH) {
    throw new ConfigurationError(`${variable} is too short.`, {
      hint: `Give it ${MIN_TOKEN_LENGTH} characters or more, or remove it: a token is made for each start.`,
    });
  }
  if (token !== undefined && !BEARER.test(token)) {
    throw new ConfigurationError(`${variable} has a character that no bearer token can have.`, {
      hint: 'Use letters, digits and - . _ ~ + / only, or remove it: a token is made for each start.',
    });
  }
  return token;
}

const REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'is in use'],
  ['EACCES', 'is not allowed'],
  ['EADDRNOTAVAIL', 'is not an address of this machine'],
]);

/** Returns a UsageError if the system refuses to listen on an address; returns any other error unchanged. */
export function cannotListen(thrown: unknown, place: string, hint: string): unknown {
  const reason = REASONS.get(codeOf(thrown));
  return reason === undefined ? thrown : new UsageError(`${place} ${reason}.`, { hint });
}
