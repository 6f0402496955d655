/** Reads settings from options, environment and settings file, or from the simulated service. */

import { type SimulatedService, type SimulationOptions, simulatedService } from '../../../client/simulation.ts';
import { SETTING_NAMES } from '../../../core/parameters.ts';
import {
  readConfiguration as read,
  readEnvironment,
  type Configuration as Settled,
} from '../../../node/configuration.ts';
import type { TerminalHost } from '../host.ts';
import type { Options } from './cli-options.ts';

export interface Configuration extends Settled {
  /** Responds in place of a tenant. */
  readonly simulation: SimulatedService | undefined;
}

/** Reads the settings. @throws ConfigurationError for an invalid setting, UsageError for options that exclude each other */
export async function readConfiguration(
  host: TerminalHost,
  options: Options,
  signal?: AbortSignal,
): Promise<Configuration> {
  if (options.simulate) {
    const simulation = await simulatedService(host.simulated, simulationOptions(options));
    return { ...(await readEnvironment(simulation.settings())), simulation };
  }
  const { environment } = host;
  const { config: path, profile, settings: overrides } = options;
  return { ...(await read({ overrides, environment, path, profile, signal })), simulation: undefined };
}

/** Returns the options of the simulated service. */
export function simulationOptions({ faults, quirks, latencyMs }: Options): SimulationOptions {
  return { faults, quirks, ...(latencyMs === undefined ? {} : { latencyMs }) };
}

export const HOW_TO_BEGIN = 'Nothing is set yet. Begin with: aisec init. Without a tenant, add --simulate.';

/** Reports whether every setting has its default. */
export function isUnset({ sources }: Pick<Configuration, 'sources'>): boolean {
  return SETTING_NAMES.every((name) => (sources[name] ?? 'default') === 'default');
}
