import { force, only } from '../../../../hosts/terminal/line/shared-flags.ts';
import { type Subcommand, usageError } from '../../../../hosts/terminal/line/subcommand.ts';

const USAGE = 'export FILE [--only KINDS] [--force]';

const flags = { only, force };

/** `aisec export`: writes the guardrails of a tenant to a file for `aisec apply`. */
export const exportFile: Subcommand<typeof flags> = {
  usage: USAGE,
  summary: 'Write the guardrails of the tenant to a file for aisec apply.',
  words: 1,
  flags,
  dryRun: () => 'honours',
  inRoom: { usage: 'export FILE', summary: 'Write the guardrails of the tenant to a file.', isAlias: true },
  completes: ({ length }) => (length === 0 ? 'paths' : []),
  run: async (cli) => {
    const [file = ''] = cli.words;
    if (file === '') throw usageError('aisec export needs a file; - is standard output.', USAGE);
    return (await import('./run-export.ts')).runExport(file, cli);
  },
};
