/** Connects the simulated service to the hosts. */
import type { SimulatedService, SimulationOptions } from '../lib/client/simulation.ts';

/** Address of the service inside this process; requests never reach the network. */
const INSIDE = 'http://localhost';

/** Creates a simulated service inside this process. @throws Error for an unknown fault or quirk */
export async function simulated(options: SimulationOptions): Promise<SimulatedService> {
  const [{ createService }, { simulatedTransport }] = await Promise.all([
    import('../fixtures/service/index.ts'),
    import('../lib/runtime/transport/simulated.ts'),
  ]);
  const service = createService(options);
  return {
    transport: (clock, host) => simulatedTransport(service.handle, clock, host),
    settings: () => service.settings(INSIDE),
    serve: async (port) => {
      const { startServer } = await import('../fixtures/service/server.ts');
      const { origin, close } = await startServer(service, { port });
      return { origin, settings: service.settings(origin), close };
    },
  };
}
