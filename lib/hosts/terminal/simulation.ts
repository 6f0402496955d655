import { toAisecError, UsageError } from '../../errors.ts';
import type { Options } from './cli-options.ts';
import type { SimulatedService, TerminalHost } from './host.ts';

/** The simulated service as the options ask for it. @throws UsageError for a fault or a quirk that is not understood */
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
