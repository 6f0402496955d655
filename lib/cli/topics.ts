import { type Subcommand, usageError } from '../hosts/terminal/subcommand.ts';
import { allowUnknown, prune } from './flags.ts';

const USAGE = 'topics diff FILE [--prune] [--allow-unknown] [--exit-code]';

const flags = { prune, allowUnknown };

/** `aisec topics diff`: compares the custom topics of a file with those of the tenant. */
export const topics: Subcommand<typeof flags> = {
  usage: USAGE,
  summary: 'Compare the custom topics of a file with those of the tenant.',
  words: 2,
  flags,
  dryRun: () => 'reads',
  inRoom: { usage: 'topics diff FILE', summary: 'Compare topics with those of a file.', isAlias: true },
  completes: ({ length }) => (length === 0 ? ['diff'] : length === 1 ? 'paths' : []),
  run: async (cli) => {
    const [what, file] = cli.words;
    if (what !== 'diff') throw usageError('aisec topics compares a file: diff FILE.', USAGE);
    const { diff } = await import('./plan/plan.ts');
    return diff(file, USAGE, cli, ['topic']);
  },
};
