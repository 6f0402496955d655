import { UsageError } from '../../../../core/errors.ts';
import { allowUnknown, prune } from '../../../../hosts/terminal/line/shared-flags.ts';
import type { Subcommand } from '../../../../hosts/terminal/line/subcommand.ts';
import { canAsk } from '../../../../hosts/terminal/ui/host.ts';

const USAGE = 'apply FILE [--prune] [--allow-unknown] [--dry-run] [--yes]';

const flags = { prune, allowUnknown };

/** `aisec apply`: creates and updates topics, profiles, DLP resources and targets as a file states. */
export const apply: Subcommand<typeof flags> = {
  usage: USAGE,
  summary: 'Create and update profiles and topics as a file states.',
  everyday: true,
  words: 1,
  flags,
  dryRun: () => 'honours',
  inRoom: { usage: 'apply|export FILE', summary: 'Make the tenant what a file states, or write it.' },
  completes: ({ length }) => (length === 0 ? 'paths' : []),
  run: async (cli) => {
    const { options, words } = cli;
    if (!options.dryRun && !options.yes && !canAsk(cli.host)) {
      throw new UsageError('aisec apply cannot ask here whether to make the changes.', {
        hint: 'Add --yes to make them, or --dry-run to see them.',
      });
    }
    if (options.dryRun) return (await import('./plan.ts')).diff(words[0], USAGE, cli);
    return (await import('./apply-file.ts')).applyFile(words[0], USAGE, cli);
  },
};
