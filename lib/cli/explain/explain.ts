import { type Subcommand, usageError } from '../../hosts/terminal/subcommand.ts';

const USAGE = 'explain SCAN_ID';

/** `aisec explain`: shows what each detector found in an earlier scan. */
export const explain: Subcommand = {
  usage: USAGE,
  summary: 'Show what each detector found in a scan of any day, by the id of the scan or of its report.',
  words: 1,
  dryRun: () => 'reads',
  inRoom: { usage: USAGE, summary: 'Show what each detector found in an earlier scan.', isAlias: true },
  completes: () => [],
  run: async (cli) => {
    const [id = ''] = cli.words;
    if (id === '') throw usageError('aisec explain needs the id of a scan.', USAGE);
    return (await import('./run.ts')).runExplain(id, cli);
  },
};
