import type { SimulatedService, SimulationOptions } from '../../../client/simulation.ts';
import { toAisecError, UsageError } from '../../../core/errors.ts';
import type { TerminalHost } from '../host.ts';
import type { Options } from '../options/cli-options.ts';

/** Returns the options of the simulated service. */
export function simulationOptions({ faults, quirks, latencyMs }: Options): SimulationOptions {
  return { faults, quirks, ...(latencyMs === undefined ? {} : { latencyMs }) };
}

/** Creates the simulated service from the options. @throws UsageError for an unknown fault or quirk */
export async function simulatedService(host: TerminalHost, options: Options): Promise<SimulatedService> {
  const { faults, quirks } = options;
  try {
    return await host.simulated(simulationOptions(options));
  } catch (thrown) {
    if (faults.length + quirks.length === 0) throw toAisecError(thrown);
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown), {
      hint: 'See --fault and --quirk in: aisec help simulate',
    });
  }
}
