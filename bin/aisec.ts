#!/usr/bin/env node
/** The only file that joins registry, dispatcher and the terminal host. */
import { readFile } from 'node:fs/promises';
import { registry } from '../commands/index.ts';
import type { SimulatedService, SimulationOptions } from '../lib/hosts/terminal/host.ts';
import { main } from '../lib/hosts/terminal/main.ts';
import type { Catalogue } from '../lib/manifest/catalogue.ts';

/** Set when the program is built. */
declare const AISEC_VERSION: string;

/** Where the simulated service is while it is inside this process: an address that no request leaves for. */
const INSIDE = 'http://localhost';

/** What help and completion need of all commands; written beside this file when the program is built. */
async function catalogue(): Promise<Catalogue> {
  return JSON.parse(await readFile(new URL('./catalogue.json', import.meta.url), 'utf8')) as Catalogue;
}

async function simulated(options: SimulationOptions): Promise<SimulatedService> {
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

// Not process.exit: what was written must reach its reader first.
process.exitCode = await main({
  argv: process.argv.slice(2),
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  registry,
  catalogue,
  version: AISEC_VERSION,
  simulated,
});
