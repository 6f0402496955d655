import type { SimulatedService } from '../client/simulation.ts';
import { simulatedService } from '../hosts/terminal/modes/simulation.ts';
import type { SubcommandContext } from '../hosts/terminal/subcommand.ts';
import { untilAborted } from '../node/stop.ts';
import { cannotListen } from './tools/listening.ts';

const STANDARD_PORT = 8787;

/** `aisec simulate`: serves the simulated service until a signal. stdout has the lines of an environment file. */
export async function simulate({ host, options, screen, signal }: SubcommandContext): Promise<number> {
  const service = await simulatedService(host, options);
  const served = await serve(service, options.port ?? STANDARD_PORT);
  try {
    for (const [name, value] of Object.entries(served.settings)) screen.result(`${name}=${value}`);
    if (!options.quiet) screen.note(`The simulated service listens on ${served.origin}. Ctrl-C stops it.`);
    await untilAborted(signal);
  } finally {
    await served.close();
  }
  return 0;
}

async function serve(service: SimulatedService, port: number) {
  try {
    return await service.serve(port);
  } catch (thrown) {
    throw cannotListen(thrown, `Port ${port}`, 'Choose another with --port N; --port 0 picks a free one.');
  }
}
