import { toAisecError, UsageError } from '../../errors.ts';
import type { SimulatedService } from '../../library/simulation.ts';
import type { Options } from './cli-options.ts';
import type { TerminalHost } from './host.ts';

/** Creates the simulated service from the options. @throws UsageError for an unknown fault or quirk */
export async function simulatedService(host: TerminalHost, options: Options): Promise<SimulatedService> {
  const { faults, quirks, latencyMs } = options;
  try {
    return await host.simulated({ faults, quirks, ...(latencyMs === undefined ? {} : { latencyMs }) });
  } catch (thrown) {
    if (faults.length + quirks.length === 0) throw toAisecError(thrown);
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown), {
      hint: 'See --fault and --quirk in: aisec help simulate',
    });
  }
}
