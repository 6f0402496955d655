/** Joins the simulated service to the programs that run on it. */
import type { SimulatedService, SimulationOptions } from '../lib/library/simulation.ts';

/** Where the simulated service is while it is inside this process: an address that no request leaves for. */
const INSIDE = 'http://localhost';

/** Makes a simulated service inside this process. @throws Error when a fault or a quirk is not understood */
export async function simulated(options: SimulationOptions): Promise<SimulatedService> {
  const [{ createService }, { simulatedTransport }] = await Promise.all([
    import('../fixtures/service/index.ts'),
    import('../lib/transport/simulated.ts'),
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
