import { UsageError } from '../../../../core/errors.ts';
import type { Subcommand } from '../../line/subcommand.ts';

/** `aisec init`: asks for the settings of a tenant, tests them, and writes a section of the settings file. */
export const init: Subcommand = {
  usage: 'init [--profile NAME]',
  summary: 'Set up a tenant: ask, test, write the settings file.',
  everyday: true,
  words: 0,
  dryRun: () => 'honours',
  run: async (cli) => {
    if (cli.options.simulate) {
      throw new UsageError('aisec init sets up a tenant; the simulated service needs no settings.', {
        hint: 'Try a command at once: aisec --simulate',
      });
    }
    return (await import('./dialogue.ts')).runDialogue(cli);
  },
};
