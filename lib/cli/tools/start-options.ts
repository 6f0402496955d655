import type { StartOptions } from '../../client/types.ts';
import type { TerminalHost } from '../../hosts/terminal/host.ts';
import { simulationOptions } from '../../hosts/terminal/modes/simulation.ts';
import type { Options } from '../../hosts/terminal/options/cli-options.ts';
import { queueAddress } from '../../hosts/terminal/options/queue-address.ts';
import type { Settings } from '../../settings/parameters.ts';

/** Returns what the command line decides about the client of a server. */
export function startOptions(options: Options, { environment, stderr }: TerminalHost): StartOptions {
  const { config, profile, simulate, filesDirectory, timeoutSeconds, logLevel, quiet, logContent } = options;
  const queue = queueAddress(options, environment);
  return {
    environment,
    // As texts, which their checks read.
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
