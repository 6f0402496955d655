import type { SimulationOptions } from '../../../client/simulation.ts';
import type { Options } from '../options/cli-options.ts';

/** Returns the options of the simulated service. */
export function simulationOptions({ faults, quirks, latencyMs }: Options): SimulationOptions {
  return { faults, quirks, ...(latencyMs === undefined ? {} : { latencyMs }) };
}
