import { SIMULATION } from '../line/options.ts';
import { port } from '../line/shared-flags.ts';
import type { Subcommand } from '../line/subcommand.ts';

const STANDARD_PORT = 8787;

const flags = { port, ...SIMULATION };

/** `aisec simulate`: serves the simulated service until a signal. Prints the lines of an environment file to stdout. */
export const simulate: Subcommand<typeof flags> = {
  usage: 'simulate [--port N]',
  summary: 'Serve the simulated service on loopback until it is stopped.',
  words: 0,
  flags,
  dryRun: () => ({
    refused: 'It changes no tenant; its clients decide on each request.',
    hint: 'Leave out --dry-run.',
  }),
  untilStopped: true,
  run: async ({ host, options, screen, signal }) => {
    const [{ simulatedService }, { simulationOptions }, { cannotListen }, { untilAborted }] = await Promise.all([
      import('../../../client/simulation.ts'),
      import('../line/configuration.ts'),
      import('./shared/serving.ts'),
      import('../../../node/system/stop.ts'),
    ]);
    const service = await simulatedService(host.simulated, simulationOptions(options));
    const number = options.port ?? STANDARD_PORT;
    const served = await service.serve(number).catch((thrown: unknown) => {
      throw cannotListen(thrown, `Port ${number}`, 'Choose another with --port N; --port 0 picks a free one.');
    });
    try {
      for (const [name, value] of Object.entries(served.settings)) screen.result(`${name}=${value}`);
      if (!options.quiet) screen.note(`The simulated service listens on ${served.origin}. Ctrl-C stops it.`);
      await untilAborted(signal);
      return 0;
    } finally {
      await served.close();
    }
  },
};
