/** Where settings come from in a terminal: options, environment, settings file, or the simulated service in their place. */

import type { SimulatedService } from '../../library/simulation.ts';
import { readConfiguration as read, readEnvironment, type Configuration as Settled } from '../../node/configuration.ts';
import type { Options } from './given.ts';
import type { TerminalHost } from './host.ts';
import { simulatedService } from './simulation.ts';

export interface Configuration extends Settled {
  /** Responds in place of a tenant. */
  readonly simulation: SimulatedService | undefined;
}

/** @throws ConfigurationError for a setting that cannot be used, UsageError for options that do not go together */
export async function readConfiguration(host: TerminalHost, options: Options): Promise<Configuration> {
  if (options.simulate) {
    const simulation = await simulatedService(host, options);
    return { ...(await readEnvironment(simulation.settings())), simulation };
  }
  const { environment } = host;
  const { config: path, profile, settings: given } = options;
  return { ...(await read({ given, environment, path, profile })), simulation: undefined };
}
