import { type Subcommand, usageError } from '../../hosts/terminal/subcommand.ts';
import { KINDS } from './kinds.ts';

const USAGE = 'samples [dlp DIR]';

/** `aisec samples`: writes harmless files to try detectors with. */
export const samples: Subcommand = {
  usage: USAGE,
  summary: 'Write harmless test files, such as for DLP, or list their kinds.',
  words: 2,
  dryRun: ({ words }) => (words.length === 0 ? 'reads' : 'honours'),
  completes: ([kind, ...more]) => (kind === undefined ? Object.keys(KINDS) : more.length === 0 ? 'paths' : []),
  run: async (cli) => {
    const [kind, directory = ''] = cli.words;
    const { listKinds, writeDlp } = await import('./run.ts');
    if (kind === undefined) return listKinds(cli);
    if (!Object.hasOwn(KINDS, kind)) {
      throw usageError(
        `There are no samples "${kind.slice(0, 40)}": the kinds are ${Object.keys(KINDS).join(', ')}.`,
        USAGE,
      );
    }
    if (directory === '') throw usageError(`aisec samples ${kind} needs a directory to write to.`, USAGE);
    return writeDlp(directory, cli);
  },
};
